import { BEHAVIOR_ACTIONS, parseControlFile } from "@bylaw/behavior";
import { BylawError, omitUndefined, type Decision, type Effect } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import { defineTool, type RunContext, type Tool } from "@bylaw/tools";
import { quote } from "@bylaw/wording";
import { z } from "zod";
import type { OversightAdvice, StepProgress } from "./workflow/options.ts";
import type { WorkflowState } from "./workflow/state/types.ts";
import { workflowState } from "./workflow/state/projection.ts";

/** What the tool needs from its carrier: the run, the calling agent, and what the carrier knows of the agent's step. */
export interface BehaviorContext extends RunContext<Run> {
  readonly step?: string;
  /**
   * Measures progress for a loop with `stall`. When left out, nothing counts as changed since the
   * last time the loop went back.
   */
  readonly progress?: StepProgress;
  /**
   * Requests oversight at once and resolves to its advice. `null`: nobody gives oversight here.
   * When left out, the carrier requests it later.
   */
  readonly oversee?: ((reason: string | null) => Promise<OversightAdvice>) | null;
}

/** The answer to a request. */
export interface BehaviorAnswer {
  readonly effect: Effect;
  readonly code: string;
  readonly reason: string;
  readonly fix?: string;
  readonly directive?: Decision["directive"];
  /** The advice of an oversight that was requested. */
  readonly oversight?: OversightAdvice;
}

const input = z.strictObject({
  action: z
    .string()
    .meta({ enum: [...BEHAVIOR_ACTIONS] })
    .describe(
      "loop: go back and repeat; trigger: let another agent work now; checkpoint: wait for a person; vibecheck: request oversight; continue; stop",
    ),
  reason: z.string().max(4_000).optional().describe("Why, in one sentence, for the event log"),
  triggerAgentId: z.string().max(200).optional().describe("The agent that a trigger calls"),
});

/** The tool that does the same as a control file, for every carrier. The agent, run and step are never arguments. */
export const BEHAVIOR_TOOLS: readonly Tool<BehaviorContext>[] = [
  defineTool({
    name: "report_behavior",
    description:
      "Ask your workflow to go back, call another agent, wait for a person, request oversight, continue or stop. The answer says whether it is granted.",
    input,
    run: (given, context: BehaviorContext) => reportBehavior(context, given),
  }),
];

/**
 * Makes a request for an agent at work in a step. Throws BYLAW_BEHAVIOR_INVALID for a request that
 * a control file could not make either. Throws BYLAW_BEHAVIOR_NOT_AT_WORK if the run is a workflow
 * in which this agent is at work in no step, or in several and the carrier names none.
 */
export async function reportBehavior(
  { run, agent, task, step: named, progress, oversee }: BehaviorContext,
  given: z.output<typeof input>,
): Promise<BehaviorAnswer> {
  const { action, reason, triggerAgentId } = parseControlFile(JSON.stringify(given));
  await run.catchUp();
  const state = run.view(workflowState);
  if (action === "vibecheck" && oversee === null && state.started === null)
    return {
      effect: "deny",
      code: "behavior_unserved",
      reason: "Nobody gives oversight here",
      fix: "Ask for a checkpoint, where a person looks; or name a service with `bylaw mcp --oversight URL`",
    };
  const step = state.started === null ? named : stepOf(state, agent, named);
  const { decision } = await run.behave({
    action,
    agent,
    ...omitUndefined({
      task,
      step,
      reason: reason ?? undefined,
      trigger_agent_id: triggerAgentId ?? undefined,
    }),
    host: omitUndefined({
      definition: state.started?.definition,
      progress: action === "loop" ? progress?.(reason) : undefined,
    }),
  });
  const { code, reason: why, directive } = decision;
  const fix =
    decision.fix ??
    (code === "fallback"
      ? `Add @bylaw/plugin-${PLUGINS[action] ?? "loop"} to the configuration, bylaw.config.*`
      : undefined);
  const granted = decision.applied === "allow" && directive?.action === "vibecheck";
  const oversight = granted ? await oversee?.(reason) : undefined;
  return {
    effect: decision.applied,
    code,
    reason: why,
    ...omitUndefined({ fix, directive, oversight }),
  };
}

/** The plugin that grants an action; `loop` grants all others. */
const PLUGINS: Readonly<Record<string, string>> = {
  trigger: "trigger",
  checkpoint: "checkpoint",
  vibecheck: "vibecheck",
};

function stepOf({ units }: WorkflowState, agent: string, named: string | undefined): string {
  const own = units.filter(({ step, settled, frames }) => {
    const top = frames.at(-1);
    return (
      !settled &&
      top?.agent === agent &&
      top.status === "running" &&
      (named === undefined || step === named)
    );
  });
  const [only, ...others] = own;
  if (only !== undefined && others.length === 0) return only.step;
  throw new BylawError({
    code: "BYLAW_BEHAVIOR_NOT_AT_WORK",
    message: `${quote(agent)} is not at work in ${only === undefined ? "a step" : "exactly one step"}`,
    fix: "Ask from inside the step while it runs",
  });
}
