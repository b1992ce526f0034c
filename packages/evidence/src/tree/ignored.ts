import { existsSync } from "node:fs";
import { join } from "node:path";

/** Folders that tools fill, at any depth. */
const ANYWHERE: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  "__pycache__",
  ".venv",
  ".pytest_cache",
  ".mypy_cache",
  ".ruff_cache",
  ".hypothesis",
  ".tox",
  ".nox",
  ".turbo",
  ".nyc_output",
  ".bylaw",
  ".orchestrator",
]);

/** Folders and files that tools create at the top of a workspace. Elsewhere, they could be sources. */
const AT_TOP: ReadonlySet<string> = new Set([
  "coverage",
  "htmlcov",
  "target",
  ".coverage",
  "lcov.info",
  ".DS_Store",
]);

/** Whether a name is excluded from the digest. The list is fixed, because an agent may write a `.gitignore`. */
export function isLeftOut(
  name: string,
  folder: string,
  { top }: { readonly top: boolean },
): boolean {
  if (ANYWHERE.has(name) || (top && AT_TOP.has(name))) return true;
  return name === "venv" && existsSync(join(folder, name, "pyvenv.cfg"));
}
