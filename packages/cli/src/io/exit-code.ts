import { BylawError } from "@bylaw/kernel";
import { written } from "./output.ts";
import { reportError } from "./report-error.ts";

// The exit code and the configuration that is being loaded. Configurations and plugins run in this process too, so only this module sets them.
let concluded: number | undefined;
let configuration: string | undefined;

/** Sets the exit code. Until then it is 2. */
export function conclude(code: number): void {
  concluded = code;
  process.exitCode = code;
}

/** Runs `work`. If the process ends meanwhile, the error names this configuration file. */
export async function whileLoading<T>(file: string, work: () => Promise<T>): Promise<T> {
  configuration = file;
  try {
    return await work();
  } finally {
    configuration = undefined;
  }
}

/**
 * Sets the exit code however the process ends. If it ends before the command is done, because a configuration called `process.exit`
 * or waits forever, this prints an error and exits with 2.
 */
export function watchExit({ json }: { readonly json: boolean }): void {
  process.on("exit", () => {
    if (concluded === undefined) reportError(unfinished(), { json });
    process.exitCode = concluded ?? 2;
    // Ends at once, so that no later listener can change the exit code.
    process.exit();
  });
}

/**
 * Ends the process after its command, once the output is written. A timer that a configuration or plugin left would keep it, and Node
 * alone would first let V8 collect garbage, which takes longer than deciding.
 */
export async function endNow(): Promise<void> {
  if (process.getActiveResourcesInfo().length > 0 || process.listenerCount("beforeExit") > 0)
    await written();
  process.exit();
}

function unfinished(): BylawError {
  if (configuration === undefined) {
    return new BylawError({
      code: "BYLAW_COMMAND_FAILED",
      message: "The process ended before it had an answer",
      fix: "Look for `process.exit` in the plugins, or a promise that never settles",
    });
  }
  return new BylawError({
    code: "BYLAW_CONFIG_UNLOADABLE",
    message: "The process ended while the configuration was loading",
    fix: "Look for `process.exit` in it, or a promise that never settles",
    source: { file: configuration },
  });
}
