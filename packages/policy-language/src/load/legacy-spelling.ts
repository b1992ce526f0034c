import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import { quote } from "./finding.ts";
import type { Findings, Path } from "./findings.ts";
import { LEGACY_MODES } from "./policy-schema.ts";

/** Replaces old spellings by current ones, with a warning. Rejects old keys that had another meaning. */
export function normalizeSpelling(item: unknown, path: Path, findings: Findings): JsonObject {
  if (!isJsonObject(item)) return item as JsonObject;
  const rule: Record<string, unknown> = { ...item };
  if (rule["action"] === "askuser") {
    rule["action"] = "ask_user";
    findings.warn([...path, "action"], "`askuser` is an old spelling of `ask_user`");
  }
  for (const key of ["approval_mode", "modes"] as const) {
    const mode = rule[key];
    if (typeof mode !== "string" || !Object.hasOwn(LEGACY_MODES, mode)) continue;
    rule[key] = LEGACY_MODES[mode];
    findings.warn([...path, key], `${quote(mode)} is an old spelling of \`autoEdit\``);
  }
  if (Array.isArray(rule["modes"])) {
    rule["modes"] = (rule["modes"] as readonly unknown[]).map((mode, index) => {
      if (typeof mode !== "string" || !Object.hasOwn(LEGACY_MODES, mode)) return mode;
      findings.warn([...path, "modes", index], `${quote(mode)} is an old spelling of \`autoEdit\``);
      return LEGACY_MODES[mode];
    });
  }
  if (Object.hasOwn(rule, "tool_pattern")) {
    const { tool_pattern, ...others } = rule;
    if (Object.hasOwn(others, "tool") || Object.hasOwn(others, "pattern")) {
      findings.error(
        [...path, "tool_pattern"],
        "Use `tool` alone, without `tool_pattern` or `pattern`",
      );
    } else {
      findings.warn([...path, "tool_pattern"], "`tool_pattern` is an old name of `tool`");
    }
    if (Object.hasOwn(others, "arg_pattern")) {
      const { arg_pattern: _, ...left } = others;
      refuseArgPattern(path, findings);
      return { tool: tool_pattern, ...left } as JsonObject;
    }
    return { tool: tool_pattern, ...others } as JsonObject;
  }
  if (Object.hasOwn(rule, "arg_pattern")) {
    refuseArgPattern(path, findings);
    delete rule["arg_pattern"];
  }
  return rule as JsonObject;
}

/** Translates a path with current keys into one with the keys that the file uses, such as `pattern` or an old name. */
export function asWritten(item: unknown, [key = "", ...below]: Path): Path {
  if (!isJsonObject(item) || Object.hasOwn(item, key)) return [key, ...below];
  const written = (ALSO[String(key)] ?? []).find((other) => Object.hasOwn(item, other));
  return written === undefined ? [key, ...below] : [written];
}

const ALSO: Readonly<Record<string, readonly string[]>> = {
  tool: ["tool_pattern", "pattern"],
  command: ["pattern"],
  modes: ["approval_mode"],
};

function refuseArgPattern(path: Path, findings: Findings): void {
  findings.error(
    [...path, "arg_pattern"],
    "`arg_pattern` is not supported. Write a condition on a named argument",
    'Use `command = "…"` for a shell line and `args = { name = { glob = "…" } }` for others, or put `compat = "radium"` at the top to read the whole file as Radium does',
  );
}
