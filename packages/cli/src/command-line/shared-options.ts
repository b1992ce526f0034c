import { COMPAT_MODES } from "@bylaw/behavior";
import type { OptionSpec } from "./command.ts";

/** The values of `--store`, for the help. */
export const STORE_TEXT = "sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…";

/** The store option of commands that otherwise use the project's store. */
export const STORE_OPTION = [
  "--store <url>",
  `the store (default: the project's .bylaw/store.db): ${STORE_TEXT}`,
] as const satisfies OptionSpec;

export const JSON_OPTION = ["--json", "print JSON"] as const;

/** The place of a log: files or a store. The command decides at run time which of them it reads. */
export const LOG_OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the latest)"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

/** The logs of several runs: files, or the runs of a store. */
export const LOGS_ARGUMENT = {
  file: [
    "logs, one for each run; a rotated file continues the one before it; - reads standard input",
  ],
} as const;
export const RUNS_OPTION = [
  "--run <run>",
  "the run in the store (default: all of them)",
] as const satisfies OptionSpec;

/** The place of a run that can only be in a store. */
export const STORED_OPTIONS = [
  ["--store <url>", STORE_TEXT, { required: true }],
  ["--run <run>", "the run in the store", { required: true }],
] as const satisfies readonly OptionSpec[];

/** The configuration of a run, which is optional. */
export const RUN_CONFIG = [
  "--config <file>",
  "the configuration (default: the nearest bylaw.config.* upwards, if any)",
] as const satisfies OptionSpec;

/** Reads a workflow as an older system did. */
export const COMPAT = [
  "--compat <system>",
  "read loops, triggers and conditions as this older system did",
  { words: COMPAT_MODES },
] as const satisfies OptionSpec;

/** Which recorded decisions a replay of two versions makes again. */
export const REPLAYED_OPTIONS = [
  ["--run <run>", "the run of the store to replay (default: all of them)"],
  ["--since <time>", "replay decisions not before this time, or this span before now such as 7d"],
] as const satisfies readonly OptionSpec[];

/** The values of `--a` and `--b`, for the help. */
export const VERSION_TEXT =
  "a policy (.toml), a contract (.yaml), a bylaw.config.*, or a ruleset (a folder, a tarball, NAME@VERSION)";

/** The values of `--agents`, for the help. */
export const AGENTS_TEXT =
  "agents that take precedence over those of the template: a file with their commands, a Radium file (.toml), a Markdown page, or a folder of these";

/** Creates the run if it does not exist. */
export const CREATE_RUN = ["--create", "create the run if it does not exist"] as const;
