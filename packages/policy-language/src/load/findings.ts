import { isJsonObject, type JsonObject } from "@bylaw/kernel";
import type { z } from "zod";
import { PolicyError, quote, type PolicyFinding } from "./finding.ts";
import type { Locator } from "./toml-locations.ts";
import { nearest } from "@bylaw/wording";
import { keysAt, type Compat } from "./policy-schema.ts";

/** The error code of every mistake in a policy. */
export const INVALID = "BYLAW_POLICY_INVALID";

/** The path of a value in the parsed data. */
export type Path = readonly (string | number)[];

interface Draft {
  readonly severity: PolicyFinding["severity"];
  readonly path: Path;
  readonly message: string;
  readonly fix: string | undefined;
}

const MAX_FINDINGS = 1000;

/** Collects findings. Their positions are looked up once, at the end. */
export class Findings {
  readonly #drafts = new Map<string, Draft>();
  readonly #file: string;
  readonly #locator: Locator;

  constructor(file: string, locator: Locator) {
    this.#file = file;
    this.#locator = locator;
  }

  /** Whether the limit of findings is reached. */
  get full(): boolean {
    return this.#drafts.size >= MAX_FINDINGS;
  }

  /** The number of errors so far. */
  get errors(): number {
    let count = 0;
    for (const { severity } of this.#drafts.values()) if (severity === "error") count++;
    return count;
  }

  error(path: Path, message: string, fix?: string): void {
    this.#add({ severity: "error", path, message, fix });
  }

  warn(path: Path, message: string, fix?: string): void {
    this.#add({ severity: "warning", path, message, fix });
  }

  #add(draft: Draft): void {
    // At the limit, an error still replaces a warning, because warnings must not hide an error.
    if (this.full && (draft.severity === "warning" || this.errors >= MAX_FINDINGS)) return;
    const key = JSON.stringify([draft.path, draft.message]);
    if (!this.#drafts.has(key)) this.#drafts.set(key, draft);
  }

  /** Returns the findings in the order of the text. Throws PolicyError if one of them is an error. */
  settle(): readonly PolicyFinding[] {
    if (this.#drafts.size === 0) return [];
    const drafts = [...this.#drafts.values()];
    const places = this.#locator.at(drafts.map(({ path }) => path));
    const findings = drafts.map(({ severity, message, fix }, index): PolicyFinding => {
      const { line, column } = places[index] ?? { line: 1, column: 1 };
      return {
        code: INVALID,
        message,
        ...(fix === undefined ? {} : { fix }),
        file: this.#file,
        line,
        column,
        severity,
      };
    });
    findings.sort((a, b) => a.line - b.line || a.column - b.column);
    if (findings.some(({ severity }) => severity === "error")) throw new PolicyError(findings);
    return findings;
  }
}

/** Turns zod issues into findings with a position. For a misspelled word, suggests the nearest valid one. */
export function reportIssues(
  issues: readonly z.core.$ZodIssue[],
  base: Path,
  data: JsonObject,
  findings: Findings,
  compat?: Compat,
): void {
  const misspelled = new Set(
    issues.flatMap((issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys.map((key) => nearest(key, keysAt([...base, ...(issue.path as Path)], compat)))
        : [],
    ),
  );
  for (const issue of issues) {
    const below = issue.path as Path;
    const path = [...base, ...below];
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) {
        if (findings.full) return;
        const meant = nearest(key, keysAt(path, compat));
        const known = keysAt(path, compat);
        const dotted =
          path[2] === "args"
            ? 'Quote the name of a nested argument: `args = { "a.b" = { … } }`'
            : undefined;
        findings.error(
          [...path, key],
          `Unknown key ${quote(key)}${meant === undefined ? `. Known keys: ${known.join(", ")}` : ""}`,
          GEMINI_HINTS[key] ??
            (meant === undefined ? (HINTS[key] ?? dotted) : `Did you mean \`${meant}\`?`),
        );
      }
      continue;
    }
    const inner = deepest(issue);
    if (inner.code === "unrecognized_keys") {
      reportIssues([{ ...inner, path: [...below, ...inner.path] }], base, data, findings, compat);
      continue;
    }
    const full = [...path, ...(inner === issue ? [] : inner.path)] as Path;
    const actual = valueAt(data, full.slice(base.length));
    const name = String(full.findLast((step) => typeof step === "string") ?? "policy");
    const missing = actual === undefined;
    // The misspelled key is the fault.
    if (missing && misspelled.has(name)) continue;
    const values = wordsOf(inner);
    const meant =
      typeof actual === "string" ? (ALIASES[actual] ?? nearest(actual, values)) : undefined;
    findings.error(
      full,
      missing
        ? `The ${full[2] === "when" ? "condition" : full[0] === "marks" ? "mark" : "rule"} lacks \`${name}\`, which must be ${inner.message}`
        : `\`${name}\` must be ${inner.message}, not ${describe(actual)}`,
      meant !== undefined && (values.length === 0 || values.includes(meant))
        ? `Did you mean \`${meant}\`?`
        : undefined,
    );
  }
}

const ALIASES: Readonly<Record<string, string>> = {
  ask: "ask_user",
  block: "deny",
  reject: "deny",
  permit: "allow",
  prompt: "ask_user",
};
const HINTS: Readonly<Record<string, string>> = { rule: "The language names it `[[rules]]`" };

const GEMINI =
  'A file of gemini-cli needs `compat = "gemini"` at its top, or `bylaw import gemini FILE`';
const GEMINI_HINTS: Readonly<Record<string, string>> = {
  toolName: `The language names it \`tool\`. ${GEMINI}`,
  mcpName: `The language names it \`server\`. ${GEMINI}`,
  commandPrefix: `The language names it \`command\`, with a last word \`*\`. ${GEMINI}`,
  commandRegex: `The language names it \`command_regex\`. ${GEMINI}`,
  argsPattern: `The language names it \`args\`. ${GEMINI}`,
  decision: `The language names it \`action\`. ${GEMINI}`,
};

/** Reports `[[rule]]` tables in gemini-cli's format. Returns whether there are any. */
export function reportGemini(data: JsonObject, findings: Findings): boolean {
  const { rule: items } = data;
  const list: readonly unknown[] = Array.isArray(items) ? items : [items];
  const found = list.some(
    (item) =>
      typeof item === "object" &&
      item !== null &&
      Object.keys(GEMINI_HINTS).some((key) => Object.hasOwn(item, key)),
  );
  if (found)
    findings.error(
      ["rule"],
      "`[[rule]]` is how gemini-cli writes rules. Bylaw writes `[[rules]]`",
      GEMINI,
    );
  return found;
}

// The issue of a union's one alternative with the right shape says more than the issue of the union.
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const near = issue.errors.filter((errors) =>
    errors.every(
      ({ path, code }) => path.length > 0 || code === "unrecognized_keys" || code === "too_small",
    ),
  );
  const [only] = near;
  const [first] = only ?? [];
  return near.length === 1 && first !== undefined ? first : issue;
}

// The accepted words, including those of a union's members.
function wordsOf(issue: z.core.$ZodIssue): readonly string[] {
  if (issue.code === "invalid_union") return issue.errors.flat().flatMap(wordsOf);
  return issue.code === "invalid_value" ? issue.values.map(String) : [];
}

function valueAt(data: unknown, path: Path): unknown {
  let value: unknown = data;
  for (const step of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, step))
      return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

function describe(value: unknown): string {
  if (typeof value === "string") return value === "" ? "empty text" : quote(value);
  if (typeof value === "number" || typeof value === "boolean") return `\`${String(value)}\``;
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  return value instanceof Date ? "a date" : typeof value === "object" ? "a table" : typeof value;
}

/** Removes the keys that have an issue from a rule, and fills in required keys. */
export function withoutInvalidKeys(
  data: JsonObject,
  issues: readonly z.core.$ZodIssue[],
  index: number,
): JsonObject {
  if (!isJsonObject(data)) return {};
  const wrong = new Set<string>();
  const args = new Set<string>();
  for (const { code, path, ...issue } of issues) {
    const [key, argument] = path;
    if (code === "unrecognized_keys" && path.length === 0 && "keys" in issue)
      for (const name of issue.keys) wrong.add(name);
    else if (key === "args" && argument !== undefined) args.add(String(argument));
    else if (key !== undefined) wrong.add(String(key));
  }
  const left: Record<string, JsonObject[string]> = {
    name: `rule ${index + 1} without a name`,
    action: "deny",
  };
  for (const [key, value] of Object.entries(data)) {
    if (wrong.has(key)) continue;
    left[key] =
      key === "args" && isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).filter(([name]) => !args.has(name)))
        : value;
  }
  if (isJsonObject(left["args"] ?? null) && Object.keys(left["args"] as JsonObject).length === 0)
    delete left["args"];
  return left;
}
