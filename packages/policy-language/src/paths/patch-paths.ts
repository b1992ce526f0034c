import { readPatch } from "./patch.ts";
import { MAX_PATHS, type PathRef } from "./path-refs.ts";

/** Why the paths of a patch are unknown. */
export const UNREAD_PATCH = "a patch whose files are unclear";

/** Adds the files that a patch names. Returns why some are unknown. */
export function addPatch(wanted: PathRef[], text: string): string | undefined {
  const { paths, maybe, doubtful } = readPatch(text, MAX_PATHS);
  const room = MAX_PATHS + 1 - wanted.length;
  for (const path of paths.slice(0, room)) wanted.push({ text: path, access: "write" });
  for (const path of maybe.slice(0, Math.max(0, room - paths.length)))
    wanted.push({ text: path, access: "write", guessed: true });
  return doubtful || paths.length + maybe.length > room ? UNREAD_PATCH : undefined;
}
