import type { HookRequest, LoadHookHandler } from "@bylaw/engine";
import type { HostOutput } from "@bylaw/host";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { answerHook, sessionRuns } from "./answer-hook.ts";
import { placeHere } from "./place.ts";

/** Loads a configuration for the engine. Throws the errors of loading it. */
export async function loadResident(config: string): ReturnType<LoadHookHandler> {
  const kernel = await loadKernelFor({ config });
  let runs: ReturnType<typeof sessionRuns> | undefined;
  return async ({ host, event: named, strict, engine, cwd, env, input }: HookRequest) => {
    const output: HostOutput = await answerHook({
      ...{ setup: { host, config, strict, engine }, named, input },
      place: { ...placeHere(), cwd, env },
      kernel: async () => kernel,
      runs: () => (runs ??= sessionRuns(kernel, { config }, { kept: true })),
    });
    return { ...output, exit: output.exit ?? 2 };
  };
}
