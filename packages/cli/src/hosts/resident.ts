import type { HookRequest, LoadHookHandler } from "@bylaw/engine";
import type { HostOutput } from "@bylaw/host";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { answerHook, sessionRuns } from "./answer-hook.ts";
import { placeHere } from "./place.ts";

/** Loads a configuration for the engine. Throws the errors of loading it. */
export async function loadResident(config: string): ReturnType<LoadHookHandler> {
  const kernel = await loadKernelFor({ config });
  let runs: ReturnType<typeof sessionRuns> | undefined;
  return async (request: HookRequest) => {
    const { host, event: named, strict, wait, engine, cwd, env, input, if_absent } = request;
    let isHeld = false;
    const leave = (): never => {
      isHeld = true;
      throw new Error("A process of its own waits for a person");
    };
    const output: HostOutput = await answerHook({
      ...{ setup: { host, config, strict, engine, wait, if_absent }, named, input },
      place: { ...placeHere(), cwd, env },
      kernel: async () => kernel,
      runs: () => (runs ??= sessionRuns(kernel, { config }, { kept: true })),
      ...(wait !== undefined && { hold: { wait_ms: wait * 1_000, begin: leave } }),
    });
    if (isHeld) throw new Error("This call has no answer here");
    return { ...output, exit: output.exit ?? 2 };
  };
}
