import type { Json, JsonObject } from "@bylaw/kernel";
import { isDigest } from "./digest.ts";
import { knownValues } from "./known-values.ts";
import { isOfTheRun, NOWHERE, type Place } from "./redacted-paths.ts";
import { findSecrets, isSecretMember, merged, type Span } from "./secret-forms.ts";

/**
 * Which repetitions of a secret are taken out of a text: none, those of at least sixteen characters, those of more than one word,
 * those of at least six characters, or also those of three to five characters that stand alone.
 */
export type Repeated = "none" | "longest" | "prose" | "long" | "short";

const MIN_LENGTH = 16;

export interface Secrets {
  /** The secrets in a text. */
  in(text: string, repeated: Repeated): readonly Span[];
}

/**
 * Finds the secrets in the details of an event, if any: values that paths name and, with `byForm`, values that their form reveals.
 */
export function secretsIn(details: JsonObject, root: Place, byForm: boolean): Secrets | undefined {
  const known = new Set<string>();
  const found = new Map<string, readonly Span[]>();
  let named = false;

  function search(text: string): void {
    if (!byForm || found.has(text)) return;
    const spans = findSecrets(text);
    if (spans.length === 0) return;
    found.set(text, spans);
    for (const { start, end } of spans) known.add(text.slice(start, end));
  }

  function learn(value: Json, placeOfKey: (key: string) => Place): void {
    if (typeof value === "string") search(value);
    if (typeof value !== "object" || value === null) return;
    for (const [key, item] of Object.entries<Json>(value)) {
      search(key);
      const place = placeOfKey(key);
      if (
        (place.named && isRedactable(item)) ||
        (byForm && place !== NOWHERE && isSecretMember(key, item))
      ) {
        named = true;
        addLeaves(item, known);
      }
      learn(item, (member) => place.in(member));
    }
  }

  learn(details, (key) => (isOfTheRun(key) ? NOWHERE : root.in(key)));
  if (!named && found.size === 0) return undefined;
  const values = knownValues(known);
  return {
    in(text, repeated) {
      const here = found.get(text) ?? [];
      if (values === undefined || repeated === "none" || (repeated === "prose" && !/\s/.test(text)))
        return here;
      const repetitions = values.find(text, repeated === "short");
      return merged([
        ...here,
        ...repetitions.filter(
          ({ start, end }) => repeated !== "longest" || end - start >= MIN_LENGTH,
        ),
      ]);
    },
  };
}

/** Whether there is something to redact. Redacting null hides nothing, and a redacted value stays as it is. */
export function isRedactable(value: Json): boolean {
  if (typeof value !== "object" || value === null) return value !== null;
  const entries = Object.entries<Json>(value);
  const [key, digest] = entries[0] ?? [];
  return !(
    entries.length === 1 &&
    key === "redacted" &&
    typeof digest === "string" &&
    isDigest(digest)
  );
}

function addLeaves(value: Json, leaves: Set<string>): void {
  if (typeof value === "string" || typeof value === "number") leaves.add(String(value));
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values<Json>(value)) addLeaves(item, leaves);
}
