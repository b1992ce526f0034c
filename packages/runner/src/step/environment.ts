import { programEnvironment } from "@bylaw/process";

// Programs of agents are started at a terminal as a rule, and look like it.
const TERMINAL: readonly string[] = ["SHELL", "TERM"];

/**
 * The environment of a step: a few names, those that the template hands on, and what says where it
 * stands. No program of the workspace is found by its name, unless the template hands on `PATH`.
 */
export const stepEnvironment = (
  names: readonly string[],
  said: Readonly<Record<string, string>>,
  workspace?: string,
): Readonly<Record<string, string>> =>
  programEnvironment({ names: [...TERMINAL, ...names], set: said, workspace });
