import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { reportIssues, type Findings, type Path } from "../../load/findings.ts";
import type { Locator } from "../../load/toml-locations.ts";
import type { PolicyFile } from "../../load/policy-file.ts";
import { compileRadium, type RadiumRule } from "./radium-policy.ts";
import { LEGACY_MODES, radiumFileSchema, radiumRuleSchema } from "../../load/policy-schema.ts";

/** Reads a file with `compat = "radium"`. Throws PolicyError. */
export function radiumFile(
  data: JsonObject,
  text: string,
  { file }: { readonly file: string },
  findings: Findings,
  locator: Locator,
): PolicyFile {
  const top: Record<string, unknown> = { ...data };
  const mode = top["approval_mode"];
  if (typeof mode === "string" && Object.hasOwn(LEGACY_MODES, mode))
    top["approval_mode"] = LEGACY_MODES[mode];
  const parsed = radiumFileSchema.safeParse(top);
  if (!parsed.success) reportIssues(parsed.error.issues, [], top as JsonObject, findings, "radium");
  const items = Array.isArray(data["rules"]) ? (data["rules"] as readonly unknown[]) : [];
  const rules: RadiumRule[] = [];
  const places = locator.rules();
  for (const [index, item] of items.entries()) {
    if (findings.full) break;
    const path: Path = ["rules", index];
    const rule: Record<string, unknown> = isJsonObject(item) ? { ...item } : {};
    if (rule["action"] === "askuser" || rule["action"] === "dry_run_first")
      rule["action"] = "ask_user";
    if (Object.hasOwn(rule, "pattern") && !Object.hasOwn(rule, "tool_pattern")) {
      rule["tool_pattern"] = rule["pattern"];
      delete rule["pattern"];
    }
    const result = radiumRuleSchema.safeParse(isJsonObject(item) ? rule : item);
    if (!result.success)
      reportIssues(result.error.issues, path, rule as JsonObject, findings, "radium");
    else rules.push({ ...result.data, path, line: places[index]?.line ?? 1 });
  }
  const compatPolicy = compileRadium(
    { file, mode: parsed.data?.approval_mode ?? "ask" },
    rules,
    (path, message, fix) => findings.error(path, message, fix),
  );
  return { file, compat: "radium", rules: [], compatPolicy, warnings: findings.settle(), text };
}
