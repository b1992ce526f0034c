import { resolve } from "node:path";

/** Files as they are written, each once however it is written. `-` is the standard input. */
export function distinctFiles(files: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return files.filter((file) => {
    const path = file === "-" ? file : resolve(file);
    return !seen.has(path) && seen.add(path);
  });
}
