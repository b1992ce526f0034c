import type { z } from "zod";
import type { ConditionSource } from "../match/value-test.ts";
import type { Findings, Path } from "./findings.ts";
import type { RuleSource, Tier } from "../compile/rule.ts";
import type { ruleSchema } from "./policy-schema.ts";
import type { MarkReference } from "../marks/mark-reference.ts";
import { msOf } from "./span.ts";
import { readWhen } from "./read-when.ts";

/** A rule as the schema returns it. */
export type RawRule = z.output<typeof ruleSchema>;

const list = <T extends string>(value: T | readonly T[] | undefined): readonly T[] | undefined =>
  typeof value === "string" ? [value] : value;

function referenceOf(raw: RawRule["after"]): MarkReference | undefined {
  if (raw === undefined) return undefined;
  if (typeof raw === "string" || Array.isArray(raw)) return { marks: list(raw) ?? [], times: 1 };
  const { mark, times = 1, within } = raw;
  return { marks: [mark], times, ...(within === undefined ? {} : { within: msOf(within) }) };
}

/** Normalizes the short forms of a rule. If two keys say the same thing, reports that and returns undefined. */
export function sourceOf(
  raw: RawRule,
  file: string,
  line: number,
  path: Path,
  findings: Findings,
): RuleSource | undefined {
  const before = findings.errors;
  reportConflicts(raw, path, findings);
  const when =
    raw.when === undefined
      ? undefined
      : readWhen(raw.when, [...path, "when"], { findings, allow: raw.action === "allow" });
  if (findings.errors > before) return undefined;
  const { pattern } = raw;
  const isCommand = pattern !== undefined && /\s/.test(pattern);
  return {
    name: raw.name,
    tier: raw.priority ?? ("default" satisfies Tier),
    effect: raw.action,
    tool: isCommand ? undefined : (pattern ?? raw.tool),
    command: isCommand ? [pattern] : list(raw.command),
    command_regex: raw.command_regex,
    effects: list(raw.effects),
    server: raw.server,
    ...pathsOf(raw.paths),
    network: list(raw.network),
    args: raw.args as Readonly<Record<string, ConditionSource>> | undefined,
    agent: list(raw.agent),
    phase: list(raw.phase),
    modes: list(raw.approval_mode ?? raw.modes),
    interactive: raw.interactive,
    when,
    after: referenceOf(raw.after),
    unless_after: referenceOf(raw.unless_after),
    input: raw.input,
    git_ignored: raw.git_ignored,
    overrides: list(raw.overrides),
    reason: raw.reason,
    fix: raw.fix,
    instead: raw.instead,
    shadow: raw.shadow ?? false,
    final: raw.final ?? false,
    file,
    line,
  };
}

function reportConflicts(raw: RawRule, path: Path, findings: Findings): void {
  for (const key of ["tool", "command", "command_regex"] as const) {
    if (raw.pattern === undefined || raw[key] === undefined) continue;
    findings.error(
      [...path, "pattern"],
      `Use \`pattern\` or \`${key}\`, not both`,
      "Remove `pattern`, which is the short form of the others",
    );
  }
  if (raw.modes !== undefined && raw.approval_mode !== undefined) {
    findings.error([...path, "approval_mode"], "Use `modes` or `approval_mode`, not both");
  }
  for (const key of ["match", "not_match"] as const) {
    if (raw.when === undefined || raw[key] === undefined) continue;
    findings.error(
      [...path, key],
      `\`${key}\` cannot test a rule with \`when\`: a case is only part of a call`,
      "Test the rule with whole calls",
    );
  }
}

function pathsOf(paths: RawRule["paths"]): Pick<RuleSource, "read" | "write" | "redirects"> {
  if (typeof paths !== "object" || Array.isArray(paths)) {
    const both = list(paths);
    return { read: both, write: both, redirects: undefined };
  }
  // Only a rule with its own `paths.write` also covers redirections.
  const redirects = paths.write === undefined ? undefined : true;
  return { read: list(paths.read), write: list(paths.write), redirects };
}
