import { BylawError, isJsonObject, type JsonObject } from "@bylaw/kernel";
import { TomlError } from "smol-toml";
import { withoutMark } from "../load/byte-order-mark.ts";
import { geminiRuleSchema } from "../compat/gemini/gemini-schema.ts";
import { createLocator } from "../load/toml-locations.ts";
import { readToml } from "../load/toml.ts";
import { Draft, type RuleKeys } from "./draft.ts";
import { SHELL_TOOLS } from "./literal.ts";
import type { ImportedPolicy, ImportInput, SourcePlace } from "./finding.ts";
import { geminiRule, type GeminiImport } from "./gemini-rule.ts";
import { readGeminiSettings } from "./gemini-settings.ts";
import { tiersOf } from "./tiers.ts";

/** Translates gemini-cli's policy files, and the lists of tools and servers of its settings.json, into a policy. */
export function importGemini(inputs: readonly ImportInput[]): ImportedPolicy {
  const draft = new Draft();
  const rules = inputs.flatMap((input) =>
    isSettings(input.text) ? readGeminiSettings(input, draft) : readPolicy(input, draft),
  );
  const { tiers, merged } = tiersOf(rules);
  const places = placesOf(inputs);
  const mixed =
    places.size > 1 && rules.some(({ effect }) => effect === "allow")
      ? rules.find(({ effect }) => effect !== "allow")
      : undefined;
  if (mixed !== undefined) {
    draft.find(
      "stricter",
      mixed.place,
      `the owners and the order of these files are unknown, so every deny and ask overrides every allow`,
    );
  }
  const carried = new Set<GeminiImport>();
  let reported = false;
  for (const [at, rule] of rules.entries()) {
    if (merged.has(rule) && !reported) {
      reported = true;
      draft.find(
        "stricter",
        rule.place,
        "Bylaw has only four tiers, so from this rule down the strictest rule decides, whatever its priority",
      );
    }
    for (const ways of rule.ways) {
      // A rule that covers more than its source must not override a deny. As a `final` rule it only sets a minimum.
      const candidates = ways.map((way) =>
        (way.note !== undefined && rule.effect === "ask_user") ||
        (mixed !== undefined && rule.effect !== "allow")
          ? { ...way, keys: { ...way.keys, final: true } }
          : way,
      );
      if (draft.add(rule.effect, rule.place, candidates, tiers[at])) carried.add(rule);
    }
  }
  for (const { place, keys } of floorsOf([...carried]))
    draft.add("ask_user", place, [{ keys: { ...keys, final: true } }]);
  return draft.finish(
    `Imported from gemini-cli's policy: ${inputs.map(({ file }) => file).join(", ")}`,
  );
}

// The lines that gemini-cli asks about although a rule allows them. As `final` rules, these override every allow, but no deny.
function floorsOf(
  rules: readonly GeminiImport[],
): readonly { readonly place: SourcePlace; readonly keys: RuleKeys }[] {
  const named = (rule: GeminiImport, label: string): SourcePlace => ({
    ...rule.place,
    source: `${label} under ${rule.place.source}`,
    label,
  });
  const redirected = rules.find(({ asks }) => asks?.redirections === true);
  const modes = new Set(rules.flatMap(({ asks }) => asks?.dangerous ?? []));
  const dangerous = rules.find(({ asks }) => asks !== undefined && asks.dangerous.length > 0);
  return [
    ...(redirected === undefined
      ? []
      : [
          {
            place: named(redirected, "redirections"),
            keys: { tool: SHELL_TOOLS, args: { command: { regex: ".*[<>].*" } }, modes: ["ask"] },
          },
        ]),
    ...(dangerous === undefined
      ? []
      : [
          {
            place: named(dangerous, "dangerous commands"),
            keys: { command: DANGEROUS, modes: [...modes] },
          },
        ]),
  ];
}

// The other commands on gemini-cli's list run, write or load something, which an allow covers only if it says so.
const DANGEROUS = ["rm *", "rmdir *", "unlink *", "ln -s *", "base64 -o *"];

