import type { BylawError, Config } from "@bylaw/kernel";

/** The valid part of a configuration, and the faults of the rest. */
export interface ReadConfig {
  readonly config: Config;
  readonly faults: readonly BylawError[];
}
