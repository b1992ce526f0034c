import { z } from "zod";
import {
  definePlugin,
  type KernelApi,
  type Plugin,
  type Subject,
  type ToolCall,
  type Verdict,
  type View,
} from "@bylaw/kernel";

type Answer = Verdict | readonly Verdict[] | undefined;
type HookName = Subject["hook"];

export const HOOKS = ["beforeToolCall", "onTransition", "onBehavior", "onEnforcement"] as const;

/** A call of `read_file`, with `fields` over it. */
export const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
  hook: "beforeToolCall",
  ...{ id: "c1", agent: "a1", tool: "read_file", args: { path: "a.txt" } },
  ...fields,
});

interface Traits {
  readonly version?: string;
  readonly grants?: boolean;
  readonly neverSoftened?: boolean;
  readonly codes?: Readonly<Record<string, string>>;
}

/** A plugin without options. */
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

/** A plugin with one synchronous tap `t` on one hook. */
export function voter(
  name: string,
  hook: HookName,
  answer: (subject: Subject, view: View) => Answer,
  traits: Traits = {},
) {
  return plugin(name, ({ hooks }) => hooks[hook].tap("t", answer), traits);
}

/** Casts anything that JavaScript lets a caller pass where a type forbids it. */
export const forged = (value: unknown): never => value as never;
