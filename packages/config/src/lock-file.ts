import { dirname, join } from "node:path";

/** The path of a configuration's lock. It is in `.bylaw`, the folder that agents may not change. */
export const lockFileOf = (configFile: string): string =>
  join(dirname(configFile), ".bylaw", "rulesets.lock.json");
