import { checkRule } from "./check-rule.ts";
import { quote } from "./finding.ts";
import { reportIssues, withoutInvalidKeys, type Findings, type Path } from "./findings.ts";
import { runInlineCases } from "./inline-cases.ts";
import { asWritten, normalizeSpelling } from "./legacy-spelling.ts";
import { isInside, type ParseOptions } from "./parse-options.ts";
import { ruleSchema } from "./policy-schema.ts";
import { sourceOf, type RawRule } from "./rule-source.ts";
import type { TextPlace } from "./text-places.ts";
import { boundOffer, boundTier } from "./tier-limit.ts";
import { compileRule, type Rule, type RuleComplaint } from "../compile/rule.ts";
import type { ToolTable } from "../compile/tool-table.ts";

interface RuleFile extends ParseOptions {
  readonly tools: ToolTable;
  readonly findings: Findings;
  /** The positions of the rules, in order. */
  readonly places: readonly TextPlace[];
}

/** Reads the `[[rules]]` tables of one file, one at a time. */
export class RuleReader {
  readonly #in: RuleFile;
  /** The index of the first rule with each name. */
  readonly #names = new Map<string, number>();

  constructor(file: RuleFile) {
    this.#in = file;
  }

  /** Returns the rule, or undefined if it cannot be compiled. Reports every mistake. */
  read(item: unknown, index: number): Rule | undefined {
    const path: Path = ["rules", index];
    const raw = this.#validated(item, index, path);
    if (raw === undefined) return undefined;
    this.#claimName(raw.name, index, path);
    const { file, tools, place, findings } = this.#in;
    const source = sourceOf(raw, file, this.#lineOf(index), path, findings);
    if (source === undefined) return undefined;
    const bounds = { lowered: isInside(this.#in), place, stated: raw.priority !== undefined };
    const bounded = boundOffer(boundTier(source, bounds, path, findings), bounds, path, findings);
    const at = (key: Path): Path => [...path, ...asWritten(item, key)];
    const wrong: RuleComplaint = (key, message, fix) => findings.error(at(key), message, fix);
    const rule = compileRule(bounded, wrong);
    if (rule === undefined) return undefined;
    checkRule(rule, raw, tools, wrong, (key, message, fix) => findings.warn(at(key), message, fix));
    runInlineCases(rule, raw, tools, wrong);
    return rule;
  }

  #validated(item: unknown, index: number, path: Path): RawRule | undefined {
    const settled = normalizeSpelling(item, path, this.#in.findings);
    const result = ruleSchema.safeParse(settled);
    if (result.success) return result.data;
    const { issues } = result.error;
    reportIssues(issues, path, settled, this.#in.findings);
    // Check the rest of the rule without the wrong keys, so that one run reports every mistake.
    return ruleSchema.safeParse(withoutInvalidKeys(settled, issues, index)).data;
  }

  #claimName(name: string, index: number, path: Path): void {
    const first = this.#names.get(name);
    if (first === undefined) return void this.#names.set(name, index);
    this.#in.findings.error(
      [...path, "name"],
      `Another rule is named ${quote(name)}, on line ${this.#lineOf(first)}. Names are unique in a file`,
    );
  }

  readonly #lineOf = (index: number): number => this.#in.places[index]?.line ?? 1;
}
