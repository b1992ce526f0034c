import { BylawError, isJsonObject, type Json } from "@bylaw/kernel";
import { compactVerify, importSPKI } from "jose";
import { HEAD_TYPE, type Head } from "./heads.ts";

/** A fault of a head, or of the log that it is about. */
export interface HeadFinding {
  /** The line in the file of heads, from 1. */
  readonly line: number;
  /**
   * `HEAD_INVALID`: not a head signed by this key. `HEAD_OTHER_RUN`: about another run than the first head. `HEAD_MISMATCH`: the log
   * has another event there. `LOG_CUT`: the log ends before it. `HEAD_TORN`: the last line is cut off.
   */
  readonly rule: "HEAD_INVALID" | "HEAD_OTHER_RUN" | "HEAD_MISMATCH" | "LOG_CUT" | "HEAD_TORN";
  readonly severity: "error" | "warning";
  readonly message: string;
}

/** The facts that the signed heads of a log prove. */
export interface HeadsReport {
  /** The number of heads that are signed by the key and agree with the log. */
  readonly heads: number;
  /** The last of them, by sequence. Up to here, nobody without the key has cut or changed anything. */
  readonly last: Head | undefined;
  readonly findings: readonly HeadFinding[];
}

/** The parts of a log that are compared with its heads. */
export interface HeadsInput {
  /** The text of the file of heads. */
  readonly heads: string;
  /** An Ed25519 public key, in PEM (SPKI). */
  readonly key: string;
  /**
   * The sequence and hash of every event, in the order of the log; for a rotated log, of all its files. Check with
   * `createLogVerifier` that the hashes fit the events.
   */
  readonly events: Iterable<Link> | AsyncIterable<Link>;
  /** The name of the run, if it is known. */
  readonly run?: string;
}

/** The sequence and hash of an event. */
export interface Link {
  readonly sequence: number;
  readonly hash?: string | undefined;
}

/**
 * Checks a log against its signed heads. A chain cannot show that its end was cut off, but a signed head can. Throws
 * BYLAW_KEY_INVALID for text that is not a key.
 */
export async function verifyHeads({ heads, key, events, run }: HeadsInput): Promise<HeadsReport> {
  const publicKey = await importSPKI(key, "EdDSA").catch(() => {
    throw new BylawError({
      code: "BYLAW_KEY_INVALID",
      message: "The key is not an Ed25519 public key in PEM",
      fix: "`openssl pkey -in private.pem -pubout` prints the public key of a private one",
    });
  });
  const findings: HeadFinding[] = [];
  const open = await readHeads(heads, publicKey, run, findings);
  let count = 0;
  let last: Head | undefined;
  let end = 0;
  for await (const { sequence, hash } of events) {
    end = Math.max(end, sequence);
    for (const { head, line } of open.get(sequence) ?? []) {
      if (head.hash === hash) {
        count += 1;
        if (last === undefined || last.sequence <= head.sequence) last = head;
      } else {
        const message = `Event ${sequence} is not the one that was signed at ${head.at}.`;
        findings.push({ line, rule: "HEAD_MISMATCH", severity: "error", message });
      }
    }
    open.delete(sequence);
  }
  for (const { head, line } of [...open.values()].flat()) {
    const what = head.sequence > end ? `ends at event ${end}` : `lacks event ${head.sequence}`;
    const message = `The log ${what}, but event ${head.sequence} was signed at ${head.at}.`;
    findings.push({ line, rule: "LOG_CUT", severity: "error", message });
  }
  return { heads: count, last, findings: findings.sort((one, other) => one.line - other.line) };
}

type Key = Awaited<ReturnType<typeof importSPKI>>;

/** Reads the heads that are about the run, by sequence. Reports the other lines. */
async function readHeads(
  text: string,
  key: Key,
  run: string | undefined,
  findings: HeadFinding[],
): Promise<Map<number, readonly { readonly head: Head; readonly line: number }[]>> {
  const lines = text.split("\n");
  const found = new Map<number, readonly { readonly head: Head; readonly line: number }[]>();
  let wanted = run;
  for (const [index, written] of lines.entries()) {
    const token = written.trim();
    if (token === "") continue;
    const line = index + 1;
    const head = await headIn(token, key);
    if (head === undefined && line === lines.length) {
      // The writer was killed; what it signed before is on the lines above.
      const message = "The last line was cut off.";
      findings.push({ line, rule: "HEAD_TORN", severity: "warning", message });
    } else if (head === undefined) {
      const message = "This line is not a head signed with this key.";
      findings.push({ line, rule: "HEAD_INVALID", severity: "error", message });
    } else if (head.run !== (wanted ??= head.run)) {
      const message = `This head is of run \`${head.run}\`, not of run \`${wanted}\`.`;
      findings.push({ line, rule: "HEAD_OTHER_RUN", severity: "error", message });
    } else found.set(head.sequence, [...(found.get(head.sequence) ?? []), { head, line }]);
  }
  return found;
}

async function headIn(token: string, key: Key): Promise<Head | undefined> {
  try {
    const { payload, protectedHeader } = await compactVerify(token, key, { algorithms: ["EdDSA"] });
    if (protectedHeader.typ !== HEAD_TYPE) return undefined;
    const head = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(payload)) as Json;
    if (!isJsonObject(head)) return undefined;
    const { run, sequence, hash, at } = head;
    const fits =
      typeof run === "string" &&
      Number.isSafeInteger(sequence) &&
      typeof hash === "string" &&
      typeof at === "string";
    return fits ? { run, sequence: sequence as number, hash, at } : undefined;
  } catch {
    return undefined;
  }
}
