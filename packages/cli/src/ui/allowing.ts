import { dirname } from "node:path";
import { isBylawError } from "@bylaw/config";
import { phasesWith, unknownPolicies, type Allowing, type NearRule } from "@bylaw/dashboard";
import type { Kernel, LogEvent, ToolCall } from "@bylaw/kernel";
import { digestOf, readRecordedCall, recordedPolicy } from "@bylaw/log";
import { configuredContract } from "@bylaw/orchestrator/approvals";
import { benchOf, type PolicyBench } from "../cases/policy-bench.ts";
import { loadKernelFor } from "../decide/kernel-source.ts";
import { isRuleReport, nearestOf, type RuleReport } from "../decide/rule-lines.ts";
import { nearestConfig } from "../run/run-kernel.ts";
import { createRuleSuggester } from "../suggest/rule-suggester.ts";

/** How many rules are named. */
const NEAREST = 3;

/** Tells what would have allowed a recorded call in a phase, under the policies of a bench. */
export async function allowingOf(
  event: LogEvent,
  phase: string | null,
  bench: () => Promise<PolicyBench>,
): Promise<Omit<Allowing, "phases">> {
  const { call: recorded, not_replayable } = readRecordedCall(event);
  if (recorded === undefined)
    return unknownPolicies(`Nothing can be said about this call: ${not_replayable}`);
  const call = phase === null ? recorded : { ...recorded, phase: recorded.phase ?? phase };
  try {
    const opened = await bench();
    const suggestion = await (await createRuleSuggester(opened, [])).suggest(call);
    return {
      policies: recordedPolicy(event) === digestOf(opened.kernel.policy) ? "same" : "other",
      nearest: await nearestTo(call, opened),
      toml: suggestion.toml ?? null,
      why: suggestion.why ?? null,
    };
  } catch (error) {
    if (!isBylawError(error)) throw error;
    return unknownPolicies(error.message);
  }
}

async function nearestTo(call: ToolCall, { kernel }: PolicyBench): Promise<readonly NearRule[]> {
  const { taps } = await kernel.explain(await kernel.prepare(call));
  const allows = taps
    .flatMap(({ because }): readonly unknown[] => (Array.isArray(because) ? because : []))
    .filter(isRuleReport)
    .filter(({ effect }) => effect === "allow");
  return nearestOf(allows, NEAREST).map(nearRule);
}

const nearRule = ({
  name,
  file,
  line,
  effect,
  failed,
  expected,
  actual,
}: RuleReport): NearRule => ({
  ...{ name, effect },
  ...{ file: file ?? null, line: line ?? null, failed: failed ?? null },
  ...{ expected: expected ?? null, actual: actual ?? null },
});

/** Tells what would have allowed a recorded call, under the policies of the project. */
export type ProjectAllowing = (event: LogEvent, phase: string | null) => Promise<Allowing>;

/** Reads the project's configuration anew for each question, because a person may be changing it. */
export const projectAllowing: ProjectAllowing = async (event, phase) => {
  const config = await nearestConfig();
  if (config === undefined) {
    const why = "No configuration was found where `bylaw ui` was started";
    return { ...unknownPolicies(why), phases: null };
  }
  const kernel = loadKernelFor({ config });
  const found = await allowingOf(event, phase, async () => await benchOf(await kernel, config));
  const phases = await kernel.then((loaded) => phasesOf(event, loaded, config)).catch(() => null);
  return { ...found, phases };
};

const PHASES_PLUGIN = "@bylaw/plugin-phases";

function phasesOf(event: LogEvent, kernel: Kernel, config: string): readonly string[] | null {
  const found = kernel.plugins.find(({ plugin }) => plugin.name === PHASES_PLUGIN)?.instances[0];
  if (found === undefined) return null;
  const { phases } = configuredContract(found.options, dirname(config));
  return phasesWith(event.details["tool"], phases);
}
