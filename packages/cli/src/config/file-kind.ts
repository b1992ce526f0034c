import { basename } from "node:path";

/** Whether a file is a configuration, by its name: `bylaw.config.ts`, or `bylaw.config.next.yaml`. */
export const isConfig = (file: string): boolean =>
  /^bylaw\.config(?:\.[\w-]+)*\.\w+$/.test(basename(file));

/** Whether a file that is no configuration is a contract, by its name. */
export const isContract = (file: string): boolean => /\.ya?ml$/i.test(file);
