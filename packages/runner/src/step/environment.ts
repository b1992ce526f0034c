import { programEnvironment } from "@bylaw/process";

// Most agents are started from a terminal, and expect these variables.
const TERMINAL: readonly string[] = ["SHELL", "TERM"];

/**
 * The environment of a step: a few standard variables, those that the template passes on, and those
 * that identify the run and step. It has no `PATH` unless the template passes it on, so a program
 * of the workspace is never found by its name.
 */
export const stepEnvironment = (
  names: readonly string[],
  said: Readonly<Record<string, string>>,
  workspace?: string,
): Readonly<Record<string, string>> =>
  programEnvironment({ names: [...TERMINAL, ...names], set: said, workspace });
