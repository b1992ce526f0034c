import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Contract } from "@bylaw/contract";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";
import { writeOnce } from "./data-folder.ts";
import { tokenPlace, TOKEN_VARIABLE, TOKEN_VARIABLES } from "./secret-places.ts";
import type { Settings } from "./settings.ts";

/** Where a key of tokens is, and its name in their heads. */
export type TokenKey = { readonly id: string } & ({ readonly env: string } | { readonly file: string });

/** The keys of tokens: the first signs, all of them verify. */
export interface TokenKeys {
  readonly keys: readonly TokenKey[];
  /** The files that they are in. */
  readonly files: readonly string[];
  /** The variables that may hold one. */
  readonly variables: readonly string[];
  /** What they are. */
  readonly texts: readonly string[];
}

type Terms = Pick<Contract["enforcement"]["tokens"], "algorithm" | "secretEnvVar">;

/**
 * Finds the keys of tokens. One that no other node has to have is made on the first start. Their names follow from what they are, so that
 * a token says which of them signed it after one was replaced. Throws BYLAW_SECRET_INVALID where there is none.
 */
export function readTokenKeys(settings: Settings, { algorithm, secretEnvVar }: Terms): TokenKeys {
  const { variable: env, file, made = false } = tokenPlace(settings, process.env, secretEnvVar);
  if (env === undefined && file === undefined) throw missing();
  if (file !== undefined && made) writeOnce(file, algorithm === "EdDSA" ? privateKey() : `${randomBytes(48).toString("base64url")}\n`);
  const files = [...(file === undefined ? [] : [file]), ...settings.auth.old_token_secret_files.map((old) => resolve(old))];
  const read = files.map((one) => ({ text: textIn(one), file: one }));
  const first = env === undefined ? [] : [{ text: process.env[env] ?? "", env }];
  const keys = [...first, ...read].map(({ text, ...place }): TokenKey => ({ id: nameOf(text), ...place }));
  const variables = [...TOKEN_VARIABLES, ...(secretEnvVar === undefined ? [] : [secretEnvVar])];
  return { keys, files, variables, texts: [...first, ...read].map(({ text }) => text) };
}

const missing = (): BylawError =>
  new BylawError({
    code: "BYLAW_SECRET_INVALID",
    message: "Unexpected server without a secret of tokens, expected the one that all nodes have",
    fix: "set BYLAW_JWT_SECRET, or name a file with `auth.token_secret_file`",
  });

/** The keys as a configuration in `folder` names them, or leaves them to the contract. */
export function configuredKeys(named: readonly TokenKey[] | undefined, { secretEnvVar }: Terms, folder: string): TokenKeys {
  const keys = named ?? [{ id: "default", env: secretEnvVar ?? TOKEN_VARIABLE }];
  const files = keys.flatMap((key) => ("file" in key ? [resolve(folder, key.file)] : []));
  const variables = [...new Set([...TOKEN_VARIABLES, ...keys.flatMap((key) => ("env" in key ? [key.env] : []))])];
  const texts = [...variables.map((name) => process.env[name] ?? ""), ...files.flatMap((file) => (isPublic(file) ? [] : [textIn(file)]))];
  return { keys, files, variables, texts: texts.filter((text) => text !== "") };
}

// The half of a pair that tokens are verified by is nobody's secret, and others may read its file.
function isPublic(file: string): boolean {
  const text = readFileSync(file, "latin1");
  return text.includes("-----BEGIN PUBLIC KEY-----") && !text.includes("PRIVATE KEY");
}

const privateKey = (): string => generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;

const textIn = (file: string): string =>
  Buffer.from(readKeyFile(file))
    .toString("latin1")
    .replace(/\r?\n$/, "");

const nameOf = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex").slice(0, 12);
