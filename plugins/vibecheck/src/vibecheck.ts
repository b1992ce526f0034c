import {
  allow,
  ask,
  definePlugin,
  deny,
  type Guard,
  type ToolCall,
  type Transition,
  type Verdict,
  type View,
} from "@bylaw/kernel";
import type { Finding } from "@bylaw/log";
import manifest from "../package.json" with { type: "json" };
import { vibecheckOptions, type VibecheckOptions } from "./options.ts";
import { oversight, agentsInvolved, oversightStatus } from "./oversight-state.ts";
import { OVERSIGHT_EVENTS } from "./verdict.ts";

const CODES = {
  vibecheck_risk: "the oversight found the risk too high, and no person has acknowledged it yet",
  vibecheck_failed: "the requested oversight failed",
  vibecheck_due: "an oversight is due",
} as const;

/** Lets a step ask for oversight, and restricts work by its verdict. */
export const vibecheck = definePlugin({
  name: manifest.name,
  version: manifest.version,
  options: vibecheckOptions,
  grants: true,
  codes: CODES,
  apply(kernel, options) {
    for (const type of OVERSIGHT_EVENTS) kernel.event(type);
    kernel.projection(oversight);
    kernel.guard("acknowledge", notByItself);
    kernel.hooks.onBehavior.tap("vibecheck", ({ action, phase, reason }) =>
      action === "vibecheck"
        ? allow(`Oversight is asked for${reason === undefined ? "" : `: ${reason}`}`, {
            directive: { action: "vibecheck", kind: kindOf(phase, options) },
          })
        : undefined,
    );
    kernel.hooks.beforeToolCall.tap("oversight", (call, view) => judge(call, view, options));
    kernel.hooks.onTransition.tap("oversight", (request, view) => judge(request, view, options));
  },
});

const kindOf = (
  phase: string | undefined,
  { phases }: VibecheckOptions,
): "planning" | "implementation" | "review" =>
  (phase !== undefined && Object.hasOwn(phases, phase) ? phases[phase] : undefined) ??
  "implementation";

function judge(
  subject: ToolCall | Transition,
  view: View,
  { ask_at, stop_at, every_calls, before_phases }: VibecheckOptions,
): Verdict | undefined {
  const { risk, failed, advice, calls, seen } = oversightStatus(view(oversight), subject);
  const said = advice === null || advice === "" ? "" : `. The advice: ${advice}`;
  const call = subject.hook === "beforeToolCall";
  if (risk >= stop_at)
    return deny(
      `The risk is ${risk}, and work stops at ${stop_at}${said}`,
      "Wait until a person has acknowledged the advice",
      { code: "vibecheck_risk" },
    );
  if (call && risk >= ask_at)
    return ask(
      `The risk is ${risk}, and from ${ask_at} a person must approve each call${said}`,
      "A person decides, call by call",
      { code: "vibecheck_risk" },
    );
  const due = call
    ? every_calls !== undefined && calls >= every_calls
    : before_phases.includes(subject.to) && !seen;
  if (failed !== null && (due || call))
    return call && !due
      ? ask("The last oversight failed", "Ask for oversight again", { code: "vibecheck_failed" })
      : deny("The last oversight failed", "Ask for oversight again", { code: "vibecheck_failed" });
  if (!due) return undefined;
  return deny(
    call
      ? `${calls} calls went without oversight, and the limit is ${every_calls}`
      : "A change of phase needs an oversight first",
    "Ask for oversight",
    { code: "vibecheck_due" },
  );
}

// The agent that asked, or whose work was judged, must not acknowledge the verdict itself.
const notByItself: Guard = (view, { event_type, task_id, details }): Finding | undefined => {
  if (event_type !== "oversight_acknowledged") return undefined;
  const by = fold(String(details["by"]));
  if (!agentsInvolved(view(oversight), task_id).some((agent) => fold(agent) === by))
    return undefined;
  return {
    rule: "OVERSIGHT_BY_ITSELF",
    message: "A person must acknowledge an oversight, not the agent that it is about",
  };
};

const fold = (name: string): string => name.normalize("NFKC").trim().toLowerCase();
