import { isUtf8 } from "node:buffer";
import { BylawError } from "@bylaw/kernel";
import {
  createCatalogue,
  createLogVerifier,
  type CatalogueMode,
  type FindingSeverity,
  type LogFinding,
  type LogProfile,
  type LogVerifier,
} from "@bylaw/log";
import { inputFault, openInput } from "../input.ts";
import { LINE_LIMIT_BYTES, TOO_LONG, linesOf } from "../lines.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { count, paintFor, place, plain, type Paint } from "../text.ts";

/** The options of `bylaw log verify`. */
export interface VerifyOptions {
  readonly profile?: LogProfile;
  readonly catalogue?: CatalogueMode;
  readonly json?: boolean;
}

/** Prints what is wrong with a log. The exit code is 1 where something is an error. */
export async function verifyLog(file: string, { profile = "envelope", catalogue = "lenient", json = false }: VerifyOptions): Promise<void> {
  const verifier = createLogVerifier({ profile, catalogue: createCatalogue({ mode: catalogue }) });
  const paint = paintFor(process.stdout);
  const counts: Record<FindingSeverity, number> = { error: 0, warning: 0 };
  const kept: LogFinding[] = [];
  for await (const findings of findingsOf(file, verifier)) {
    for (const finding of findings) {
      counts[finding.severity] += 1;
      if (json) kept.push(finding);
    }
    if (!json) await write(findings.map((finding) => `${findingText(finding, file, paint)}\n`).join(""));
  }
  const { events } = verifier;
  await write(json ? jsonLine({ events, findings: kept }) : `${summary(counts, events)}\n`);
  conclude(counts.error > 0 ? 1 : 0);
}

/** The findings of a log, as many as each chunk of its file brings, where it brings any. */
async function* findingsOf(file: string, verifier: LogVerifier): AsyncGenerator<readonly LogFinding[]> {
  // What comes behind the last chunk is the line that no line break ends.
  let terminated = true;
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* openInput(file);
    terminated = false;
  }
  try {
    for await (const lines of linesOf(chunks())) {
      const found: LogFinding[] = [];
      for (const bytes of lines) {
        for (const finding of verify(bytes, verifier, { terminated })) found.push(finding);
      }
      if (found.length > 0) yield found;
    }
  } catch (error) {
    const what = inputFault(error);
    if (what === undefined) throw error;
    const message = `Unexpected ${what}, expected a log with one event per line`;
    throw new BylawError({
      code: "BYLAW_LOG_UNREADABLE",
      message,
      fix: "name a file, or - for the standard input",
      source: { file },
      cause: error,
    });
  }
}

function verify(bytes: Buffer | typeof TOO_LONG, verifier: LogVerifier, end: { readonly terminated: boolean }): readonly LogFinding[] {
  if (bytes === TOO_LONG) return verifier.unreadable(`line of more than ${LINE_LIMIT_BYTES} bytes`, end);
  if (!isUtf8(bytes)) return verifier.unreadable("bytes that are not UTF-8", end);
  return verifier.line(bytes.toString("utf8"), end);
}

const STYLE = { error: "red", warning: "yellow" } as const;

function findingText({ line, rule, severity, message }: LogFinding, file: string, paint: Paint): string {
  return `${place({ file, line })} ${paint(STYLE[severity], severity)} ${rule}: ${plain(message)}`;
}

function summary({ error, warning }: Readonly<Record<FindingSeverity, number>>, events: number): string {
  const found = [...(error > 0 ? [count(error, "error")] : []), ...(warning > 0 ? [count(warning, "warning")] : [])];
  return `${found.length === 0 ? "No findings" : found.join(", ")} in ${count(events, "event")}`;
}
