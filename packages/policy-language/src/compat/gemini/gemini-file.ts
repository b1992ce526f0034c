import type { JsonObject } from "@bylaw/kernel";
import { reportIssues, type Findings, type Path } from "../../load/findings.ts";
import { geminiFileSchema, geminiRuleSchema } from "./gemini-schema.ts";
import { compileGeminiRule, type GeminiRule } from "./gemini-rule.ts";
import { geminiPolicy } from "./gemini-policy.ts";
import type { Locator } from "../../load/toml-locations.ts";
import type { PolicyFile } from "../../load/policy-file.ts";
import { boundDefault } from "../../load/tier-limit.ts";
import type { ToolTable } from "../../compile/tool-table.ts";

/** Reads a file with `compat = "gemini"`. `writable`: agents could write the file. Throws PolicyError. */
export function geminiFile(
  data: JsonObject,
  text: string,
  {
    file,
    tools,
    writable,
  }: { readonly file: string; readonly tools: ToolTable; readonly writable: boolean },
  findings: Findings,
  locator: Locator,
): PolicyFile {
  const { safety_checker, ...rest } = data;
  if (safety_checker !== undefined) {
    findings.error(
      ["safety_checker"],
      "`safety_checker` is not supported: the checkers are programs that only gemini-cli has, and a rule without its checker allows more",
      "Remove it, and write rules for what it blocks: `paths` in the language of Bylaw covers what `allowed-path` does",
    );
  }
  const parsed = geminiFileSchema.safeParse(rest);
  if (!parsed.success) reportIssues(parsed.error.issues, [], rest, findings, "gemini");
  const items = Array.isArray(data["rule"]) ? (data["rule"] as readonly unknown[]) : [];
  const places = locator.rules("rule");
  const rules: GeminiRule[] = [];
  for (const [index, item] of items.entries()) {
    if (findings.full) break;
    const path: Path = ["rule", index];
    const result = geminiRuleSchema.safeParse(item);
    if (!result.success) {
      reportIssues(result.error.issues, path, item as JsonObject, findings, "gemini");
      continue;
    }
    const { data: raw } = result;
    const line = places[index]?.line ?? 1;
    if (
      raw.modes !== undefined &&
      raw.modes.length > 0 &&
      raw.modes.every((mode) => mode === "plan")
    ) {
      findings.warn(
        [...path, "modes"],
        "The rule never matches: it holds only in the mode `plan`, and Bylaw has only default, autoEdit and yolo",
        "Use `phase` in the language of Bylaw, or remove the rule",
      );
    }
    const rule = compileGeminiRule(raw, { file, line, index }, (key, message, fix) =>
      findings.error([...path, ...key], message, fix),
    );
    if (rule !== undefined) rules.push(rule);
  }
  const effect = boundDefault(parsed.data?.default, { lowered: writable }, findings);
  const compatPolicy = geminiPolicy({ file, default: effect, tools }, rules);
  return { file, compat: "gemini", rules: [], compatPolicy, warnings: findings.settle(), text };
}
