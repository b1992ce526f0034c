import { resolve } from "node:path";

/** Drops files that are named twice, however they are written. `-` is standard input. */
export function distinctFiles(files: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    const path = file === "-" ? file : resolve(file);
    return !seen.has(path) && seen.add(path);
  });
}
