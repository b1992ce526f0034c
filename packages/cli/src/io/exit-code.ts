import { BylawError } from "@bylaw/kernel";
import { reportError } from "./report-error.ts";

// What this process came to, and what it was about, which only we say: a configuration and its plugins run in here too.
let concluded: number | undefined;
let configuration: string | undefined;

/** Says what the process came to. Its exit code is 2 until this was called. */
export function conclude(code: number): void {
  concluded = code;
  process.exitCode = code;
}

/** Runs `work` with a configuration file as what is to blame when the process ends in the middle of it. */
export async function whileLoading<T>(file: string, work: () => Promise<T>): Promise<T> {
  configuration = file;
  try {
    return await work();
  } finally {
    configuration = undefined;
  }
}

/**
 * Sees to the exit code, whoever ends the process. One that ends before it came to anything, because a configuration called
 * `process.exit` or waits for what never comes, says so and is no allow.
 */
export function watchExit({ json }: { readonly json: boolean }): void {
  process.on("exit", () => {
    if (concluded === undefined) reportError(unfinished(), { json });
    process.exitCode = concluded ?? 2;
    // At once, so that no later listener says otherwise.
    process.exit();
  });
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
