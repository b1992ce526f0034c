import { importPeer } from "./install.ts";
import type { Effect, Peer, PeerRule } from "./workload.ts";

interface PolicyEngine {
  check(
    call: { readonly name: string; readonly args: object },
    server: string | undefined,
  ): Promise<{ readonly decision: string }>;
}
interface EngineModule {
  readonly PolicyEngine: new (config: object) => PolicyEngine;
}
interface ShellModule {
  readonly initializeShellParsers: () => Promise<void>;
}

const FOLDER = "@google/gemini-cli-core/dist/src";

/** The engine of Gemini CLI. Its debug output is discarded, as in normal use. */
export const gemini: Peer = {
  name: "@google/gemini-cli-core",
  note: "`PolicyEngine.check`; globs over a server in its own form, arguments by a pattern over their JSON, shell by its command prefix",
  async build(rules) {
    const { PolicyEngine } = await importPeer<EngineModule>(`${FOLDER}/policy/policy-engine.js`);
    const { initializeShellParsers } = await importPeer<ShellModule>(
      `${FOLDER}/utils/shell-utils.js`,
    );
    await initializeShellParsers();
    console.debug = () => undefined;
    const engine = new PolicyEngine({ rules: rules.map(ruleOf), defaultDecision: "ask_user" });
    return {
      async ask({ tool, server, call }): Promise<Effect> {
        const name = server === undefined ? tool : `mcp_${server}_${tool}`;
        const { decision } = await engine.check({ name, args: call.args as object }, server);
        return decision as Effect;
      },
    };
  },
};

function ruleOf({ index, effect, kind, name, path }: PeerRule): object {
  const base = { decision: effect, priority: 4 + (999 - (index % 1000)) / 1000 };
  if (kind === "exact") return { ...base, toolName: name };
  if (kind === "server") return { ...base, toolName: `mcp_${name}_*`, mcpName: name };
  if (kind === "argument") {
    const [before, after] = path ?? ["", ""];
    return {
      ...base,
      toolName: name,
      argsPattern: new RegExp(`"path":"${before}[^"]*\\${after}"`),
    };
  }
  return {
    ...base,
    toolName: "run_shell_command",
    argsPattern: new RegExp(`"command":"${name}(?:[\\s"]|\\\\")`),
  };
}
