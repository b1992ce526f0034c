import type { ToolCall } from "@bylaw/kernel";
import { RECURSIVE } from "../compile/tool-table.ts";
import type { PathSource } from "./path-refs.ts";
import { segmentsOf } from "./path-text.ts";
import { Place } from "./place.ts";

// All commands of a call ask for the same two folders.
const KEPT_FOLDERS = 16;
const folders = new Map<string, Place>();

function folder(path: string | undefined): Place | undefined {
  if (path?.startsWith("/") !== true) return undefined;
  let place = folders.get(path);
  if (place === undefined) {
    if (folders.size >= KEPT_FOLDERS) folders.clear();
    folders.set(path, (place = new Place(segmentsOf(path))));
  }
  return place;
}

/** The workspace of a call, or its working directory. Undefined if unknown. */
export const workspaceOf = ({ workspace, cwd }: ToolCall): Place | undefined =>
  folder(workspace ?? cwd);

/** The home folder of a call. Undefined if unknown. */
export const homeOf = ({ home }: ToolCall): Place | undefined => folder(home);

/** Whether a tool works on everything below its folder. */
export function isRecursive({ identity, args, tools }: PathSource): boolean {
  const kind = RECURSIVE.get(identity.bare);
  if (kind !== "asked") return kind === "always" || tools.files.get(identity.bare)?.cwd === true;
  return ["recursive", "depth", "max_depth", "maxDepth"].some(
    (name) => args?.[name] !== undefined && args[name] !== false,
  );
}
