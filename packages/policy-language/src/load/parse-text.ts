import type { JsonObject } from "@bylaw/kernel";
import { TomlError } from "smol-toml";
import { PolicyError, quote, type PolicyFinding } from "./finding.ts";
import {
  Findings,
  INVALID,
  reportGemini,
  reportIssues,
  withoutInvalidKeys,
  type Path,
} from "./findings.ts";
import { runInlineCases } from "./inline-cases.ts";
import { checkRule } from "./check-rule.ts";
import { isInside, POLICY_LIMITS, type ParseOptions } from "./parse-options.ts";
import { createLocator, type Locator } from "./toml-locations.ts";
import { geminiFile } from "../compat/gemini/gemini-file.ts";
import { radiumFile } from "../compat/radium/radium-file.ts";
import { compileRule, type Rule, type RuleComplaint } from "../compile/rule.ts";
import { sourceOf } from "./rule-source.ts";
import { fileSchema, ruleSchema } from "./policy-schema.ts";
import { asWritten, normalizeSpelling } from "./legacy-spelling.ts";
import type { PolicyFile } from "./policy-file.ts";
import { boundDefault, boundOffer, boundTier } from "./tier-limit.ts";
import { checkReferences, readMarks } from "./read-marks.ts";
import { readToml } from "./toml.ts";
import { DEFAULT_TOOLS } from "../compile/tool-table.ts";

/** Parses and compiles the text of a policy. The text must not have a byte order mark. */
export function parseText(body: string, options: ParseOptions): PolicyFile {
  const { file } = options;
  const fail = (
    message: string,
    fix: string | undefined,
    line = 1,
    column = 1,
    cause?: unknown,
  ): never => {
    const finding: PolicyFinding = {
      code: INVALID,
      message,
      ...(fix === undefined ? {} : { fix }),
      file,
      line,
      column,
      severity: "error",
    };
    throw new PolicyError([finding], cause);
  };
  if (body.length > POLICY_LIMITS.characters) {
    fail(
      `The policy has ${body.length} characters; the limit is ${POLICY_LIMITS.characters}`,
      "Split the policy into several files",
    );
  }
  let data: JsonObject = {};
  try {
    data = readToml(body);
  } catch (error) {
    if (error instanceof TomlError) {
      const kind = /\.(?:ya?ml|json[c5]?|[cm]?[jt]s)$/i.exec(file)?.[0];
      if (kind !== undefined) {
        const what = `${quote(file)} is not a TOML file, and a policy must be one`;
        fail(what, "Write the policy in a file that ends in `.toml`", 1, 1, error);
      }
      const why = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
      fail(`Invalid TOML: ${why}`, undefined, error.line, error.column, error);
    }
    fail("Invalid TOML", undefined, 1, 1, error);
  }
  const locator = createLocator(body);
  const findings = new Findings(file, locator);
  const { compat } = data;
  const key = compat === "gemini" ? "rule" : "rules";
  const rawRules = data[key];
  if (Array.isArray(rawRules) && rawRules.length > POLICY_LIMITS.rules) {
    findings.error(
      [key],
      `The policy has ${rawRules.length} rules; the limit is ${POLICY_LIMITS.rules}`,
    );
    findings.settle();
  }
  if (compat === "gemini") {
    const { tools = DEFAULT_TOOLS } = options;
    return geminiFile(data, body, { file, tools, writable: isInside(options) }, findings, locator);
  }
  return compat === "radium"
    ? radiumFile(data, body, options, findings, locator)
    : bylawFile(data, body, options, findings, locator);
}

function bylawFile(
  data: JsonObject,
  text: string,
  options: ParseOptions,
  findings: Findings,
  locator: Locator,
): PolicyFile {
  const { file, tools = DEFAULT_TOOLS } = options;
  if (Object.hasOwn(data, "approval_mode")) {
    findings.error(
      ["approval_mode"],
      "`approval_mode` belongs in the configuration, not at the top of a policy",
      'Set it in bylaw.config, or put `compat = "radium"` at the top to read the whole file as Radium does',
    );
  }
  const { approval_mode: _, rule, ...others } = data;
  const rest: JsonObject =
    rule === undefined || reportGemini(data, findings) ? others : { ...others, rule };
  const parsed = fileSchema.safeParse(rest);
  if (!parsed.success) reportIssues(parsed.error.issues, [], rest, findings);
  const items = Array.isArray(data["rules"]) ? (data["rules"] as readonly unknown[]) : [];
  const lowered = isInside(options);
  const names = new Map<string, number>();
  const rules: Rule[] = [];
  const placed: { readonly rule: Rule; readonly path: Path }[] = [];
  const places = locator.rules();
  const rawMarks = Array.isArray(data["marks"]) ? (data["marks"] as readonly unknown[]) : [];
  const read = readMarks(rawMarks, { file, tools, findings, locator });
  for (const [index, item] of items.entries()) {
    if (findings.full && findings.errors > 0) break;
    const line = places[index]?.line ?? 1;
    const path: Path = ["rules", index];
    const settled = normalizeSpelling(item, path, findings);
    let result = ruleSchema.safeParse(settled);
    if (!result.success) {
      reportIssues(result.error.issues, path, settled, findings);
      // Check the rest of the rule without the wrong keys, so that one run reports every mistake.
      result = ruleSchema.safeParse(withoutInvalidKeys(settled, result.error.issues, index));
      if (!result.success) continue;
    }
    const raw = result.data;
    const first = names.get(raw.name);
    if (first !== undefined) {
      findings.error(
        [...path, "name"],
        `Another rule is named ${quote(raw.name)}, on line ${places[first]?.line ?? 1}. Names are unique in a file`,
      );
    } else names.set(raw.name, index);
    const source = sourceOf(raw, file, line, path, findings);
    if (source === undefined) continue;
    const bounds = { lowered, place: options.place, stated: raw.priority !== undefined };
    const bounded = boundOffer(boundTier(source, bounds, path, findings), bounds, path, findings);
    const at = (key: Path): Path => [...path, ...asWritten(item, key)];
    const wrong: RuleComplaint = (key, message, fix) => findings.error(at(key), message, fix);
    const rule = compileRule(bounded, wrong);
    if (rule === undefined) continue;
    checkRule(rule, raw, tools, wrong, (key, message, fix) => findings.warn(at(key), message, fix));
    runInlineCases(rule, raw, tools, wrong);
    rules.push(rule);
    placed.push({ rule, path });
  }
  checkReferences(placed, read, findings);
  const effect = boundDefault(parsed.data?.default, { lowered }, findings);
  const warnings = findings.settle();
  return {
    ...{ file, rules, warnings, text },
    ...(effect === undefined ? {} : { default: effect }),
    ...(read.marks.length === 0 ? {} : { marks: read.marks }),
  };
}
