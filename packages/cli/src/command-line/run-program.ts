import { CommanderError } from "commander";
import { conclude } from "../io/exit-code.ts";
import { createProgram } from "./program.ts";
import { helpAsked, usageFault, withHelp } from "./usage-error.ts";

/** Runs the command that `argv` names, with the parser of all commands. Tells `fail` of every error. */
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
    // Help that was asked for, or that was printed on the error stream because no command was named.
    if (error.code !== "commander.helpDisplayed" && error.code !== "commander.help")
      return fail(usageFault(error, program, argv));
    conclude(error.code === "commander.helpDisplayed" || argv.includes("help") ? 0 : 2);
  }
}

/** An error of a command that ran without that parser, with the help of the command as the advice where it has none. */
export const withHelpOf = async (error: unknown, argv: readonly string[]): Promise<unknown> =>
  withHelp(error, await createProgram(argv), argv);
