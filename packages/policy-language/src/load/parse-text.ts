import type { JsonObject } from "@bylaw/kernel";
import { TomlError } from "smol-toml";
import { PolicyError, quote } from "./finding.ts";
import { Findings, INVALID, reportGemini, reportIssues, type Path } from "./findings.ts";
import { isInside, POLICY_LIMITS, type ParseOptions } from "./parse-options.ts";
import { createLocator, type Locator } from "./toml-locations.ts";
import { geminiFile } from "../compat/gemini/gemini-file.ts";
import { radiumFile } from "../compat/radium/radium-file.ts";
import type { Rule } from "../compile/rule.ts";
import { fileSchema } from "./policy-schema.ts";
import type { PolicyFile } from "./policy-file.ts";
import { boundDefault } from "./tier-limit.ts";
import { checkReferences, readMarks } from "./read-marks.ts";
import { RuleReader } from "./rule-reader.ts";
import { readToml } from "./toml.ts";
import { DEFAULT_TOOLS } from "../compile/tool-table.ts";

/** Parses and compiles the text of a policy. The text must not have a byte order mark. */
export function parseText(body: string, options: ParseOptions): PolicyFile {
  const { file } = options;
  const data = readDocument(body, file);
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

interface Fault {
  readonly fix?: string;
  readonly line?: number;
  readonly column?: number;
  readonly cause?: unknown;
}

function unreadable(file: string, message: string, fault: Fault): PolicyError {
  const { fix, line = 1, column = 1, cause } = fault;
  const code = INVALID;
  const shown = fix === undefined ? {} : { fix };
  return new PolicyError(
    [{ code, message, ...shown, file, line, column, severity: "error" }],
    cause,
  );
}

function readDocument(body: string, file: string): JsonObject {
  if (body.length > POLICY_LIMITS.characters) {
    throw unreadable(
      file,
      `The policy has ${body.length} characters; the limit is ${POLICY_LIMITS.characters}`,
      { fix: "Split the policy into several files" },
    );
  }
  try {
    return readToml(body);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw unreadable(file, "Invalid TOML", { cause });
    if (/\.(?:ya?ml|json[c5]?|[cm]?[jt]s)$/i.test(file)) {
      throw unreadable(file, `${quote(file)} is not a TOML file, and a policy must be one`, {
        fix: "Write the policy in a file that ends in `.toml`",
        cause,
      });
    }
    const { line, column, message } = cause;
    const why = (message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
    throw unreadable(file, `Invalid TOML: ${why}`, { line, column, cause });
  }
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
  const { approval_mode: _, rule: foreign, ...others } = data;
  const rest: JsonObject =
    foreign === undefined || reportGemini(data, findings) ? others : { ...others, rule: foreign };
  const parsed = fileSchema.safeParse(rest);
  if (!parsed.success) reportIssues(parsed.error.issues, [], rest, findings);
  const read = readMarks(listIn(data, "marks"), { file, tools, findings, locator });
  const reader = new RuleReader({ ...options, tools, findings, places: locator.rules() });
  const placed: { readonly rule: Rule; readonly path: Path }[] = [];
  for (const [index, item] of listIn(data, "rules").entries()) {
    if (findings.full && findings.errors > 0) break;
    const rule = reader.read(item, index);
    if (rule !== undefined) placed.push({ rule, path: ["rules", index] });
  }
  checkReferences(placed, read, findings);
  const effect = boundDefault(parsed.data?.default, { lowered: isInside(options) }, findings);
  const warnings = findings.settle();
  return {
    ...{ file, rules: placed.map(({ rule }) => rule), warnings, text },
    ...(effect === undefined ? {} : { default: effect }),
    ...(read.marks.length === 0 ? {} : { marks: read.marks }),
  };
}

const listIn = (data: JsonObject, key: string): readonly unknown[] => {
  const value = data[key];
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
};
