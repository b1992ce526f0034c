import { isJsonObject, type Json } from "@bylaw/kernel";
import type { z } from "zod";
import type { DataPath, Findings, Places } from "./findings.ts";
import { keysAt, textOfPath } from "./key-paths.ts";
import { quote, salvage, type Salvaged } from "@bylaw/wording";
import { suggestFix } from "./suggest-fix.ts";
import { contractSchema, NEW_KEYS, type ContractData } from "./schema.ts";

/**
 * Reads data as a contract and reports every fault of its shape. Invalid parts are left out or
 * replaced, so that the rest can still be analysed.
 */
export function shapeOf(data: Json, places: Places, collected: Findings): Salvaged<ContractData> {
  const salvaged = salvage(contractSchema, data, keysAt);
  for (const issue of salvaged.issues) reportIssue(issue, [], data, places, collected);
  if (collected.original) reportNewKeys(data, [], places, collected);
  return salvaged;
}

// The most unknown keys of one mapping to report.
const MAX_KEYS = 100;

type Issue = z.core.$ZodIssue;

function reportIssue(
  issue: Issue,
  above: DataPath,
  data: Json,
  places: Places,
  collected: Findings,
): void {
  const path = [...above, ...issue.path];
  if (issue.code === "unrecognized_keys") {
    const known = keysAt(path);
    for (const key of issue.keys.slice(0, MAX_KEYS)) {
      const fix = HINTS[key] ?? `Remove it, or use one of ${known.join(", ")}`;
      collected.add(
        "unknown_key",
        places.key([...path, key]),
        `Unknown key ${quote(key)} in ${textOfPath(path)}`,
        suggestFix(key, known, fix),
      );
    }
    return;
  }
  if (issue.code === "invalid_union") {
    const [near] = [...issue.errors].sort((a, b) => depth(b) - depth(a) || a.length - b.length);
    for (const inner of near ?? []) reportIssue(inner, path, data, places, collected);
    return;
  }
  if (issue.code === "invalid_key") {
    collected.add(
      "wrong_value",
      places.key(path),
      `The key ${quote(String(path.at(-1)))} must be a name in one line`,
    );
    return;
  }
  const actual = valueAt(data, path);
  const last = String(path.at(-1));
  if (actual === undefined) {
    const wanted =
      typeof path.at(-1) === "string" && NEEDED[last] !== undefined
        ? NEEDED[last]
        : wantedBy(issue);
    collected.add(
      "missing_key",
      places.value(path.slice(0, -1)),
      `${subjectOf(path.slice(0, -1))} has no ${quote(last)}; it needs ${wanted}`,
      `Add ${quote(`${last}:`)}`,
    );
    return;
  }
  const words = issue.code === "invalid_value" ? issue.values.map(String) : [];
  const fix =
    typeof actual === "string" && words.length > 0 ? suggestFix(actual, words) : undefined;
  collected.add(
    "wrong_value",
    places.value(path),
    `${subjectOf(path)} must be ${wantedBy(issue)}, not ${phraseOf(actual)}`,
    fix,
  );
}

// A path as the first word of a sentence.
const subjectOf = (path: DataPath): string =>
  path.length === 0 ? "The contract" : textOfPath(path);

const depth = (issues: readonly Issue[]): number =>
  Math.max(0, ...issues.map(({ path }) => path.length));

const NEEDED: Readonly<Record<string, string>> = {
  phases: "a list of at least one phase",
  transitions: "a list of transitions, `[]` where there is one phase",
  enforcement: "a mapping, `mode: strict` at least",
};

const HINTS: Readonly<Record<string, string>> = {
  on: "Write `when: rejected` for the transition after a rejection",
  settings: "This looks like a workflow template, not a contract",
  items: "This looks like a workflow template, not a contract",
};

function wantedBy(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return KINDS[issue.expected] ?? `a ${issue.expected}`;
    case "invalid_value":
      return `${issue.values.length > 1 ? "one of " : ""}${issue.values.map((value) => `\`${String(value)}\``).join(", ")}`;
    case "too_small":
      return issue.origin === "array"
        ? "a list of at least one item"
        : issue.origin === "string"
          ? "some text"
          : `at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string"
        ? `at most ${issue.maximum} characters`
        : `at most ${issue.maximum}`;
    case "invalid_format":
      if (issue.path.at(-1) === "path" && issue.path.at(-2) !== "export")
        return "a path that begins with `$.`";
      return issue.path.at(-1) === "secret_env_var"
        ? "the name of an environment variable"
        : "a name in one line, all of it visible, without blanks around it";
    default:
      return "what the contract schema allows";
  }
}

const KINDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "a mapping",
  record: "a mapping",
  string: "text",
  int: "a whole number",
  number: "a number",
  boolean: "true or false",
};

function phraseOf(value: Json): string {
  if (typeof value === "string") return value === "" ? "empty text" : quote(value);
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return isJsonObject(value) ? "a mapping" : value === null ? "nothing" : `\`${String(value)}\``;
}

function valueAt(data: Json, path: DataPath): Json | undefined {
  let value: Json | undefined = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Readonly<Record<PropertyKey, Json>>)[step];
  }
  return value;
}

function reportNewKeys(data: Json, path: DataPath, places: Places, collected: Findings): void {
  if (typeof data !== "object" || data === null || path.length > 5) return;
  for (const [key, value] of Object.entries(data)) {
    const below = [...path, Array.isArray(data) ? Number(key) : key];
    const pattern = below.reduce<string>(
      (text, step) =>
        typeof step === "number"
          ? `${text}[]`
          : text === ""
            ? String(step)
            : `${text}.${String(step)}`,
      "",
    );
    if (NEW_KEYS.includes(pattern)) {
      collected.add(
        "new_key",
        places.key(below),
        `The key ${quote(key)} needs \`bylaw: 1\` at the top of the contract`,
        "Add `bylaw: 1` at the top",
      );
    } else if (NEW_KEYS.some((known) => known.startsWith(pattern)))
      reportNewKeys(value as Json, below, places, collected);
  }
}
