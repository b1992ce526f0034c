import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile } from "@bylaw/log";
import type { Algorithm, KeyOptions } from "./settings.ts";

export interface NamedKey {
  readonly id: string;
  readonly verify: KeyObject;
  /** Left out if only the public half is known. */
  readonly sign: KeyObject | undefined;
}

/** The least length of a shared secret: as many bytes as its digest has. */
const SECRET_BYTES = 32;
/** The variable of the workflow orchestrator from which this contract comes; read if the named variable is not set. */
const OLD_VARIABLE = "ORCHESTRATOR_JWT_SECRET";
const DEFAULT_VARIABLE = "BYLAW_JWT_SECRET";

/**
 * Reads the keys: the first one signs, all of them verify. Throws BYLAW_TOKEN_KEY_MISSING and BYLAW_TOKEN_KEY_INVALID, which never
 * contain key material.
 */
export function readKeys(
  algorithm: Algorithm,
  given: readonly KeyOptions[],
  folder: string,
): ReadonlyMap<string, NamedKey> {
  const keys = given.map((key) => ({ id: key.id, material: materialOf(key, algorithm, folder) }));
  return new Map(
    keys.map(({ id, material }) => [
      id,
      algorithm === "HS256" ? secretKey(id, material) : keyPair(id, material),
    ]),
  );
}

function materialOf(key: KeyOptions, algorithm: Algorithm, folder: string): Buffer {
  if ("env" in key) {
    const text =
      process.env[key.env] ??
      (key.env === DEFAULT_VARIABLE ? process.env[OLD_VARIABLE] : undefined);
    if (text !== undefined && text !== "") return Buffer.from(text, "utf8");
    throw missing(key.id, `the variable ${key.env} is not set`);
  }
  const file = resolve(folder, key.file);
  let material: Buffer;
  try {
    material = readFileSync(file);
  } catch {
    throw missing(key.id, `cannot read ${key.file}`);
  }
  // The public half of a pair is not secret. Nobody else may have read anything else.
  const isPublic =
    algorithm === "EdDSA" &&
    material.includes("-----BEGIN PUBLIC KEY-----") &&
    !material.includes("PRIVATE KEY");
  return isPublic ? material : Buffer.from(readKeyFile(file));
}

function secretKey(id: string, material: Buffer): NamedKey {
  // A line break at the end of a file is not part of the secret.
  const secret = material.toString("latin1").replace(/\r?\n$/, "");
  if (secret.length < SECRET_BYTES)
    throw invalid(id, `it has ${secret.length} bytes and needs at least ${SECRET_BYTES}`);
  const key = createSecretKey(Buffer.from(secret, "latin1"));
  return { id, verify: key, sign: key };
}

function keyPair(id: string, material: Buffer): NamedKey {
  const text = material.toString("utf8");
  try {
    const sign = text.includes("PRIVATE KEY") ? createPrivateKey(text) : undefined;
    const verify = createPublicKey(text);
    if (verify.asymmetricKeyType === "ed25519") return { id, verify, sign };
  } catch {
    // The library's message may contain a part of the key.
  }
  throw invalid(id, "it must be an Ed25519 key in PEM");
}

const missing = (id: string, why: string): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_KEY_MISSING",
    message: `There is no token key \`${id}\`: ${why}`,
    fix: "Create a secret with `openssl rand -base64 48`.",
  });

const invalid = (id: string, why: string): BylawError =>
  new BylawError({
    code: "BYLAW_TOKEN_KEY_INVALID",
    message: `Token key \`${id}\` cannot be used: ${why}`,
    fix: "Create a secret with `openssl rand -base64 48`, or a key pair with `openssl genpkey -algorithm ed25519`.",
  });
