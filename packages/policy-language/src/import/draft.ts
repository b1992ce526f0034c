import type { Effect } from "@bylaw/kernel";
import { PolicyError, type PolicyFinding } from "../load/finding.ts";
import { parsePolicy } from "../load/parse-policy.ts";
import type { Tier } from "../compile/rule.ts";
import type { ImportFinding, ImportedPolicy, SourcePlace } from "./finding.ts";
import { comment, tomlOf, type TomlTable } from "./toml.ts";

/** The keys of a rule except its name, priority and action. */
export type RuleKeys = TomlTable;

/** One way to write a rule. `note` says how it differs from the source. */
export interface Candidate {
  readonly keys: RuleKeys;
  readonly note?: string;
  /** Inline cases of the source. Cases that fail in Bylaw are left out. */
  readonly match?: readonly string[];
  readonly not_match?: readonly string[];
}

interface Drafted {
  readonly effect: Effect;
  readonly tier: Tier;
  readonly keys: RuleKeys;
  readonly name: string;
  readonly place: SourcePlace;
}

/** Collects the rules of an import. Each rule is test-loaded first, so that the result always loads. */
export class Draft {
  readonly #findings: ImportFinding[] = [];
  readonly #rules: Drafted[] = [];
  readonly #names = new Set<string>();
  #doubt: SourcePlace | undefined = undefined;
  #default: Effect = "ask_user";

  /** Reports what happened to a place in the source. */
  find(severity: ImportFinding["severity"], place: SourcePlace, message: string): void {
    const { file, line, column, source } = place;
    this.#findings.push({ severity, file, line, column, source, message });
  }

  /** Reports something that cannot be read and may have denied or asked. After that, every allow of the result becomes an ask. */
  doubt(place: SourcePlace, message: string): void {
    this.find("lost", place, message);
    this.#doubt ??= place;
  }

  /** Reports a rule that cannot be carried over. Unless it certainly was an allow, this puts every allow in doubt. */
  lose(effect: unknown, place: SourcePlace, message: string): void {
    if (effect === "allow") this.find("lost", place, message);
    else this.doubt(place, message);
  }

  /** Sets the effect for calls that no rule covers. The strictest of several counts. */
  setDefault(effect: Exclude<Effect, "allow">): void {
    if (effect === "deny") this.#default = effect;
  }

  /** Adds the first candidate that loads without a finding. If none does, reports why and returns false. */
  add(
    effect: Effect,
    place: SourcePlace,
    candidates: readonly Candidate[],
    tier: Tier = "default",
  ): boolean {
    let why = "the policy language cannot express it";
    for (const { keys, note, match = [], not_match = [] } of candidates) {
      const problem = problemOf(effect, keys);
      if (problem !== undefined) {
        why = problem.message;
        continue;
      }
      const cases = {
        ...this.#holding("match", match, effect, keys, place),
        ...this.#holding("not_match", not_match, effect, keys, place),
      };
      if (note !== undefined) this.find("stricter", place, note);
      this.#rules.push({
        effect,
        tier,
        keys: { ...keys, ...cases },
        name: this.#nameOf(effect, place),
        place,
      });
      return true;
    }
    this.lose(effect, place, why);
    return false;
  }

  #holding(
    key: "match" | "not_match",
    cases: readonly string[],
    effect: Effect,
    keys: RuleKeys,
    place: SourcePlace,
  ): RuleKeys {
    const holding = cases.filter((text) => {
      const problem = problemOf(effect, { ...keys, [key]: [text] });
      if (problem !== undefined)
        this.find(
          "stricter",
          place,
          `the case ${JSON.stringify(text)} of \`${key}\` fails in Bylaw: ${problem.message}`,
        );
      return problem === undefined;
    });
    return holding.length === 0 ? {} : { [key]: holding };
  }

  #nameOf(effect: Effect, { source, label = source }: SourcePlace): string {
    const slug = label
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 48)
      .replace(/-+$/, "");
    const base = `${effect === "ask_user" ? "ask" : effect}-${slug === "" ? "rule" : slug}`;
    let name = base;
    for (let count = 2; this.#names.has(name); count++) name = `${base}-${count}`;
    this.#names.add(name);
    return name;
  }

  /** Returns the policy. `title` becomes its first comment. */
  finish(title: string): ImportedPolicy {
    const doubt = this.#doubt;
    const lowered = doubt !== undefined && this.#rules.some(({ effect }) => effect === "allow");
    if (lowered) {
      this.find(
        "stricter",
        doubt,
        "something that cannot be carried over may have denied, so every imported allow asks instead; write that rule by hand, then set the others back to allow",
      );
    }
    const lines = [...comment(title), `default = ${JSON.stringify(this.#default)}`];
    for (const { effect, tier, keys, name, place } of this.#rules) {
      const action = lowered && effect === "allow" ? "ask_user" : effect;
      const shown = action === effect ? keys : withoutCases(keys);
      lines.push("", ...comment(`${place.file}:${place.line}: ${place.source}`), "[[rules]]");
      lines.push(
        ...tomlOf({ name, ...(tier === "default" ? {} : { priority: tier }), action, ...shown }),
      );
    }
    const toml = `${lines.join("\n")}\n`;
    const file = parsePolicy(toml, { file: "imported.toml" });
    const [warning] = file.warnings;
    if (warning !== undefined) throw new PolicyError([{ ...warning, severity: "error" }]);
    const findings = this.#findings.toSorted((a, b) =>
      a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line || a.column - b.column,
    );
    return { toml, rules: this.#rules.length, findings };
  }
}

// An ask matches more than the allow that it replaces, so the cases of the allow may fail.
function withoutCases(keys: RuleKeys): RuleKeys {
  const { match: _, not_match: __, ...rest } = keys;
  return rest;
}

function problemOf(effect: Effect, keys: RuleKeys): PolicyFinding | undefined {
  try {
    // An allow may be lowered to an ask later, so it must load as both.
    const actions = effect === "allow" ? ["allow", "ask_user"] : [effect];
    for (const action of actions) {
      const shown = action === effect ? keys : withoutCases(keys);
      const [warning] = parsePolicy(
        ["[[rules]]", ...tomlOf({ name: "r", action, ...shown })].join("\n"),
        { file: "rule" },
      ).warnings;
      if (warning !== undefined) return warning;
    }
    return undefined;
  } catch (error) {
    if (error instanceof PolicyError) return error.findings[0];
    throw error;
  }
}
