import { importPeer } from "./install.ts";
import type { Effect, Peer, PeerRule, Question } from "./workload.ts";

interface PolicyEngine {
  loadPolicy(policy: object): void;
  evaluatePolicy(
    agent: string,
    context: object,
  ): { readonly action: string; readonly matchedRule?: string };
}
interface Governance {
  readonly PolicyEngine: new () => PolicyEngine;
}

/** Microsoft's agent governance toolkit. */
export const agentGovernance: Peer = {
  name: "@microsoft/agent-governance-sdk",
  note: "`evaluatePolicy` with flat conditions; equality only, so the context gets the first words of the line and the project of the path",
  async build(rules) {
    const { PolicyEngine } = await importPeer<Governance>("@microsoft/agent-governance-sdk");
    const engine = new PolicyEngine();
    engine.loadPolicy({
      apiVersion: "governance.toolkit/v1",
      name: "bench",
      scope: "global",
      agents: ["*"],
      default_action: "deny",
      rules: rules.map(ruleOf),
    });
    return {
      ask(question): Effect {
        const { action, matchedRule } = engine.evaluatePolicy("agent-1", contextOf(question));
        return matchedRule === undefined ? "ask_user" : (action as Effect);
      },
    };
  },
};

function ruleOf({ index, effect, kind, name, path }: PeerRule): object {
  const condition = {
    exact: { tool: name },
    server: { server: name },
    argument: { tool: name, project: path?.join("") },
    command: { words: name },
  };
  return { name: `r${index}`, ruleAction: effect, effect, priority: 1, condition: condition[kind] };
}

function contextOf({ tool, server, path, command }: Question): object {
  const [, folder = "", project = ""] = path?.split("/") ?? [];
  return {
    tool,
    server,
    project:
      path === undefined ? undefined : `/${folder}/${project}/${path.slice(path.lastIndexOf("."))}`,
    words: command?.split(" ").slice(0, 2).join(" "),
  };
}
