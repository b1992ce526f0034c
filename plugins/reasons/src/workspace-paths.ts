import { plainOf } from "./similarity.ts";

/** A text in which every workspace path reads the same, without invisible characters. It shows whether two answers are equal. */
export function withoutWorkspaces(
  text: string,
  workspaces: readonly (string | null | undefined)[],
): string {
  const named = workspaces.flatMap((folder) => (folder ? [folder.replace(/[\\/]+$/, "")] : []));
  // A single word is no path, because it could occur anywhere.
  const folders = [...new Set(named)].filter((folder) => /[\\/]/.test(folder));
  // The longest first, so that a folder inside another is replaced as a whole.
  folders.sort((left, right) => right.length - left.length);
  return plainOf(folders.reduce(replaced, text)).trim();
}

// Replaces whole paths only: `/w/a` does not occur in `/w/ab`.
function replaced(text: string, folder: string): string {
  const parts = text.split(folder);
  let result = parts[0] ?? "";
  for (const part of parts.slice(1))
    result += (/^[\p{L}\p{N}_-]/u.test(part) ? folder : "<workspace>") + part;
  return result;
}
