import { createConfiguredKernel } from "@bylaw/config";
import { createKernel, type Kernel } from "@bylaw/kernel";
import type * as CoordinatorPlugin from "@bylaw/plugin-coordinator";
import { bundled } from "../decide/kernel-source.ts";
import { whileLoading } from "../io/exit-code.ts";
import { namesIn, nearestConfig } from "../run/run-kernel.ts";

const PLUGIN = "@bylaw/plugin-coordinator";

/** The kernel for events of a coordinator: the configuration, if there is one, plus the coordinator plugin. */
export async function coordinatorKernel(named: string | undefined): Promise<Kernel> {
  const file = named ?? (await nearestConfig());
  if (file === undefined) {
    const { coordinator } = await import("@bylaw/plugin-coordinator");
    return createKernel({ plugins: [coordinator()] }, { name: "bylaw log append" });
  }
  return await whileLoading(file, async () => {
    const { kernel } = await createConfiguredKernel({
      file,
      bundled: bundled(),
      add: async (_file, config, load) => {
        if (namesIn(config).has(PLUGIN)) return [];
        const { coordinator } = (await load(PLUGIN)) as unknown as typeof CoordinatorPlugin;
        return [coordinator()];
      },
    });
    return kernel;
  });
}
