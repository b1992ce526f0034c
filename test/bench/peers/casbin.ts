import { importPeer } from "./install.ts";
import type { Effect, Peer } from "./workload.ts";

interface Enforcer {
  addFunction(name: string, fn: (...args: readonly string[]) => boolean): Promise<void>;
  enforceExSync(...values: readonly string[]): readonly [boolean, readonly string[]];
}
interface Casbin {
  readonly newEnforcer: (model: object, adapter: object) => Promise<Enforcer>;
  readonly newModelFromString: (text: string) => object;
  readonly StringAdapter: new (text: string) => object;
}

const MODEL = `
[request_definition]
r = tool, server, path, command
[policy_definition]
p = kind, name, before, after, eft
[policy_effect]
e = priority(p.eft) || deny
[matchers]
m = fits(r.tool, r.server, r.path, r.command, p.kind, p.name, p.before, p.after)
`;

/** node-casbin; one JavaScript function tests a rule. */
export const casbin: Peer = {
  name: "casbin",
  note: "`enforceExSync`, first match; no ask_user (no rule that matched, instead); the rule's test is one function in JavaScript",
  async build(rules) {
    const { newEnforcer, newModelFromString, StringAdapter } = await importPeer<Casbin>("casbin");
    const lines = rules.map(
      ({ kind, name, path, effect }) =>
        `p, ${kind}, ${name}, ${path?.[0] ?? "-"}, ${path?.[1] ?? "-"}, ${effect}`,
    );
    const enforcer = await newEnforcer(
      newModelFromString(MODEL),
      new StringAdapter(lines.join("\n")),
    );
    await enforcer.addFunction("fits", fits);
    return {
      ask({ tool, server, path, command }): Effect {
        const [, rule] = enforcer.enforceExSync(tool, server ?? "-", path ?? "-", command ?? "-");
        return (rule[4] ?? "ask_user") as Effect;
      },
    };
  },
};

function fits(...values: readonly string[]): boolean {
  const [
    tool = "",
    server = "",
    path = "",
    command = "",
    kind = "",
    name = "",
    before = "",
    after = "",
  ] = values;
  if (kind === "exact") return tool === name;
  if (kind === "server") return server === name;
  if (kind === "argument") return tool === name && path.startsWith(before) && path.endsWith(after);
  return tool === "run_shell_command" && command.startsWith(name) && command[name.length] === " ";
}
