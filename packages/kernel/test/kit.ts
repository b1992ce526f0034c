import { z } from "zod";
import {
  definePlugin,
  type Decision,
  type Json,
  type Kernel,
  type KernelApi,
  type Plugin,
  type Subject,
  type ToolCall,
  type View,
} from "../src/index.ts";
import type { SubjectOf } from "../src/subject.ts";
import type { Answer, HookName } from "../src/verdict.ts";

export const HOOKS = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"] as const;

/** A minimal subject for each hook. */
export const SUBJECTS: { readonly [H in HookName]: SubjectOf<H> } = {
  beforeToolCall: {
    hook: "beforeToolCall",
    id: "c1",
    agent: "a1",
    tool: "read_file",
    args: { path: "a.txt" },
  },
  onTransition: {
    hook: "onTransition",
    id: "t1",
    agent: "a1",
    task: "T1",
    to: "REVIEW",
    artifacts: {},
  },
  onBehavior: { hook: "onBehavior", id: "b1", agent: "a1", action: "loop" },
  onEnforcement: { hook: "onEnforcement", id: "r1", agent: "a1", text: "done", round: 1 },
};

export const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
  ...SUBJECTS.beforeToolCall,
  ...fields,
});

interface Traits {
  readonly version?: string;
  readonly grants?: boolean;
  readonly neverSoftened?: boolean;
  readonly codes?: Readonly<Record<string, string>>;
}

/** Creates a plugin without options. */
export function plugin(
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

/** Creates a plugin with one synchronous tap `t` on one hook. */
export function voter(
  name: string,
  hook: HookName,
  answer: (subject: Subject, view: View) => Answer,
  traits: Traits = {},
) {
  return plugin(name, ({ hooks }) => hooks[hook].tap("t", answer), traits);
}

/** Creates a plugin with one asynchronous tap `t` on one hook. */
export function lateVoter(
  name: string,
  hook: HookName,
  answer: () => Promise<Answer>,
  traits: Traits = {},
): Plugin {
  return plugin(name, ({ hooks }) => hooks[hook].tapPromise("t", answer), traits);
}

/** Returns the decision of a kernel whose taps are all synchronous. */
export function decideNow(kernel: Kernel, subject: Subject, view?: View): Decision {
  const decision = view === undefined ? kernel.decide(subject) : kernel.decide(subject, view);
  if (decision instanceof Promise)
    throw new Error("Unexpected promise, expected a decision at once");
  return decision;
}

/** Returns the parts of a decision that must not depend on any order. */
export const essence = ({
  effect,
  code,
  reason,
  fix,
  rule,
  by,
  from,
  directive,
  recovery,
  message,
}: Decision) => ({ effect, code, reason, fix, rule, by, from, directive, recovery, message });

/** Passes any value that JavaScript allows although the type does not. */
export const forged = (value: unknown): never => value as never;

/** Creates data with this many nested levels. */
export function nested(levels: number): Json {
  let value: Json = [];
  for (let level = 1; level < levels; level += 1) value = [value];
  return value;
}
