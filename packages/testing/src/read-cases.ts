import { readFileSync } from "node:fs";

/**
 * Reads the cases `name` of a test file: `cases/x/name.jsonl` beside `x.test.ts`, one JSON value a line; blank lines are
 * skipped. Cases and their members are frozen. Throws an error that names the file and line where a line is not JSON, or
 * where there is no case at all.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what a line holds
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
