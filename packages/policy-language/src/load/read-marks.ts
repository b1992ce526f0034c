import type { JsonObject } from "@bylaw/kernel";
import { didYouMean } from "@bylaw/wording";
import type { Rule, RuleComplaint } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import { compileMark, type Mark } from "../marks/mark.ts";
import { checkRule } from "./check-rule.ts";
import { quote } from "./finding.ts";
import { reportIssues, type Findings, type Path } from "./findings.ts";
import { markSchema } from "./policy-schema.ts";
import { sourceOf } from "./rule-source.ts";
import type { Locator } from "./toml-locations.ts";

/** The names of the marks of a file, also of those that are wrong in themselves. */
interface MarkNames {
  readonly names: ReadonlySet<string>;
  /** The name of some mark cannot be read, so it may be any. */
  readonly unnamed: boolean;
}

interface Reading {
  readonly file: string;
  readonly tools: ToolTable;
  readonly findings: Findings;
  readonly locator: Locator;
}

/** Parses the `[[marks]]` of a file and reports mistakes in them. */
export function readMarks(
  items: readonly unknown[],
  { file, tools, findings, locator }: Reading,
): { readonly marks: readonly Mark[]; readonly named: MarkNames } {
  const marks: Mark[] = [];
  const names = new Set<string>();
  let unnamed = false;
  const places = items.length === 0 ? [] : locator.rules("marks");
  for (const [index, item] of items.entries()) {
    const path: Path = ["marks", index];
    const { data, error } = markSchema.safeParse(item);
    if (error !== undefined) {
      reportIssues(error.issues, path, item as JsonObject, findings);
      const name: unknown = (item as { readonly name?: unknown } | null)?.name;
      if (typeof name === "string") names.add(name);
      else unnamed = true;
      continue;
    }
    const { name, outcome, cleared_by = [], ...conditions } = data;
    if (names.has(name))
      findings.error(
        [...path, "name"],
        `Another mark is named ${quote(name)}. Names are unique in a file`,
      );
    names.add(name);
    const line = places[index]?.line ?? 1;
    const source = sourceOf({ name, action: "deny", ...conditions }, file, line, path, findings);
    if (source === undefined) continue;
    const { effect: _, tier: __, shadow, final, ...settled } = source;
    const wrong: RuleComplaint = (key, message, fix) =>
      findings.error([...path, ...key], message, fix);
    const mark = compileMark(
      { ...settled, passed: outcome === "passed", cleared_by: [cleared_by].flat() },
      tools,
      wrong,
    );
    if (mark === undefined) continue;
    checkRule(mark.may, conditions, tools, wrong, () => {});
    marks.push(mark);
  }
  for (const [at, { source }] of marks.entries())
    for (const name of source.cleared_by)
      if (name === source.name || (!unnamed && !names.has(name)))
        findings.error(
          ["marks", at, "cleared_by"],
          names.has(name)
            ? `The mark ${quote(name)} cannot clear itself`
            : `No mark of this file is named ${quote(name)}`,
          didYouMean(name, names),
        );
  return { marks, named: { names, unnamed } };
}

/** Reports unused marks, and rules that name an unknown mark or one that can never be certain. */
export function checkReferences(
  rules: readonly { readonly rule: Rule; readonly path: Path }[],
  { marks, named }: ReturnType<typeof readMarks>,
  findings: Findings,
): void {
  const asked = new Set([
    ...rules.flatMap(({ rule: { source } }) => [
      ...(source.after?.marks ?? []),
      ...(source.unless_after?.marks ?? []),
    ]),
    ...marks.flatMap(({ source }) => source.cleared_by),
  ]);
  for (const [at, { source }] of marks.entries())
    if (!asked.has(source.name))
      findings.warn(
        ["marks", at, "name"],
        `No rule asks about the mark ${quote(source.name)}`,
        "Name it in `after` or `unless_after` of a rule, or remove it",
      );
  const byName = new Map(marks.map((mark) => [mark.source.name, mark]));
  for (const { rule, path } of rules) {
    const { source } = rule;
    for (const key of ["after", "unless_after"] as const) {
      for (const name of source[key]?.marks ?? []) {
        const mark = byName.get(name);
        if (mark === undefined) {
          // A mark that is wrong in itself has been reported where it stands.
          if (!named.unnamed && !named.names.has(name))
            findings.error(
              [...path, key],
              `No mark of this file is named ${quote(name)}`,
              didYouMean(name, named.names) ?? "Define it with `[[marks]]`",
            );
        } else if (mark.sure === undefined && (key === "after") === (source.effect === "allow"))
          findings.error(
            [...path, key],
            `No call can certainly set the mark ${quote(name)}, but this rule needs certainty`,
            "Define the mark like an allow, with exact tools, commands and files",
          );
      }
    }
  }
}
