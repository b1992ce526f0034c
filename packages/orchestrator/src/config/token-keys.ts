import { createHash, generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { readKeyFile } from "@bylaw/log";
import { tokenPlace, TOKEN_VARIABLE, TOKEN_VARIABLES } from "./secret-places.ts";
import { checkDistinct, invalidSecret, newSecret, writeOnce, type Secret } from "./secret.ts";
import type { Settings } from "./settings.ts";

/** Where a key of tokens is, and its id in the header of tokens. */
export type TokenKey = { readonly id: string } & (
  | { readonly env: string }
  | { readonly file: string }
);

/** The keys of tokens: the first signs, and all of them verify. */
export interface TokenKeys {
  readonly keys: readonly TokenKey[];
  /** The files of the keys. */
  readonly files: readonly string[];
  /** The variables that may hold a key. */
  readonly variables: readonly string[];
  /** The secret keys, starting with the one that signs. */
  readonly secrets: readonly Secret[];
  /** Values of such variables that are not used. */
  readonly unread: readonly string[];
}

type TokenSettings = Pick<Contract["enforcement"]["tokens"], "algorithm" | "secretEnvVar">;

/**
 * Finds the keys of tokens. The first start creates one, unless other nodes need the same. A key's id is derived from its text, so that a
 * token still shows which key signed it after the key was replaced. Throws BYLAW_SECRET_INVALID if there is no key, or two are equal.
 */
export function readTokenKeys(
  settings: Settings,
  { algorithm, secretEnvVar }: TokenSettings,
): TokenKeys {
  const { variable: env, file, made = false } = tokenPlace(settings, process.env, secretEnvVar);
  const { token_secret_file, old_token_secret_files: old } = settings.auth;
  if (file !== undefined && made)
    writeOnce(file, algorithm === "EdDSA" ? privateKey() : newSecret());
  const signing =
    env === undefined
      ? keyIn(file, token_secret_file === undefined ? (file ?? "") : "auth.token_secret_file")
      : { name: `\`${env}\``, text: process.env[env] ?? "", env };
  const older = old.map((one) => keyIn(resolve(one), one, " in `auth.old_token_secret_files`"));
  const secrets: readonly FoundKey[] = [signing, ...older];
  checkDistinct(secrets);
  return {
    keys: secrets.map((secret) => ({ id: idOf(secret.text), ...placeOf(secret) })),
    files: secrets.flatMap(({ file: one }) => (one === undefined ? [] : [one])),
    variables: [...TOKEN_VARIABLES, ...(secretEnvVar === undefined ? [] : [secretEnvVar])],
    secrets,
    unread: [],
  };
}

type FoundKey = Secret & { readonly env?: string };

function keyIn(file: string | undefined, setting: string, where = ""): FoundKey {
  if (file !== undefined) return { name: `\`${setting}\`${where}`, text: textIn(file), file };
  throw invalidSecret(
    "There is no secret to sign tokens with, and nodes that share a store need the same one",
    "Set BYLAW_JWT_SECRET, or name a file with `auth.token_secret_file`.",
  );
}

const placeOf = ({ env, file = "" }: FoundKey): { env: string } | { file: string } =>
  env === undefined ? { file } : { env };

/** The keys that a configuration in `folder` names, or leaves to the contract. */
export function configuredKeys(
  named: readonly TokenKey[] | undefined,
  { secretEnvVar }: TokenSettings,
  folder: string,
): TokenKeys {
  const keys = named ?? [{ id: "default", env: secretEnvVar ?? TOKEN_VARIABLE }];
  const files = keys.flatMap((key) => ("file" in key ? [resolve(folder, key.file)] : []));
  const given = keys.flatMap((key) => ("env" in key ? [key.env] : []));
  const variables = [...new Set([...TOKEN_VARIABLES, ...given])];
  const secrets = keys.map((key) =>
    "env" in key
      ? { name: `\`${key.env}\``, text: variableText(key.env) }
      : { name: `\`${key.file}\``, text: secretIn(resolve(folder, key.file)) },
  );
  return {
    keys,
    files,
    variables,
    secrets: secrets.filter(({ text }) => text !== ""),
    unread: variables.map((name) => process.env[name] ?? "").filter((text) => text !== ""),
  };
}

// As the plugin of tokens reads it.
const variableText = (name: string): string =>
  process.env[name] ??
  (name === TOKEN_VARIABLE ? process.env[TOKEN_VARIABLES[1] ?? ""] : undefined) ??
  "";

const secretIn = (file: string): string => (isPublic(file) ? "" : textIn(file));

// The public half of a key pair verifies tokens and is no secret, so others may read its file.
function isPublic(file: string): boolean {
  const text = readFileSync(file, "latin1");
  return text.includes("-----BEGIN PUBLIC KEY-----") && !text.includes("PRIVATE KEY");
}

const privateKey = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;

const textIn = (file: string): string =>
  Buffer.from(readKeyFile(file))
    .toString("latin1")
    .replace(/\r?\n$/, "");

const idOf = (text: string): string =>
  createHash("sha256").update(text, "latin1").digest("hex").slice(0, 12);
