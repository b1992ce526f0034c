import type { LogFinding, LogVerifier } from "@bylaw/log";
import type { LogLine } from "./log-line.ts";

/** A finding, and the file that contains its line. */
export interface FileFinding extends LogFinding {
  readonly file: string;
}

/** Yields a verifier's findings about the lines of a log, read by read. Calls `each` after every line. */
export async function* verifyLines(
  lines: AsyncIterable<readonly LogLine[]>,
  verifier: LogVerifier,
  { each }: { readonly each?: () => void } = {},
): AsyncGenerator<readonly FileFinding[]> {
  let file: string | undefined;
  for await (const batch of lines) {
    const found: FileFinding[] = [];
    for (const line of batch) {
      if (line.file !== file || line.line === 1) verifier.nextFile();
      file = line.file;
      for (const finding of findingsOf(line, verifier)) found.push({ ...finding, file: line.file });
      each?.();
    }
    yield found;
  }
}

/** A verifier's findings about one line. */
export function findingsOf(
  { text, fault, terminated }: LogLine,
  verifier: LogVerifier,
): readonly LogFinding[] {
  return fault === undefined
    ? verifier.line(text, { terminated })
    : verifier.unreadable(fault, { terminated });
}
