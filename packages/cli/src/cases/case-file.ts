import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, type Json, type JsonObject, type ToolCall } from "@bylaw/kernel";
import type { Expectation } from "@bylaw/policy-language";
import { CALL_KEYS, callFromLine, type CallDefaults } from "../decide/call.ts";
import { didYouMean, quote } from "@bylaw/wording";
import { isEffect } from "../decide/is-effect.ts";
import { eventsOf, type CasePast } from "./case-past.ts";
import { keysIn } from "../decide/json-entries.ts";
import { textLines, withoutLine, type TextLine } from "../io/read-lines.ts";

/** One line of a case file: a call and the expected decision. */
export interface PolicyCase {
  /** The id of the line, or `file:line` if it has none. */
  readonly id: string;
  /**
   * The call, or undefined if the line is no valid call. Then `refused` says why, and the decision is a deny with the code
   * `invalid_call`, as in a batch.
   */
  readonly call: ToolCall | undefined;
  readonly refused: string | undefined;
  /** Whether the call may be invalid: the case expects `invalid_call`, or gives its arguments as raw text. */
  readonly refusable: boolean;
  readonly expected: Expectation;
  readonly why: string | undefined;
  /** Whether a failure is only reported and does not fail the test run. */
  readonly soft: boolean;
  /** The one policy file that the case is about, without its extension. */
  readonly policy: string | undefined;
  /** What happened before the call. Undefined if the call has no run. */
  readonly past: CasePast | undefined;
  /** The longest time that the decision may take, in milliseconds. */
  readonly max_ms: number | undefined;
  readonly file: string;
  readonly line: number;
}

const CASE_KEYS = [
  "must",
  "must_not",
  "rule",
  "code",
  "why",
  "class",
  "soft",
  "policy",
  "max_ms",
  "state",
  "history",
] as const;

/** Reads all cases of a file. Throws BYLAW_CASES_INVALID with the line. */
export async function readCases(
  file: string,
  defaults: CallDefaults,
): Promise<readonly PolicyCase[]> {
  const cases: PolicyCase[] = [];
  const ids = new Map<string, number>();
  for await (const lines of textLines(file, "BYLAW_CASES_INVALID")) {
    for (const line of lines) {
      const read = caseFrom(line, file, defaults);
      const first = ids.get(read.id);
      if (first !== undefined)
        throw bad(`Line ${first} already has a case with the id ${quote(read.id)}`, read);
      ids.set(read.id, read.line);
      cases.push(read);
    }
  }
  return cases;
}

function caseFrom({ text, line }: TextLine, file: string, defaults: CallDefaults): PolicyCase {
  const at = { file, line };
  const { value, fault } = read(text, at);
  if (!isJsonObject(value))
    throw bad("A case must be a JSON object with a call and `must` or `must_not`", at);
  const call: Record<string, JsonObject[string]> = {};
  const own: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if ((CASE_KEYS as readonly string[]).includes(key)) own[key] = item;
    else if ((CALL_KEYS as readonly string[]).includes(key)) call[key] = item;
    else throw unknownKey(key, at);
  }
  const expected = expectationOf(own, at);
  const { id } = call;
  let asked: ToolCall | undefined;
  let refused = fault;
  try {
    if (refused === undefined) asked = callFromLine(call, defaults).call;
  } catch (error) {
    if (!isBylawError(error)) throw error;
    refused = error.message;
  }
  const refusable = expected.code === "invalid_call" || call["args_raw"] !== undefined;
  if (refused !== undefined && !refusable) throw notRefusable(refused, at);
  const { why, soft = false, policy, max_ms, state, history } = own;
  const now = Date.now();
  const past =
    (state ?? history) === undefined
      ? undefined
      : pastOf(state as JsonObject | undefined, history as Json | undefined, {
          call,
          defaults,
          at,
          now,
        });
  if (asked !== undefined && history !== undefined)
    asked = { ...asked, at: new Date(now).toISOString() };
  return {
    id: typeof id === "string" || typeof id === "number" ? String(id) : `${file}:${line}`,
    call: asked,
    refused,
    refusable,
    expected,
    why: why === undefined ? undefined : String(why),
    soft: soft === true,
    policy: policy as string | undefined,
    max_ms: max_ms as number | undefined,
    past,
    ...at,
  };
}

