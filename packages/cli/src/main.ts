import { CommanderError } from "commander";
import { reportError, usageError } from "./fault.ts";
import { createProgram } from "./program.ts";

/** Runs the command and sets the exit code; it never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  const json = argv.includes("--json");
  const fail = (error: unknown): void => {
    reportError(error, { json });
    process.exitCode = 2;
  };
  // A plugin's stray failure must end the command with a message and not with a stack trace.
  const stray = (error: unknown): never => {
    fail(error);
    process.exit(2);
  };
  process.on("uncaughtException", stray);
  process.on("unhandledRejection", stray);
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    // The reader left: there is nobody to tell, and nothing was answered.
    if (error.code === "EPIPE") process.exit(2);
    stray(error);
  });
  try {
    await createProgram().parseAsync(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) fail(error);
    else if (error.code === "commander.helpDisplayed") process.exitCode = 0;
    // Help that was asked for, or that was printed on the error stream because no command was named.
    else if (error.code === "commander.help") process.exitCode = argv.length === 0 ? 2 : 0;
    else fail(usageError(error.message));
  }
}
