import { plainOf } from "./similarity.ts";

/** A text in which every path of a workspace reads the same, without what nobody sees: for telling whether two answers are one. */
export function withoutWorkspaces(
  text: string,
  workspaces: readonly (string | null | undefined)[],
): string {
  const named = workspaces.flatMap((folder) => (folder ? [folder.replace(/[\\/]+$/, "")] : []));
  // A single word is no path: it could stand anywhere.
  const folders = [...new Set(named)].filter((folder) => /[\\/]/.test(folder));
  // The longest first, so that a folder inside another is not taken apart.
  folders.sort((left, right) => right.length - left.length);
  return plainOf(folders.reduce(replaced, text)).trim();
}

// Only as a whole: `/w/a` does not stand in `/w/ab`.
function replaced(text: string, folder: string): string {
  const parts = text.split(folder);
  let result = parts[0] ?? "";
  for (const part of parts.slice(1))
    result += (/^[\p{L}\p{N}_-]/u.test(part) ? folder : "<workspace>") + part;
  return result;
}
