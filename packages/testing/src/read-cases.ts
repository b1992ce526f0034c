import { readFileSync } from "node:fs";

/**
 * Reads the cases `name` of a test file: `cases/x/name.jsonl` beside `x.test.ts`, with one JSON value per line. Skips blank lines. The
 * cases are deeply frozen. Throws an error with file and line for a line that is not JSON, and an error for a file without cases.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the type of a line
export function readCases<T>({ url }: { readonly url: string }, name: string): readonly T[] {
  const file = new URL(`cases/${/([^/.]+)[^/]*$/.exec(url)?.[1] ?? ""}/${name}.jsonl`, url);
  const cases = readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [parseCase(line, file, at + 1) as T]));
  if (cases.length === 0) throw new Error(`${file.pathname} holds no case`);
  return Object.freeze(cases);
}

function parseCase(line: string, file: URL, at: number): unknown {
  try {
    return JSON.parse(line, (_, value: unknown) => Object.freeze(value));
  } catch (cause) {
    throw new Error(`Line ${at} of ${file.pathname} is not JSON`, { cause });
  }
}
