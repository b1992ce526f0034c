import type { Compat } from "@bylaw/behavior";

/** What may wake the workers of a run. */
export const DRIVERS = ["embedded", "dbos", "restate"] as const;

/** The name of a driver, as the command line has it. */
export type DriverName = (typeof DRIVERS)[number];

/** What asks a process to end. */
export const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The options of `bylaw run`. */
export interface RunOptions {
  readonly store?: string;
  readonly data?: string;
  readonly run?: string;
  readonly resume?: boolean;
  readonly by?: string;
  readonly from?: string;
  readonly agents?: string;
  readonly config?: string;
  readonly controlFile?: string;
  readonly compat?: Compat;
  readonly track?: string;
  readonly choose?: readonly string[];
  readonly migrate?: boolean;
  readonly driver?: DriverName;
  /** In seconds. */
  readonly lease?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}
