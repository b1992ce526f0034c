import { dirname } from "node:path";
import { phaseGuide } from "@bylaw/contract";
import type { Kernel } from "@bylaw/kernel";
import { currentPhases, phaseOf, type Run } from "@bylaw/log";
import { configuredContract } from "@bylaw/orchestrator/approvals";
import { defineTool, type RunContext, type Tool } from "@bylaw/tools";
import { z } from "zod";

/** The tool that tells an agent what the phase of its task allows and requires. None without a contract in the configuration. */
export function phaseTools(
  { plugins }: Pick<Kernel, "plugins">,
  file: string | undefined,
): readonly Tool<RunContext<Run>>[] {
  const phases = plugins.find(({ plugin }) => plugin.name === "@bylaw/plugin-phases");
  const [instance] = phases?.instances ?? [];
  if (instance === undefined || file === undefined) return [];
  const contract = configuredContract(instance.options, dirname(file));
  return [
    defineTool({
      name: "get_phase",
      description: "Read what the phase of your task allows, and what is required to leave it.",
      input: z.strictObject({}),
      annotations: { readOnlyHint: true },
      run: async (_, { run, task = "" }: RunContext<Run>) => {
        await run.catchUp();
        const phase = phaseOf(run.view(currentPhases), task) ?? null;
        return { task, phase, ...phaseGuide(contract, phase) };
      },
    }),
  ];
}
