import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SIGNATURE_FILE } from "@bylaw/config";
import { BylawError } from "@bylaw/kernel";
import { readKeyFile, unusableKey } from "@bylaw/log";
import { CompactSign, compactVerify, importPKCS8, importSPKI } from "jose";

const ALGORITHM = "EdDSA";
const VARIABLE = "BYLAW_SIGNING_KEY";

/**
 * Signs a digest: a JWS without its content (RFC 7515, appendix F). The key is an Ed25519 private key in PKCS #8, in a file that only
 * its owner reads, or in BYLAW_SIGNING_KEY. Throws BYLAW_KEY_INVALID or BYLAW_KEY_EXPOSED.
 */
export async function signDigest(digest: string, keyFile: string | undefined): Promise<string> {
  const pem = keyFile === undefined ? process.env[VARIABLE] : textOf(readKeyFile(keyFile));
  const wrong = unusableKey(keyFile ?? VARIABLE, "an Ed25519 private key in PKCS #8");
  const key = await importPKCS8(pem ?? "", ALGORITHM).catch(() => {
    throw wrong;
  });
  const jws = await new CompactSign(Buffer.from(digest))
    .setProtectedHeader({ alg: ALGORITHM })
    .sign(key)
    .catch(() => {
      throw wrong;
    });
  return jws.replace(/\.[^.]*\./, "..");
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** The public key in a file, in PEM. Throws BYLAW_KEY_INVALID. */
export async function readPublicKey(file: string): Promise<string> {
  let pem = "";
  try {
    pem = readFileSync(file, "utf8");
    await importSPKI(pem, ALGORITHM);
  } catch {
    throw unusableKey(file, "an Ed25519 public key in PEM");
  }
  return pem;
}

/** Checks that a package has a signature of its digest by this key. Throws BYLAW_RULESET_UNSIGNED. */
export async function checkSignature(folder: string, digest: string, pem: string): Promise<void> {
  const file = join(folder, SIGNATURE_FILE);
  const unsigned = (message: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_RULESET_UNSIGNED",
      message,
      fix: "Ask its publisher, and do not use this copy",
      source: { file },
      cause,
    });
  if (!existsSync(file)) throw unsigned("The ruleset is not signed");
  const [header = "", content, signature = ""] = readFileSync(file, "utf8").trim().split(".");
  const jws = `${header}.${Buffer.from(digest).toString("base64url")}.${signature}`;
  try {
    if (content !== "") throw new TypeError("the content is inside");
    await compactVerify(jws, await importSPKI(pem, ALGORITHM), { algorithms: [ALGORITHM] });
  } catch (cause) {
    throw unsigned("The signature is not by this key, or of other files", cause);
  }
}
