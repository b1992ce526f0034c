import type { Subject, ToolCall, Verdict, View } from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";

type Answer = Verdict | readonly Verdict[] | undefined;
type HookName = Subject["hook"];

export const HOOKS = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"] as const;

/** A call of `read_file`, with `fields` over it. */
export const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
  hook: "beforeToolCall",
  ...{ id: "c1", agent: "a1", tool: "read_file", args: { path: "a.txt" } },
  ...fields,
});

/** A plugin with one synchronous tap `t` on one hook. */
export function voter(
  name: string,
  hook: HookName,
  answer: (subject: Subject, view: View) => Answer,
  traits: Parameters<typeof pluginOf>[2] = {},
) {
  return pluginOf(name, ({ hooks }) => hooks[hook].tap("t", answer), traits);
}

/** Casts anything that JavaScript lets a caller pass where a type forbids it. */
export const forged = (value: unknown): never => value as never;
