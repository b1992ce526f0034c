import { join, resolve } from "node:path";
import { readKeyFile } from "@bylaw/log";
import { omitUndefined } from "@bylaw/kernel";
import { enrolmentPlace, isShared } from "./secret-places.ts";
import { invalidSecret, newSecret, writeOnce, type Secret } from "./secret.ts";
import type { Settings } from "./settings.ts";

/** The fewest characters of a shared secret. */
const MIN_LENGTH = 32;

/** The secrets that callers send, as the server knows them. */
export interface Secrets {
  readonly enrol: Secret;
  readonly operator?: Secret;
  readonly operators_file: string;
  /** The passwords of the store. */
  readonly passwords: readonly string[];
}

/** Secrets that the embedding program passes in. Missing ones come from files. */
export interface GivenSecrets {
  readonly enrol?: string | undefined;
  readonly operator?: string | undefined;
}

/**
 * Reads the secrets that callers send. The first start creates the enrolment secret, unless other nodes need the same one. Throws
 * BYLAW_SECRET_INVALID.
 */
export function readSecrets(settings: Settings, given: GivenSecrets): Secrets {
  const { auth, store, data } = settings;
  const operator =
    given.operator === undefined
      ? undefined
      : fit({ name: "`BYLAW_OPERATOR_TOKEN`", text: given.operator });
  return {
    enrol: enrolmentSecret(settings, given.enrol),
    ...omitUndefined({ operator }),
    operators_file: resolve(auth.operators_file ?? join(data, "operators.json")),
    passwords: passwordsIn(store),
  };
}

function enrolmentSecret(settings: Settings, given: string | undefined): Secret {
  const { file, made = false, variable } = enrolmentPlace(settings, given !== undefined);
  if (file !== undefined) {
    if (made) writeOnce(file, newSecret());
    const name = made ? `\`${file}\`` : "`auth.enrol_secret_file`";
    return fit({ name, text: Buffer.from(readKeyFile(file)).toString("utf8").trim(), file });
  }
  if (variable !== undefined) return fit({ name: `\`${variable}\``, text: given ?? "" });
  throw invalidSecret(
    "There is no secret that agents enrol with, and nodes that share a store need the same one",
    "Set BYLAW_ENROL_SECRET, or name a file with `auth.enrol_secret_file`.",
  );
}

/** The passwords in the URL of a store, as written and decoded. */
function passwordsIn(store = ""): readonly string[] {
  if (!isShared(store) || !URL.canParse(store)) return [];
  const { password, searchParams } = new URL(store);
  const named = [...searchParams].flatMap(([name, value]) =>
    /pass|secret|key/i.test(name) ? [value] : [],
  );
  return [password, decoded(password), ...named].filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Checks that a secret can be sent in a header. The error never contains it. */
function fit(secret: Secret): Secret {
  if (secret.text.length >= MIN_LENGTH && /^[!-+\--~]+$/.test(secret.text)) return secret;
  throw invalidSecret(
    `The secret ${secret.name} must have at least ${MIN_LENGTH} visible characters and no comma`,
    "Create one with `openssl rand -base64 48`.",
  );
}
