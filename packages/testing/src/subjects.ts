import type { Behavior, Response, Subject, ToolCall, Transition } from "@bylaw/kernel";

type HookName = Subject["hook"];
type SubjectOf<H extends HookName> = Extract<Subject, { hook: H }>;

type Fields<S extends Subject> = Partial<Omit<S, "hook">>;

/** A subject with only the fields that matter. */
export type SubjectSketch = {
  readonly [H in HookName]: { readonly hook: H } & Fields<SubjectOf<H>>;
}[HookName];

// Fixed values, so that tests are reproducible.
const CONTEXT = {
  id: "subject-1",
  agent: "agent-1",
  at: "2026-01-01T00:00:00Z",
  interactive: true,
} as const;

/** A call of `read_file` without arguments inside `/project`, with `fields` over it. */
export function toolCall(fields: Fields<ToolCall> = {}): ToolCall {
  return {
    ...CONTEXT,
    tool: "read_file",
    args: {},
    cwd: "/project",
    workspace: "/project",
    home: "/home/agent",
    ...fields,
    hook: "beforeToolCall",
  };
}

/** A request of task `task-1` to go from PLAN to BUILD without artifacts, with `fields` over it. */
export function transition(fields: Fields<Transition> = {}): Transition {
  return {
    ...CONTEXT,
    task: "task-1",
    from: "PLAN",
    to: "BUILD",
    artifacts: {},
    ...fields,
    hook: "onTransition",
  };
}

/** A request to continue, with `fields` over it. */
export function behavior(fields: Fields<Behavior> = {}): Behavior {
  return { ...CONTEXT, action: "continue", ...fields, hook: "onBehavior" };
}

/** The first attempt of a first response, `Done.` without tool calls, with `fields` over it. */
export function response(fields: Fields<Response> = {}): Response {
  return {
    ...CONTEXT,
    text: "Done.",
    tool_calls: [],
    round: 1,
    attempt: 1,
    max_attempts: 3,
    ...fields,
    hook: "onEnforcement",
  };
}

/** Completes a sketch to a whole subject. */
export function complete(sketch: SubjectSketch): Subject {
  if (sketch.hook === "beforeToolCall") return toolCall(sketch);
  if (sketch.hook === "onTransition") return transition(sketch);
  if (sketch.hook === "onBehavior") return behavior(sketch);
  return response(sketch);
}
