import { expand } from "../match/glob.ts";
import type { RuleSource } from "../compile/rule.ts";

/** One of several alternatives in a rule: an item of a list, a name between `|`, or a part of `{a,b}`. */
export interface Alternative {
  /** The key in the file. */
  readonly key: string;
  readonly item: string;
  /** The rule with only this alternative. */
  readonly only: RuleSource;
  /** The rule without this alternative. */
  readonly without: RuleSource;
}

type Build = (items: readonly string[]) => RuleSource;

/** Every alternative of a rule. A key with a single value has none. */
export function alternativesOf(source: RuleSource): readonly Alternative[] {
  const found: Alternative[] = [];
  const add = (key: string, items: readonly string[] | undefined, build: Build): void => {
    if (items === undefined || items.length < 2) return;
    for (const item of new Set(items)) {
      const rest = items.filter((other) => other !== item);
      if (rest.length > 0) found.push({ key, item, only: build([item]), without: build(rest) });
    }
  };
  const { tool, server, command, effects, read, write, network, agent, phase, modes } = source;
  add("tool", tool === undefined ? undefined : expand(tool, { pipes: true }), (items) => ({
    ...source,
    tool: items.join("|"),
  }));
  add("server", server === undefined ? undefined : expand(server, { pipes: true }), (items) => ({
    ...source,
    server: items.join("|"),
  }));
  add("command", braced(command), (items) => ({ ...source, command: items }));
  // One list for both, as in `paths = [ … ]`.
  if (read !== undefined && read === write)
    add("paths", braced(read), (items) => ({ ...source, read: items, write: items }));
  else {
    add("paths.read", braced(read), (items) => ({ ...source, read: items }));
    add("paths.write", braced(write), (items) => ({ ...source, write: items }));
  }
  add("effects", effects, (items) => ({
    ...source,
    effects: effects?.filter((name) => items.includes(name)),
  }));
  add("network", network, (items) => ({ ...source, network: items }));
  add("agent", braced(agent), (items) => ({ ...source, agent: items }));
  add("phase", braced(phase), (items) => ({ ...source, phase: items }));
  for (const key of ["after", "unless_after"] as const) {
    const reference = source[key];
    if (reference !== undefined)
      add(key, reference.marks, (marks) => ({ ...source, [key]: { ...reference, marks } }));
  }
  add("modes", modes, (items) => ({
    ...source,
    modes: modes?.filter((mode) => items.includes(mode)),
  }));
  for (const [name, condition] of Object.entries(source.args ?? {})) {
    for (const key of ["in", "glob", "url_prefix"] as const) {
      const list = condition[key];
      if (!Array.isArray(list)) continue;
      const texts = list.map((item) => JSON.stringify(item));
      add(`args.${name}.${key}`, texts, (items) => {
        const left = list.filter((_, at) => items.includes(texts[at] ?? ""));
        return { ...source, args: { ...source.args, [name]: { ...condition, [key]: left } } };
      });
    }
  }
  return found;
}

// Expands `{a,b}` in a list.
const braced = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list?.flatMap((item) => expand(item));

/** A condition of a rule, and the rule without it. */
interface PartOfRule {
  readonly key: string;
  readonly without: RuleSource;
}

export function partsOf(source: RuleSource): readonly PartOfRule[] {
  const found: PartOfRule[] = [];
  for (const key of [
    "tool",
    "server",
    "command",
    "command_regex",
    "effects",
    "network",
    "agent",
    "phase",
    "modes",
    "interactive",
    "input",
    "git_ignored",
    "when",
    "after",
    "unless_after",
  ] as const) {
    if (source[key] !== undefined) found.push({ key, without: { ...source, [key]: undefined } });
  }
  if (source.read !== undefined || source.write !== undefined) {
    found.push({ key: "paths", without: { ...source, read: undefined, write: undefined } });
  }
  for (const [name, condition] of Object.entries(source.args ?? {})) {
    const { [name]: _, ...others } = source.args ?? {};
    found.push({
      key: `args.${name}`,
      without: { ...source, args: Object.keys(others).length === 0 ? undefined : others },
    });
    const tests = Object.entries(condition).filter(([, value]) => value !== undefined);
    for (const [test] of tests.length < 2 ? [] : tests) {
      const left = Object.fromEntries(tests.filter(([other]) => other !== test));
      found.push({
        key: `args.${name}.${test}`,
        without: { ...source, args: { ...source.args, [name]: left } },
      });
    }
  }
  return found;
}
