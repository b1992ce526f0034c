import { isJsonObject } from "@bylaw/kernel";
import { runInlineCases } from "../load/inline-cases.ts";
import { createLocator } from "../load/toml-locations.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import type { Rule } from "../compile/rule.ts";
import { readToml } from "../load/toml.ts";
import type { ToolTable } from "../compile/tool-table.ts";

/** A case in a policy file, next to its rule. It already ran when the file was loaded. */
export interface InlineCase {
  readonly rule: string;
  readonly kind: "match" | "not_match";
  /** A line for the shell tool, or the name of a tool. */
  readonly text: string;
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
}

/** The inline cases of a file, in the order of the text. */
export function inlineCasesOf({ file, text, compat }: PolicyFile): readonly InlineCase[] {
  if (compat !== undefined || !text.includes("match")) return [];
  const { rules } = readToml(text);
  const paths: (readonly (string | number)[])[] = [];
  const cases: Omit<InlineCase, "line">[] = [];
  for (const [index, rule] of (Array.isArray(rules) ? rules : []).entries()) {
    if (!isJsonObject(rule) || typeof rule["name"] !== "string") continue;
    for (const kind of ["match", "not_match"] as const) {
      const given = rule[kind];
      const list: readonly unknown[] = Array.isArray(given) ? given : [given];
      for (const [at, item] of list.entries()) {
        if (typeof item !== "string") continue;
        paths.push(Array.isArray(given) ? ["rules", index, kind, at] : ["rules", index, kind]);
        cases.push({ rule: rule["name"], kind, text: item, file });
      }
    }
  }
  const places = createLocator(text).at(paths);
  return cases
    .map((one, at) => ({ ...one, line: places[at]?.line ?? 1 }))
    .toSorted((a, b) => a.line - b.line);
}

/** Whether a rule passes an inline case. */
export function holds(rule: Rule, { kind, text }: InlineCase, tools: ToolTable): boolean {
  let wrong = false;
  runInlineCases(rule, { [kind]: text }, tools, () => {
    wrong = true;
  });
  return !wrong;
}
