import { isJsonObject, type Json, type JsonObject, type KernelApi } from "@bylaw/kernel";
import { digestWith, type Digest } from "./digest.ts";
import { isOfTheRun, NOWHERE, placeOf, type Place } from "./redacted-paths.ts";
import { isSecretMember } from "./secret-forms.ts";
import { isRedactable, secretsIn, type Repeated, type Secrets } from "./secrets-in.ts";

/** Needs only the details of an event. */
type Redactor = (event: Partial<Draft> & Pick<Draft, "details">) => JsonObject;
type Draft = Parameters<Parameters<KernelApi["redact"]>[0]>[0];

export interface RedactOptions {
  readonly paths: readonly string[];
  /** Whether to find secrets by their form. */
  readonly secrets: boolean;
  /** Absolute path of a key; digests are then HMACs. */
  readonly key_file?: string | undefined;
}

/** The most places that are listed. */
const LISTED = 1_000;
// Fields with content from agents and tools. Elsewhere a word may have a meaning for the run, so an agent must not be able to redact it
// by using it as a password.
const CONTENT: ReadonlySet<string> = new Set(["args", "result", "artifacts", "annotations"]);
// The fields of a decision with prose; the others are names and digests.
const WORDS: ReadonlySet<string> = new Set(["reason", "fix", "message", "error"]);
const PARTS: ReadonlySet<string> = new Set(["votes", "directive"]);

/**
 * Makes a function that takes secrets out of the details of events and lists their places in `details.redacted`. The key is read
 * with the first event. If it cannot be read, no event is recorded.
 */
export function createRedactor({ paths, secrets, key_file }: RedactOptions): Redactor {
  const root = placeOf(paths);
  let digest: Digest | undefined;
  return ({ details }) => redact(details, root, secrets, (digest ??= digestWith(key_file)));
}

/** Takes secrets out of the details of an event, by their form. */
export const redactSecrets: Redactor = createRedactor({ paths: [], secrets: true });

interface Treatment {
  readonly place: Place;
  readonly repeated: Repeated;
  readonly of: (key: string) => Treatment;
}

function redact(details: JsonObject, root: Place, byForm: boolean, digest: Digest): JsonObject {
  const secrets = secretsIn(details, root, byForm);
  return secrets === undefined
    ? details
    : new Redaction(secrets, byForm, digest).redact(details, root);
}

/** The redaction of one event. */
class Redaction {
  readonly #secrets: Secrets;
  readonly #byForm: boolean;
  readonly #digest: Digest;
  readonly #listed: string[] = [];
  #count = 0;

  constructor(secrets: Secrets, byForm: boolean, digest: Digest) {
    this.#secrets = secrets;
    this.#byForm = byForm;
    this.#digest = digest;
  }

  redact(details: JsonObject, root: Place): JsonObject {
    const result = this.#redactAll(details, (key) => topOf(key, root), []);
    if (this.#count === 0) return details;
    const { redacted } = details;
    const before = Array.isArray(redacted) ? (redacted as readonly Json[]) : [];
    const unlisted = this.#count - this.#listed.length;
    const more = unlisted > 0 ? [`and ${unlisted} more`] : [];
    return { ...result, redacted: [...before, ...this.#listed, ...more] };
  }

  #redactAll(object: JsonObject, of: Treatment["of"], path: readonly string[]): JsonObject {
    const result = new Map<string, Json>();
    for (const [key, item] of Object.entries(object)) {
      const how = of(key);
      // A short value may equal the name of an argument, which rules read.
      let name = this.#clean(key, how.repeated === "long" ? "longest" : "none");
      while (result.has(name)) name += "~";
      const next = [...path, name];
      if (name !== key) this.#list(next);
      const secret = this.#byForm && how.place !== NOWHERE && isSecretMember(key, item);
      result.set(name, this.#value(item, secret ? { ...how, place: named } : how, next));
    }
    return Object.fromEntries(result);
  }

  #value(value: Json, { place, repeated, of }: Treatment, path: readonly string[]): Json {
    if (place.named && isRedactable(value)) {
      this.#list(path);
      return { redacted: this.#digest(value) };
    }
    if (typeof value === "string") {
      const text = this.#clean(value, repeated);
      if (text !== value) this.#list(path);
      return text;
    }
    if (Array.isArray(value)) {
      return (value as readonly Json[]).map((item, index) =>
        this.#value(item, of(String(index)), [...path, String(index)]),
      );
    }
    return isJsonObject(value) ? this.#redactAll(value, of, path) : value;
  }

  #clean(text: string, repeated: Repeated): string {
    let result = "";
    let at = 0;
    for (const { start, end } of this.#secrets.in(text, repeated)) {
      result += `${text.slice(at, start)}[redacted ${this.#digest(text.slice(start, end))}]`;
      at = end;
    }
    return at === 0 ? text : result + text.slice(at);
  }

  #list(path: readonly string[]): void {
    this.#count += 1;
    if (this.#listed.length < LISTED)
      this.#listed.push(path.map((key) => key.replaceAll(".", "\\.")).join("."));
  }
}

/** A place that is redacted as if a path named it. */
const named: Place = { ...NOWHERE, named: true };

function topOf(key: string, root: Place): Treatment {
  if (key === "decision") return ofDecision("none");
  if (isOfTheRun(key)) return within(NOWHERE, "none");
  return within(root.in(key), CONTENT.has(key) ? "long" : "prose");
}

const within = (place: Place, repeated: Repeated): Treatment => ({
  place,
  repeated,
  of: (key) => within(place.in(key), repeated),
});

// A list of votes is treated like one vote.
const ofDecision = (repeated: Repeated): Treatment => ({
  place: NOWHERE,
  repeated,
  of: (key) =>
    PARTS.has(key) || /^\d+$/.test(key)
      ? ofDecision("none")
      : within(NOWHERE, WORDS.has(key) ? "short" : "none"),
});
