import { defineProjection, type LogEvent } from "@bylaw/kernel";

interface ToolCounts {
  readonly allowed: number;
  readonly succeeded: number;
  readonly failed: number;
}

/** The number of calls of a run, by outcome. */
interface Calls extends ToolCounts {
  readonly asked: number;
  readonly denied: number;
  /** By the tools that ran. Names of other tools can be an agent's invention and would only fill it. */
  readonly tools: { readonly [tool: string]: ToolCounts };
}

const NONE: ToolCounts = { allowed: 0, succeeded: 0, failed: 0 };

/** The calls of the run so far. Declared only if a condition asks about it. */
export const calls = defineProjection<Calls>({
  name: "@bylaw/plugin-policy/calls",
  version: 1,
  initial: { ...NONE, asked: 0, denied: 0, tools: {} },
  reduce(state, event) {
    if (event.event_type === "tool_asked") return { ...state, asked: state.asked + 1 };
    if (event.event_type === "tool_denied") return { ...state, denied: state.denied + 1 };
    const counted = ranAs(event);
    if (counted === undefined) return state;
    const tool = String(event.details["tool"]);
    const known = Object.hasOwn(state.tools, tool) ? state.tools[tool] : undefined;
    const total = { ...state, [counted]: state[counted] + 1 };
    if (known === undefined && counted !== "allowed") return total;
    const before = known ?? NONE;
    return {
      ...total,
      tools: { ...state.tools, [tool]: { ...before, [counted]: before[counted] + 1 } },
    };
  },
});

function ranAs({ event_type, details }: LogEvent): keyof ToolCounts | undefined {
  if (event_type === "tool_allowed") return "allowed";
  if (event_type !== "tool_result") return undefined;
  return details["ok"] === true ? "succeeded" : "failed";
}
