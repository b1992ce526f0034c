import type { LogFinding, LogVerifier } from "@bylaw/log";
import type { LogLine } from "./log-line.ts";

/** A finding with the file that its line is of. */
export interface FileFinding extends LogFinding {
  readonly file: string;
}

/** What a verifier has against the lines of a log, for each read of them; `each` is called behind every line. */
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

/** What a verifier has against one line. */
export function findingsOf(
  { text, fault, terminated }: LogLine,
  verifier: LogVerifier,
): readonly LogFinding[] {
  return fault === undefined
    ? verifier.line(text, { terminated })
    : verifier.unreadable(fault, { terminated });
}
