import { CommanderError } from "commander";
import { conclude } from "../io/exit-code.ts";
import { createProgram } from "./program.ts";
import { helpAsked, usageFault, withHelp } from "./usage-error.ts";

/** Runs the command that `argv` names, with the full parser. Calls `fail` with any error. */
export async function runProgram(
  argv: readonly string[],
  fail: (error: unknown) => void,
): Promise<void> {
  const program = await createProgram(argv);
  const asked = helpAsked(program, argv);
  if (asked !== undefined) return fail(asked);
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) return fail(withHelp(error, program, argv));
    // The user asked for help, or named no command, so the help is on standard error.
    if (error.code !== "commander.helpDisplayed" && error.code !== "commander.help")
      return fail(usageFault(error, program, argv));
    conclude(error.code === "commander.helpDisplayed" || argv.includes("help") ? 0 : 2);
  }
}

/** The error of a command that the full parser did not run. If it has no fix, the fix names the command's help. */
export const withHelpOf = async (error: unknown, argv: readonly string[]): Promise<unknown> =>
  withHelp(error, await createProgram(argv), argv);
