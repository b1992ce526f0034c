/** A text in which every path of a workspace reads the same, without white space around it: for telling whether two answers are one. */
export function withoutWorkspaces(text: string, workspaces: readonly (string | null | undefined)[]): string {
  const folders = [...new Set(workspaces.flatMap((folder) => (folder ? [folder.replace(/[\\/]+$/, "")] : [])))].filter(
    (folder) => folder !== "",
  );
  // The longest first, so that a folder inside another is not taken apart.
  folders.sort((left, right) => right.length - left.length);
  return folders.reduce(replaced, text).trim();
}

// Only as a whole: `/w/a` does not stand in `/w/ab`.
function replaced(text: string, folder: string): string {
  const parts = text.split(folder);
  let result = parts[0] ?? "";
  for (const part of parts.slice(1)) result += (/^[\p{L}\p{N}_-]/u.test(part) ? folder : "<workspace>") + part;
  return result;
}
