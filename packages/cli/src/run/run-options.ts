import { usageError } from "../io/report-error.ts";
import type { OptionSpec, OptionsOf } from "../command-line/command.ts";
import { AGENTS_TEXT, COMPAT, RUN_CONFIG, STORE_TEXT } from "../command-line/shared-options.ts";

/** The drivers that wake the workers of a run. */
const DRIVERS = ["embedded", "dbos", "restate"] as const;

export type DriverName = (typeof DRIVERS)[number];

/** The default file in which agents write requests. */
export const CONTROL_FILE = ".bylaw/memory/behavior.json";

/** Runs `stop` when a signal asks this process to end. Returns a function that removes the listener. */
export function onInterrupt(stop: () => void): () => void {
  for (const signal of SIGNALS) process.once(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  };
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export const RUN_OPTIONS = [
  ["--store <url>", `the store that holds the run: ${STORE_TEXT}`],
  ["--data <dir>", "the folder of store.db (default: .bylaw)"],
  ["--run <name>", "the name of the run (default: the name of the template, numbered if taken)"],
  ["--resume", "resume a run after a crash, or as a person after a checkpoint or a hold"],
  [
    "--by <person>",
    "who ends a pause or hold: an operator with a token, or a person at a terminal",
  ],
  ["--from <step>", "start at this step, or with --resume continue from it"],
  ["--track <name>", "the track of the template that a new run takes"],
  ["--choose <option...>", "the options that a new run chooses"],
  [
    "--migrate",
    "with --resume: migrate the run to the current template; with --dry-run only show what changed",
  ],
  COMPAT,
  ["--agents <path>", AGENTS_TEXT, { many: true }],
  RUN_CONFIG,
  ["--control-file <file>", `where agents write requests (default: ${CONTROL_FILE})`],
  [
    "--driver <name>",
    "let workers on many machines drive the run, and how they are woken",
    { words: DRIVERS },
  ],
  ["--worker", "drive runs that others started with --driver, until stopped"],
  ["--lease <seconds>", "how long a silent worker keeps a run (default: 60)", { least: 1 }],
  ["--dry-run", "print the plan without running it"],
  ["--json", "print the outcome as JSON"],
] as const satisfies readonly OptionSpec[];

export type RunOptions = OptionsOf<typeof RUN_OPTIONS>;

/** Throws BYLAW_USAGE_INVALID for options that contradict each other. */
export function checkOptions({ store, data, migrate = false, resume = false }: RunOptions): void {
  if (store !== undefined && data !== undefined)
    throw usageError("`--data` and `--store` cannot be given together", "Remove one");
  if (migrate && !resume) throw usageError("`--migrate` needs `--resume`");
}