const isSettings = (text: string): boolean => /^\s*(?:\uFEFF)?[{/]/.test(text);

// gemini-cli ranks files by their folder. The lists of settings.json rank with the user's policies.
function placesOf(inputs: readonly ImportInput[]): ReadonlySet<string> {
  return new Set(
    inputs.map(({ file, text, scope }) =>
      isSettings(text) || scope === "user"
        ? "user"
        : `in ${file.replaceAll("\\", "/").replace(/[^/]*$/, "")}`,
    ),
  );
}

function readPolicy({ file, text }: ImportInput, draft: Draft): readonly GeminiImport[] {
  const body = withoutMark(text);
  const { rule: items, compat: _, ...others } = documentOf(body, file);
  const locator = createLocator(body);
  const keys = Object.keys(others);
  for (const [index, place] of locator.at(keys.map((key) => [key])).entries())
    reportKey(keys[index] ?? "", { file, ...place, source: keys[index] ?? "" }, draft);
  const places = locator.rules("rule");
  const rules: readonly unknown[] = Array.isArray(items) ? items : [];
  return rules.flatMap((item, index) => {
    const raw: JsonObject = isJsonObject(item) ? item : {};
    const { line, column } = places[index] ?? { line: 1, column: 1 };
    return readRule(raw, { file, line, column, ...summary(raw) }, draft) ?? [];
  });
}

function reportKey(key: string, place: SourcePlace, draft: Draft): void {
  if (key === "safety_checker")
    draft.doubt(
      place,
      "a safety checker is a program that only gemini-cli has; write rules for what it blocks",
    );
  else
    draft.find(
      "lost",
      place,
      `gemini-cli drops \`${key}\` silently${key === "rules" ? ": the rules are named `[[rule]]`" : ""}`,
    );
}

function readRule(raw: JsonObject, place: SourcePlace, draft: Draft): GeminiImport | undefined {
  const { decision } = raw;
  const isKnown = (key: string): boolean => Object.hasOwn(geminiRuleSchema.shape, key);
  const unknown = Object.keys(raw).filter((key) => !isKnown(key));
  const dropped = `gemini-cli drops \`${unknown.join("`, `")}\` silently`;
  if (unknown.length > 0 && decision === "allow") {
    draft.find("lost", place, `${dropped}, so the allow covers more than its text says`);
    return undefined;
  }
  const kept = Object.fromEntries(Object.entries(raw).filter(([key]) => isKnown(key)));
  const parsed = geminiRuleSchema.safeParse(kept);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    draft.lose(
      decision,
      place,
      `gemini-cli rejects the file: \`${issue?.path.join(".") ?? ""}\` must be ${issue?.message ?? "something else"}`,
    );
    return undefined;
  }
  if (unknown.length > 0) draft.find("note", place, `${dropped}, and so does the import`);
  const read = geminiRule(parsed.data, place, draft);
  if (typeof read !== "string") return read;
  draft.lose(decision, place, read);
  return undefined;
}

function documentOf(text: string, file: string): JsonObject {
  try {
    return readToml(text);
  } catch (error) {
    const at = error instanceof TomlError ? { line: error.line, column: error.column } : {};
    throw new BylawError({
      code: "BYLAW_IMPORT_INVALID",
      message: "The file is not valid TOML, so it cannot be a policy of gemini-cli",
      fix: "Import a file that gemini-cli itself can read",
      source: { file, ...at },
      cause: error,
    });
  }
}

function summary(rule: JsonObject): Pick<SourcePlace, "source" | "label"> {
  const parts = [
    "decision",
    "name",
    "mcpName",
    "toolName",
    "commandPrefix",
    "commandRegex",
    "argsPattern",
  ].flatMap((key) => {
    const value = rule[key];
    return value === undefined
      ? []
      : [key === "decision" ? String(value) : `${key} = ${JSON.stringify(value)}`];
  });
  const { name } = rule;
  return {
    source: parts.join(" "),
    label:
      typeof name === "string"
        ? name
        : parts
            .slice(1)
            .join(" ")
            .replaceAll(/\b(?:toolName|mcpName|command[PR]\w+|argsPattern) = /g, ""),
  };
}
