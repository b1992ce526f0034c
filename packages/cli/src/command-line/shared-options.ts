import { COMPATS } from "@bylaw/behavior";
import type { OptionSpec } from "./command.ts";

/** What `--store` takes, for its help. */
export const STORE_TEXT = "sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…";

/** The store of a command that finds the project's by itself. */
export const STORE_OPTION = [
  "--store <url>",
  `the store (default: the project's .bylaw/store.db): ${STORE_TEXT}`,
] as const satisfies OptionSpec;

export const JSON_OPTION = ["--json", "print JSON"] as const;

/** Where a log is: in files, or in a store. The command decides which when it runs. */
export const LOG_OPTIONS = [
  STORE_OPTION,
  ["--run <run>", "the run in the store (default: the latest)"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];

/** A run that can only be in a store. */
export const STORED_OPTIONS = [
  ["--store <url>", STORE_TEXT, { required: true }],
  ["--run <run>", "the run in the store", { required: true }],
] as const satisfies readonly OptionSpec[];

/** The configuration of a run, which may have none. */
export const RUN_CONFIG = [
  "--config <file>",
  "the configuration (default: the nearest bylaw.config.* upwards, if any)",
  { path: true },
] as const satisfies OptionSpec;

/** Reads a workflow the way an older system did. */
export const COMPAT = [
  "--compat <system>",
  "read loops, triggers and conditions as this older system did",
  { words: COMPATS },
] as const satisfies OptionSpec;

/** What `--agents` takes. */
export const AGENTS_TEXT =
  "agents, which go before those of the template: a file with their commands, one of Radium (.toml), a page of Markdown, or a folder of these";

/** Begins a run. */
export const CREATE_RUN = ["--create", "begin the run where there is none"] as const;
