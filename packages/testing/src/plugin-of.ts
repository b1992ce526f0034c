import { definePlugin, type KernelApi, type Plugin } from "@bylaw/kernel";
import { z } from "zod";

interface Traits {
  readonly version?: string;
  readonly grants?: boolean;
  readonly neverSoftened?: boolean;
  readonly codes?: Readonly<Record<string, string>>;
}

/** A plugin without options, for tests. */
export function pluginOf(
  name: string,
  apply: (kernel: KernelApi) => void,
  traits: Traits = {},
): Plugin {
  return definePlugin({
    name,
    version: "1.0.0",
    options: z.undefined(),
    ...traits,
    apply: (kernel) => apply(kernel),
  })();
}
