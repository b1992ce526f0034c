import { readKeyFile, unusableKey } from "@bylaw/log";
import { closeSync, fstatSync, fsyncSync } from "node:fs";
import { dirname } from "node:path";
import { CompactSign, importPKCS8 } from "jose";
import { appendBytes, openAppendFile, syncFolder } from "./log-file.ts";
import { readAt } from "./read-at.ts";
import type { Mark } from "./mark.ts";
import { flushFailed } from "./problems.ts";

export interface HeadsOptions {
  /** Absolute path of an Ed25519 private key in PKCS #8. */
  readonly key_file: string;
  /** The least time between two heads of one process, in milliseconds. */
  readonly every_ms: number;
}

/** The claim of a signed head: at this time, the log had reached this event. */
export interface Head {
  readonly run: string;
  readonly sequence: number;
  /** The chain hash of that event. */
  readonly hash: string;
  /** RFC 3339, UTC. */
  readonly at: string;
}

/** Signs how far a log had come at what time, so that a missing end is detected. */
export interface Heads {
  /** Whether a head for this mark is due now. `last`: there is no later chance. */
  due(mark: Mark | undefined, last?: boolean): boolean;
  /** Milliseconds until a head may be signed; `undefined` if the mark already has one. */
  delay(mark: Mark | undefined): number | undefined;
  /** Appends a head durably. Call it under the lock of the log. */
  sign(mark: Mark | undefined): Promise<void>;
}

/** The type in the header of a head, so that another text signed with the same key is not accepted as one. */
export const HEAD_TYPE = "bylaw-head+jws";

/** Reads the key. Throws BYLAW_KEY_EXPOSED and BYLAW_KEY_INVALID. */
export async function openHeads(
  run: string,
  path: string,
  { key_file, every_ms }: HeadsOptions,
): Promise<Heads> {
  const pem = Buffer.from(readKeyFile(key_file)).toString("utf8");
  const key = await importPKCS8(pem, "EdDSA").catch(() => {
    throw unusableKey(key_file, "an Ed25519 private key in PKCS #8");
  });
  let signed = 0;
  let at = -Infinity;
  const isNew = (mark: Mark | undefined): mark is Mark & { readonly hash: string } =>
    mark?.hash !== undefined && mark.sequence > signed;
  return {
    due: (mark, last = false) => isNew(mark) && (last || performance.now() >= at + every_ms),
    delay: (mark) => (isNew(mark) ? Math.max(0, at + every_ms - performance.now()) : undefined),
    async sign(mark) {
      if (!isNew(mark)) return;
      const { sequence, hash } = mark;
      const head: Head = { run, sequence, hash, at: new Date().toISOString() };
      const payload = new TextEncoder().encode(JSON.stringify(head));
      const token = await new CompactSign(payload)
        .setProtectedHeader({ alg: "EdDSA", typ: HEAD_TYPE })
        .sign(key);
      append(path, token);
      signed = sequence;
      at = performance.now();
    },
  };
}

function append(path: string, token: string): void {
  const file = openAppendFile(path);
  try {
    const { size } = fstatSync(file.fd);
    // Half a head of a stopped process must not damage the next one.
    const open = size > 0 && readAt(file.fd, size - 1, 1)[0] !== 0x0a;
    appendBytes(file, Buffer.from(`${open ? "\n" : ""}${token}\n`));
    try {
      fsyncSync(file.fd);
      if (file.created) syncFolder(dirname(path));
    } catch (error) {
      throw flushFailed(path, error);
    }
  } finally {
    closeSync(file.fd);
  }
}
