import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { ProgramStart } from "./program.ts";

// Where the system looks for a program without a path.
const USUAL = ["/bin", "/usr/bin"].join(delimiter);

/** Why the system would not start a program, by its code; undefined where it would. Another that starts it could say so only in words. */
export function whyNotFound({ argv: [file = ""], cwd, env }: ProgramStart): "ENOENT" | "EACCES" | undefined {
  if (file === "") return "ENOENT";
  const folders = file.includes("/") ? [""] : (env["PATH"] ?? USUAL).split(delimiter);
  const found = folders.map((folder) => problemOf(resolve(cwd, folder, file)));
  if (found.includes(undefined)) return undefined;
  return found.includes("EACCES") ? "EACCES" : "ENOENT";
}

function problemOf(path: string): "ENOENT" | "EACCES" | undefined {
  try {
    if (!statSync(path).isFile()) return "EACCES";
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (cause) {
    return (cause as { readonly code?: unknown }).code === "EACCES" ? "EACCES" : "ENOENT";
  }
}
