import type { ApprovalMode } from "@bylaw/kernel";
import type { ConditionSource } from "../match/value-test.ts";
import type { EffectName } from "@bylaw/shell";
import { expand } from "../match/glob.ts";
import type { RuleSource } from "../compile/rule.ts";
import type { WhenSource } from "../compile/when-source.ts";

/** The conditions of a rule, with braces and pipes expanded. Undefined: the rule has no such condition. */
export interface Shape {
  readonly tools: readonly string[] | undefined;
  readonly servers: readonly string[] | undefined;
  /** The word patterns, with single spaces between words. */
  readonly commands: readonly string[] | undefined;
  readonly regex: string | undefined;
  readonly effects: readonly EffectName[] | undefined;
  readonly read: readonly string[] | undefined;
  readonly write: readonly string[] | undefined;
  readonly network: readonly string[] | undefined;
  readonly args: Readonly<Record<string, ConditionSource>> | undefined;
  readonly agents: readonly string[] | undefined;
  readonly phases: readonly string[] | undefined;
  readonly modes: readonly ApprovalMode[] | undefined;
  readonly interactive: boolean | undefined;
  readonly input: false | undefined;
  readonly gitIgnored: true | undefined;
  readonly when: WhenSource | undefined;
  /** The marks that the rule asks about, with their file. */
  readonly past: object | undefined;
  readonly overrides: readonly string[] | undefined;
}

const each = (list: readonly string[] | undefined): readonly string[] | undefined =>
  list?.flatMap((item) => expand(item));
const piped = (text: string | undefined): readonly string[] | undefined =>
  text === undefined ? undefined : expand(text, { pipes: true });

/** Extracts the conditions of a rule that has compiled. */
export function shapeOf(source: RuleSource): Shape {
  return {
    tools: piped(source.tool),
    servers: piped(source.server),
    commands: each(source.command)?.map((pattern) => pattern.trim().replaceAll(/[ \t]+/g, " ")),
    regex: source.command_regex,
    effects: source.effects,
    read: each(source.read),
    write: each(source.write),
    network: each(source.network),
    args: source.args,
    agents: each(source.agent),
    phases: each(source.phase),
    modes: source.modes,
    interactive: source.interactive,
    input: source.input,
    gitIgnored: source.git_ignored,
    when: source.when,
    past: earlierMarksOf(source),
    overrides: source.overrides,
  };
}

const earlierMarksOf = ({ after, unless_after, file }: RuleSource): object | undefined =>
  (after ?? unless_after) === undefined ? undefined : { after, unless_after, file };

/** Returns the same text for the same conditions, in whatever order they are written. */
export function shapeKey(shape: Shape): string {
  return JSON.stringify(shape, (_key, value: unknown) => {
    if (Array.isArray(value))
      return value.every((item) => typeof item === "string")
        ? [...new Set<string>(value)].toSorted()
        : value;
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
