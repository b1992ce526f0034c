import { createHash, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The result of checking a seal. */
export type SealVerdict = "valid" | "other_key" | "forged";

/** Seals JSON objects, so that nobody without the key can change or create one. */
export interface Seals {
  /**
   * Returns the text of a JSON object with a seal as its last field. `about`: what it describes; a seal for one thing is not valid for
   * another.
   */
  seal(about: string, text: string): string;
  /** Checks a sealed text. Returns the verdict and the text without its seal. */
  open(about: string, sealed: string): { readonly verdict: SealVerdict; readonly text: string };
}

interface Key {
  readonly id: string;
  readonly secret: Uint8Array;
}

const SEAL = /,"seal":"([0-9a-f]{16})\.([0-9a-f]{64})"\}$/;

/**
 * Creates seals. The first secret seals, and all of them verify. The secrets may have other uses, because the keys are derived for seals
 * only.
 */
export function createSeals(secrets: readonly string[]): Seals {
  const keys = secrets.map(keyOf);
  const [first] = keys;
  if (first === undefined) throw new TypeError("A seal needs a secret.");
  return {
    seal: (about, text) =>
      `${text.slice(0, -1)},"seal":"${first.id}.${macOf(first, about, text).toString("hex")}"}`,
    open(about, sealed) {
      const [tail, id = "", mac = ""] = SEAL.exec(sealed) ?? [];
      if (tail === undefined) return { verdict: "forged", text: sealed };
      const text = `${sealed.slice(0, -tail.length)}}`;
      const key = keys.find((one) => one.id === id);
      if (key === undefined) return { verdict: "other_key", text };
      const isOurs = timingSafeEqual(macOf(key, about, text), Buffer.from(mac, "hex"));
      return { verdict: isOurs ? "valid" : "forged", text };
    },
  };
}

function keyOf(secret: string): Key {
  const derived = new Uint8Array(hkdfSync("sha256", secret, "", "bylaw/log-seal", 32));
  return {
    id: createHash("sha256").update("bylaw/log-seal-id").update(derived).digest("hex").slice(0, 16),
    secret: derived,
  };
}

const macOf = ({ secret }: Key, about: string, text: string): Buffer =>
  createHmac("sha256", secret)
    .update(`${JSON.stringify(about)}\n`)
    .update(text)
    .digest();
