import { importPeer } from "./install.ts";
import type { Effect, Peer, PeerRule } from "./workload.ts";

interface JsonRulesEngine {
  readonly Engine: new (
    rules: readonly object[],
    options: object,
  ) => {
    addOperator(
      name: string,
      fn: (fact: string, value: readonly [string, string]) => boolean,
    ): void;
    run(facts: object): Promise<{ readonly events: readonly { readonly type: string }[] }>;
  };
}

/** json-rules-engine, which tests every rule. */
export const rulesEngine: Peer = {
  name: "json-rules-engine",
  note: "every rule is asked; `path` and `command` by operators of our own that compare beginning and end",
  async build(rules) {
    const { Engine } = await importPeer<JsonRulesEngine>("json-rules-engine");
    const engine = new Engine(rules.map(ruleOf), { allowUndefinedFacts: true });
    engine.addOperator(
      "between",
      (fact, [before, after]) =>
        typeof fact === "string" && fact.startsWith(before) && fact.endsWith(after),
    );
    engine.addOperator(
      "words",
      (fact, [words]) =>
        typeof fact === "string" && fact.startsWith(words) && fact[words.length] === " ",
    );
    return {
      async ask({ tool, server, path, command }): Promise<Effect> {
        const { events } = await engine.run({
          tool,
          server: server ?? "",
          path: path ?? "",
          command: command ?? "",
        });
        return (events[0]?.type ?? "ask_user") as Effect;
      },
    };
  },
};

function ruleOf({ effect, kind, name, path }: PeerRule): object {
  const equal = (fact: string, value: string): object => ({ fact, operator: "equal", value });
  const conditions = {
    exact: () => [equal("tool", name)],
    server: () => [equal("server", name)],
    argument: () => [equal("tool", name), { fact: "path", operator: "between", value: path }],
    command: () => [
      equal("tool", "run_shell_command"),
      { fact: "command", operator: "words", value: [name] },
    ],
  };
  return { conditions: { all: conditions[kind]() }, event: { type: effect } };
}
