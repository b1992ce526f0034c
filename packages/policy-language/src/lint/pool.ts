import { isConditional } from "../compile/written-rule.ts";
import { type Effect, type JsonObject, type ToolCall } from "@bylaw/kernel";
import { stricter } from "../compile/strictness.ts";
import { createLocator } from "../load/toml-locations.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { compilePolicy } from "../decide/policy-pool.ts";
import { asWritten } from "../load/legacy-spelling.ts";
import { rankRules } from "../decide/rule-matcher.ts";
import { readToml } from "../load/toml.ts";
import type { ToolTable } from "../compile/tool-table.ts";
import type { LintCheck, LintFinding, LintPool, LintReport, LintRule } from "./check.ts";
import { shapeOf } from "./shape.ts";

interface Draft {
  readonly check: LintCheck;
  readonly rule: LintRule;
  readonly key: readonly (string | number)[];
  readonly message: string;
  readonly fix: string | undefined;
}

/** A rule as it appears in the text of its file. */
interface Item {
  readonly index: number;
  readonly item: JsonObject;
}

/** Lints files that load, as one pool: runs every check and finds the positions of the findings. */
export function lintFiles(
  files: readonly PolicyFile[],
  checks: readonly LintCheck[],
  tools: ToolTable,
): readonly LintFinding[] {
  const origins = new Map<LintRule, Item & { readonly file: PolicyFile }>();
  const ranks = new Map(
    rankRules(files.flatMap(({ rules }) => rules)).map(({ rule, rank }) => [rule, rank]),
  );
  for (const file of files) {
    const items = file.rules.length === 0 ? new Map<unknown, Item>() : itemsOf(file.text);
    for (const rule of file.rules) {
      const { index, item } = items.get(rule.source.name) ?? { index: 0, item: {} };
      const { match } = item;
      const cases = (
        typeof match === "string" ? [match] : Array.isArray(match) ? match : []
      ).filter((one) => typeof one === "string");
      const { source } = rule;
      origins.set(
        { rule, source, shape: shapeOf(source), cases, rank: ranks.get(rule) ?? 0 },
        { file, index, item },
      );
    }
  }
  const pool = poolOf([...origins.keys()], files, tools);
  const drafts: Draft[] = [];
  for (const check of checks) {
    const report: LintReport = (rule, key, message, fix) =>
      drafts.push({
        check,
        rule,
        key,
        message: inLine(message),
        fix: fix === undefined ? undefined : inLine(fix),
      });
    check.check(pool, report);
  }
  return files.flatMap((file) => {
    const own = drafts.filter(({ rule }) => origins.get(rule)?.file === file);
    if (own.length === 0) return [];
    const paths = own.map(({ rule, key }) => {
      const { index = 0, item = {} } = origins.get(rule) ?? {};
      return ["rules", index, ...asWritten(item, key)];
    });
    const places = createLocator(file.text).at(paths);
    return own.map(({ check, message, fix }, at) => {
      const { line, column } = places[at] ?? { line: 1, column: 1 };
      const { code, severity } = check;
      return {
        file: file.file,
        line,
        column,
        code,
        severity,
        message,
        ...(fix === undefined ? {} : { fix }),
      };
    });
  });
}

// Names, patterns and lines may contain line breaks, but a message is one line.
const inLine = (text: string): string =>
  text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

// By name, which is unique in a file. An index does not work, because the text still contains rules that `without` removed.
function itemsOf(text: string): ReadonlyMap<unknown, Item> {
  const { rules = [] } = readToml(text) as { readonly rules?: readonly JsonObject[] };
  return new Map(rules.map((item, index) => [item["name"], { index, item }]));
}

function poolOf(
  rules: readonly LintRule[],
  files: readonly PolicyFile[],
  tools: ToolTable,
): LintPool {
  const plain = files.map((file) => ({
    ...file,
    rules: file.rules.filter(({ source }) => !isConditional(source)),
  }));
  const pool = compilePolicy(plain, { tools });
  const fallback = pool.fallback ?? "ask_user";
  const effects = (call: ToolCall): readonly Effect[] =>
    (pool.evaluate(call) ?? []).filter(({ shadow }) => shadow !== true).map(({ effect }) => effect);
  return {
    rules,
    tools,
    fallback,
    effectOf(call) {
      const [first, ...more] = effects(call);
      return first === undefined ? fallback : more.reduce(stricter, first);
    },
    votes: (call) => effects(call).length > 0,
  };
}
