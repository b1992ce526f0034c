import { importPeer } from "./install.ts";
import type { Effect, Peer, PeerRule, Question } from "./workload.ts";

interface Answer {
  readonly type: string;
  readonly response?: {
    readonly decision: string;
    readonly diagnostics: { readonly reason: readonly string[] };
  };
}
interface Cedar {
  preparsePolicySet(id: string, policies: object): { readonly type: string };
  statefulIsAuthorized(call: object): Answer;
}

/** Cedar, compiled to WebAssembly, with its policies parsed beforehand. */
export const cedar: Peer = {
  name: "@cedar-policy/cedar-wasm",
  note: "policies parsed beforehand; no regular expressions (`like` instead) and no ask_user (deny without a reason instead)",
  async build(rules, size) {
    const { default: engine } = await importPeer<{ readonly default: Cedar }>(
      "@cedar-policy/cedar-wasm/nodejs/cedar_wasm.js",
    );
    const id = `bench-${size}`;
    const staticPolicies = Object.fromEntries(
      rules.map((rule) => [`r${rule.index}`, policyOf(rule)]),
    );
    const parsed = engine.preparsePolicySet(id, { staticPolicies });
    if (parsed.type !== "success") throw new Error(`Cedar failed: ${JSON.stringify(parsed)}`);
    const principal = { type: "Agent", id: "agent-1" };
    const action = { type: "Action", id: "call" };
    return {
      ask(question): Effect {
        const answer = engine.statefulIsAuthorized({
          principal,
          action,
          resource: { type: "Tool", id: question.tool },
          context: contextOf(question),
          preparsedPolicySetId: id,
          entities: [],
        });
        if (answer.response === undefined)
          throw new Error(`Cedar failed: ${JSON.stringify(answer)}`);
        const { decision, diagnostics } = answer.response;
        return decision === "allow" ? "allow" : diagnostics.reason.length > 0 ? "deny" : "ask_user";
      },
    };
  },
};

const contextOf = ({ server, path, command }: Question): object => ({
  server: server ?? "",
  path: path ?? "",
  command: command ?? "",
});

function policyOf({ effect, kind, name, path }: PeerRule): string {
  const verb = effect === "allow" ? "permit" : "forbid";
  const tool = (id: string): string => `resource == Tool::"${id}"`;
  if (kind === "exact") return `${verb}(principal, action, ${tool(name)});`;
  if (kind === "server")
    return `${verb}(principal, action, resource) when { context.server == "${name}" };`;
  if (kind === "argument")
    return `${verb}(principal, action, ${tool(name)}) when { context.path like "${path?.join("*") ?? ""}" };`;
  return `${verb}(principal, action, ${tool("run_shell_command")}) when { context.command like "${name} *" };`;
}
