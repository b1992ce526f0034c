import { BylawError, messageOf } from "@bylaw/kernel";
import { reportError } from "./io/report-error.ts";
import { conclude, endNow, watchExit } from "./io/exit-code.ts";
import { claimOutput } from "./io/output.ts";
import { quickCheck } from "./command-line/quick-check.ts";
import { quickHook } from "./command-line/quick-hook.ts";

const unwritable = (cause: Error): BylawError =>
  new BylawError({
    code: "BYLAW_COMMAND_FAILED",
    message: `Cannot write the output: ${messageOf(cause)}`,
    fix: "Check for free space, or write the output elsewhere",
    cause,
  });

/**
 * Runs the command and sets the exit code; it never throws. `alone`: the process is only there for this command, so it ends with it.
 */
export async function main(
  argv: readonly string[],
  { alone = false }: { readonly alone?: boolean } = {},
): Promise<void> {
  await run(argv, { alone });
  if (alone) await endNow();
}

async function run(argv: readonly string[], alone: { readonly alone: boolean }): Promise<void> {
  const json = argv.includes("--json");
  const fail = (error: unknown): void => {
    reportError(error, { json });
    conclude(2);
  };
  // A failure in a plugin that nobody handles must end the command with a message and not with a stack trace.
  const stray = (error: unknown): never => {
    fail(error);
    process.exit(2);
  };
  claimOutput((error) => {
    if (error.code !== "EPIPE") stray(unwritable(error));
    // The reader closed the output, so nobody gets an answer or an error.
    conclude(2);
    process.exit(2);
  }, alone);
  watchExit({ json });
  process.on("uncaughtException", stray);
  process.on("unhandledRejection", stray);
  const plain = quickCheck(argv);
  const asked = quickHook(argv);
  try {
    if (plain !== undefined) {
      const { checkWords } = await import("./commands/check.ts");
      return await checkWords(plain.line, plain.options);
    }
    if (asked !== undefined) {
      const { hook } = await import("./commands/hook.ts");
      return await hook(asked.host, asked.named, asked);
    }
  } catch (error) {
    const { withHelpOf } = await import("./command-line/run-program.ts");
    return fail(await withHelpOf(error, argv));
  }
  const { runProgram } = await import("./command-line/run-program.ts");
  await runProgram(argv, fail);
}