function pastOf(
  states: JsonObject = {},
  history: Json | undefined,
  { at, ...reading }: Parameters<typeof eventsOf>[1] & { readonly at: Place },
): CasePast {
  try {
    return { states, events: history === undefined ? [] : eventsOf(history, reading) };
  } catch (error) {
    if (!isBylawError(error)) throw error;
    throw bad(error.message, at, error.fix);
  }
}

// JSON that the strict parser refuses is a call that every host must refuse. But the keys of the case itself must be unambiguous.
function read(
  text: string,
  at: Place,
): { readonly value: unknown; readonly fault: string | undefined } {
  try {
    return { value: parseJson(text), fault: undefined };
  } catch (error) {
    if (!isBylawError(error)) throw error;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      throw bad(withoutLine(error.message), at);
    }
    const keys = keysIn(text);
    const clear = new Set(keys).size === keys.length && !keys.includes("__proto__");
    if (!clear) throw bad(withoutLine(error.message), at);
    return { value, fault: error.message };
  }
}

type Place = { readonly file: string; readonly line: number };

function expectationOf(own: Readonly<Record<string, unknown>>, at: Place): Expectation {
  const { must, must_not, rule, code, max_ms, soft = false, state } = own;
  for (const key of ["must", "must_not"] as const) {
    const effect = own[key];
    if (effect === undefined || isEffect(effect)) continue;
    const fix = didYouMean(String(effect), ["allow", "ask_user", "deny"]);
    throw bad(`\`${key}\` must be allow, ask_user or deny, not ${quote(String(effect))}`, at, fix);
  }
  if ((must === undefined) === (must_not === undefined)) {
    throw bad(
      must === undefined
        ? "A case needs `must` or `must_not`"
        : "A case takes `must` or `must_not`, not both",
      at,
    );
  }
  for (const key of ["rule", "code", "why", "class", "policy"] as const) {
    if (own[key] !== undefined && typeof own[key] !== "string")
      throw bad(`\`${key}\` must be text`, at);
  }
  if (typeof soft !== "boolean") throw bad("`soft` must be true or false", at);
  if (max_ms !== undefined && !(typeof max_ms === "number" && max_ms > 0)) {
    throw bad("`max_ms` must be a number of milliseconds above 0", at);
  }
  if (state !== undefined && !isJsonObject(state as Json)) {
    throw bad("`state` must be a table of states, keyed by projection name", at);
  }
  return {
    ...(isEffect(must) ? { must } : {}),
    ...(isEffect(must_not) ? { must_not } : {}),
    ...(typeof rule === "string" ? { rule } : {}),
    ...(typeof code === "string" ? { code } : {}),
  };
}

/** A typing mistake in a case must not pass as a correctly refused call. */
export function notRefusable(refused: string, at: Place): BylawError {
  return bad(
    withoutLine(refused),
    at,
    'if the call should be refused, add `"code": "invalid_call"`',
  );
}

/** With a misspelt projection name, the condition would see the state of an empty run. */
export function unknownState(name: string, known: readonly string[], at: Place): BylawError {
  return bad(
    `No plugin declares the projection ${quote(name)} that \`state\` names`,
    at,
    didYouMean(name, known) ??
      (known.length === 0 ? "remove it: no plugin declares any" : `use ${known.join(", ")}`),
  );
}

function unknownKey(key: string, at: Place): BylawError {
  const known = [...CALL_KEYS, ...CASE_KEYS];
  return bad(
    `Unknown key ${quote(key)} in a case`,
    at,
    didYouMean(key, known) ?? `Use ${known.join(", ")}`,
  );
}

function bad(message: string, { file, line }: Place, fix?: string): BylawError {
  return new BylawError({ code: "BYLAW_CASES_INVALID", message, fix, source: { file, line } });
}
