import { randomBytes } from "node:crypto";
import { join, resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";
import { writeOnce } from "./data-folder.ts";
import { namedSecret, type NamedSecret } from "./distinct-secrets.ts";
import { enrolmentPlace, isShared } from "./secret-places.ts";
import type { Settings } from "./settings.ts";

/** A shared secret has at least as many characters. */
const SHORTEST = 32;

/** Who may ask, as the server knows them. */
export interface Secrets {
  readonly enrol: string;
  readonly operator: string | undefined;
  readonly operators_file: string;
  /** Files and folders that hold some of them. */
  readonly places: readonly string[];
  /** All of them, to be taken out of what is told. */
  readonly texts: readonly string[];
  /** Those that callers show, by where they were set. */
  readonly named: readonly NamedSecret[];
}

/** Secrets that whoever starts the server has at hand; each left out comes from a file. */
export interface GivenSecrets {
  readonly enrol?: string | undefined;
  readonly operator?: string | undefined;
}

/** Reads the secrets that callers show. The one of enrolment is made on the first start where no other node has to have it. Throws BYLAW_SECRET_INVALID. */
export function readSecrets(settings: Settings, given: GivenSecrets): Secrets {
  const { auth, store } = settings;
  const data = resolve(settings.data);
  const { file, made = false, variable } = enrolmentPlace(settings, given.enrol !== undefined);
  if (file === undefined && variable === undefined) throw missing();
  if (file !== undefined && made) writeOnce(file, `${randomBytes(48).toString("base64url")}\n`);
  const enrol = file === undefined ? fit(given.enrol ?? "", "of enrolment") : secretIn(file);
  const operator =
    given.operator === undefined ? undefined : fit(given.operator, "of the operator");
  const operators_file = resolve(auth.operators_file ?? join(data, "operators.json"));
  const enrolName =
    auth.enrol_secret_file !== undefined
      ? "auth.enrol_secret_file"
      : (file ?? "BYLAW_ENROL_SECRET");
  return {
    enrol,
    operator,
    operators_file,
    named: [
      namedSecret(`\`${enrolName}\``, enrol),
      ...(operator === undefined ? [] : [namedSecret("`BYLAW_OPERATOR_TOKEN`", operator)]),
    ],
    places: [data, operators_file, ...(file === undefined ? [] : [file])],
    texts: [
      enrol,
      ...[given.enrol, operator].filter((text) => text !== undefined),
      ...passwordsIn(store),
    ],
  };
}

/** What opens a store that is a server, as it is written and as it is meant. */
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

const missing = (): BylawError =>
  new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message:
      "There is no secret that agents enrol with, and nodes that share a store need the same one",
    fix: "Set BYLAW_ENROL_SECRET, or name a file with `auth.enrol_secret_file`.",
  });

/** The text of a secret in a file that nobody else may read. What is thrown never says what it is. */
const secretIn = (file: string): string =>
  fit(Buffer.from(readKeyFile(file)).toString("utf8").trim(), `in \`${file}\``);

function fit(secret: string, where: string): string {
  if (secret.length >= SHORTEST && /^[!-+\--~]+$/.test(secret)) return secret;
  throw new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message: `The secret ${where} must have at least ${SHORTEST} visible characters and no comma`,
    fix: "Create one with `openssl rand -base64 48`.",
  });
}
