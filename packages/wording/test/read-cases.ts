import { readFileSync } from "node:fs";

/** The cases of a `.jsonl` file. Testing has the same with better messages, but it needs the kernel, and the kernel needs these words. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows what a line holds
export const readCases = <T>(file: URL): readonly T[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
