import { readFile } from "node:fs/promises";
import { BylawError } from "@bylaw/kernel";
import type { LogVerifier } from "@bylaw/log";
import type { HeadFinding, HeadsReport, Link } from "@bylaw/plugin-event-log";
import { usageError } from "../io/report-error.ts";
import { inputFault } from "../io/input.ts";
import type { LogLine } from "./log-line.ts";
import { verifyLines, type FileFinding } from "./verify-lines.ts";

/** The files with which signed heads are checked. */
export interface HeadsOptions {
  /** The file of the log's signed heads. */
  readonly heads?: string;
  /** The file of the public key, in PEM. */
  readonly key?: string;
}

/** A problem with a head, and the file that contains the head. */
export interface SignedFinding extends Omit<HeadFinding, "rule"> {
  readonly file: string;
  readonly rule: HeadFinding["rule"] | "HEAD_MISSING";
}

/** What the signed heads prove about a log. */
export interface Signed extends Omit<HeadsReport, "findings"> {
  readonly findings: readonly SignedFinding[];
}

/**
 * Reads both files, or neither if neither is given. Throws BYLAW_USAGE_INVALID if only one is given, and BYLAW_LOG_UNREADABLE or
 * BYLAW_KEY_INVALID.
 */
export async function readHeads({
  heads,
  key,
}: HeadsOptions): Promise<
  { readonly file: string; readonly heads: string; readonly key: string } | undefined
> {
  if (heads === undefined && key === undefined) return undefined;
  if (key === undefined) throw usageError("`--heads` needs `--key`");
  if (heads === undefined) throw usageError("`--key` needs `--heads`");
  return { file: heads, heads: await textOf(heads), key: await textOf(key) };
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    const message = inputFault(error, file);
    if (message === undefined) throw error;
    throw new BylawError({
      code: "BYLAW_LOG_UNREADABLE",
      message,
      fix: "Check the path",
      source: { file },
      cause: error,
    });
  }
}

/** Verifies the lines of a log and its signed heads in one pass. Calls `tell` with each problem of the lines. Throws BYLAW_KEY_INVALID. */
export async function verifySigned(
  lines: AsyncIterable<readonly LogLine[]>,
  verifier: LogVerifier,
  {
    file,
    heads,
    key,
    run,
  }: {
    readonly file: string;
    readonly heads: string;
    readonly key: string;
    readonly run: string | undefined;
  },
  tell: (findings: readonly FileFinding[]) => Promise<void>,
): Promise<Signed> {
  const { verifyHeads } = await import("@bylaw/plugin-event-log");
  const links: Link[] = [];
  async function* events(): AsyncGenerator<Link> {
    let last = 0;
    const seen = (): void => {
      const { head } = verifier;
      if (head.sequence !== last) links.push(head);
      last = head.sequence;
    };
    for await (const findings of verifyLines(lines, verifier, { each: seen })) {
      yield* links.splice(0);
      if (findings.length > 0) await tell(findings);
    }
  }
  const { findings, ...report } = await verifyHeads({
    heads,
    key,
    events: events(),
    ...(run === undefined ? {} : { run }),
  });
  const found: SignedFinding[] = findings.map((finding) => ({ ...finding, file }));
  // Without this, emptying the file of heads, or cutting its last line, would hide that the log was cut off.
  if (report.heads === 0 && found.every(({ severity }) => severity === "warning")) {
    found.push({
      file,
      line: 1,
      rule: "HEAD_MISSING",
      severity: "error",
      message: "The file holds no signed head, so the end of the log cannot be checked.",
    });
  }
  return { ...report, findings: found };
}
