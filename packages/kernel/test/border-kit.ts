import { allow, createKernel, type Decision, type Kernel, type ToolCall } from "../src/index.ts";
import { HOOKS, decideNow, forged, voter } from "./kit.ts";

// The worst case: every subject that is admitted is allowed.
export const seen: ToolCall[] = [];
export const permitting: Kernel = createKernel({
  plugins: HOOKS.map((hook) =>
    voter(
      `permits-${hook}`,
      hook,
      (subject) => {
        if (subject.hook === "beforeToolCall") seen.push(subject);
        return allow("everything");
      },
      { grants: true },
    ),
  ),
});

export const refused = { effect: "deny", code: "invalid_call", votes: [] };
export const decide = (subject: unknown): Decision => decideNow(permitting, forged(subject));

export function cyclic(): unknown {
  const object: Record<string, unknown> = {};
  object["list"] = [object];
  return object;
}
export class Shell {
  readonly command = "ls";
}
export const throwing = (): never => {
  throw new Error("trap");
};
export const trap: ProxyHandler<object> = {
  get: throwing,
  has: throwing,
  ownKeys: throwing,
  getPrototypeOf: throwing,
  getOwnPropertyDescriptor: throwing,
};
export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
