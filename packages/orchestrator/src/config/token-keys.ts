import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";
import { writeOnce } from "./data-folder.ts";
import { checkDistinct, namedSecret, type NamedSecret } from "./distinct-secrets.ts";
import { tokenPlace, TOKEN_VARIABLE, TOKEN_VARIABLES } from "./secret-places.ts";
import type { Settings } from "./settings.ts";

/** Where a key of tokens is, and its name in their heads. */
export type TokenKey = { readonly id: string } & (
  | { readonly env: string }
  | { readonly file: string }
);

/** The keys of tokens: the first signs, all of them verify. */
export interface TokenKeys {
  readonly keys: readonly TokenKey[];
  /** The files that they are in. */
  readonly files: readonly string[];
  /** The variables that may hold one. */
  readonly variables: readonly string[];
  /** The secret halves, that of the key that signs first. */
  readonly secrets: readonly string[];
  /** What they are. */
  readonly texts: readonly string[];
  /** Those that are secret, by where they were set. */
  readonly named: readonly NamedSecret[];
}

type Terms = Pick<Contract["enforcement"]["tokens"], "algorithm" | "secretEnvVar">;

/**
 * Finds the keys of tokens. One that no other node has to have is made on the first start. Their names follow from what they are, so that
 * a token says which of them signed it after one was replaced. Throws BYLAW_SECRET_INVALID where there is none, or two are the same.
 */
export function readTokenKeys(settings: Settings, { algorithm, secretEnvVar }: Terms): TokenKeys {
  const { variable: env, file, made = false } = tokenPlace(settings, process.env, secretEnvVar);
  if (env === undefined && file === undefined) throw missing();
  if (file !== undefined && made)
    writeOnce(
      file,
      algorithm === "EdDSA" ? privateKey() : `${randomBytes(48).toString("base64url")}\n`,
    );
  const { token_secret_file, old_token_secret_files: old } = settings.auth;
  const files = [...(file === undefined ? [] : [file]), ...old.map((one) => resolve(one))];
  const read = files.map((one) => ({ text: textIn(one), file: one }));
  const first = env === undefined ? [] : [{ text: process.env[env] ?? "", env }];
  const all = [...first, ...read];
  const keys = all.map(({ text, ...place }): TokenKey => ({ id: nameOf(text), ...place }));
  const variables = [...TOKEN_VARIABLES, ...(secretEnvVar === undefined ? [] : [secretEnvVar])];
  const signing = token_secret_file !== undefined ? "auth.token_secret_file" : (env ?? file ?? "");
  const names = [
    `\`${signing}\``,
    ...old.map((one) => `\`${one}\` in \`auth.old_token_secret_files\``),
  ];
  const named = all.map(({ text }, index) => namedSecret(names[index] ?? "", text));
  checkDistinct(named);
  const texts = all.map(({ text }) => text);
  return { keys, files, variables, secrets: texts, texts, named };
}

const missing = (): BylawError =>
  new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message:
      "There is no secret to sign tokens with, and nodes that share a store need the same one",
    fix: "Set BYLAW_JWT_SECRET, or name a file with `auth.token_secret_file`.",
  });

/** The keys as a configuration in `folder` names them, or leaves them to the contract. */
export function configuredKeys(
  named: readonly TokenKey[] | undefined,
  { secretEnvVar }: Terms,
  folder: string,
): TokenKeys {
  const keys = named ?? [{ id: "default", env: secretEnvVar ?? TOKEN_VARIABLE }];
  const files = keys.flatMap((key) => ("file" in key ? [resolve(folder, key.file)] : []));
  const variables = [
    ...new Set([...TOKEN_VARIABLES, ...keys.flatMap((key) => ("env" in key ? [key.env] : []))]),
  ];
  const secrets = keys.map((key) => {
    const text = "env" in key ? variableText(key.env) : secretIn(resolve(folder, key.file));
    return { text, name: `\`${"env" in key ? key.env : key.file}\`` };
  });
  const given = secrets.filter(({ text }) => text !== "");
  const texts = [
    ...variables.map((name) => process.env[name] ?? "").filter((text) => text !== ""),
    ...given.map(({ text }) => text),
  ];
  return {
    keys,
    files,
    variables,
    texts,
    secrets: given.map(({ text }) => text),
    named: given.map(({ name, text }) => namedSecret(name, text)),
  };
}

// As the plugin of tokens reads it.
const variableText = (name: string): string =>
  process.env[name] ??
  (name === TOKEN_VARIABLE ? process.env[TOKEN_VARIABLES[1] ?? ""] : undefined) ??
  "";

const secretIn = (file: string): string => (isPublic(file) ? "" : textIn(file));

// The half of a pair that tokens are verified by is nobody's secret, and others may read its file.
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

const nameOf = (text: string): string =>
  createHash("sha256").update(text, "latin1").digest("hex").slice(0, 12);
