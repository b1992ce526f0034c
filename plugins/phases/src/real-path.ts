import { lstatSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject, ToolCall } from "@bylaw/kernel";
import { absolutePath, segmentsOf } from "@bylaw/policy-language";

const MOST = 1_000;

/** Where the paths of a call lead, links followed: `{ paths: [[text, real path …]] }`. A text alone cannot be resolved, and is never allowed. */
export function resolveLinks(call: ToolCall, texts: readonly string[]): JsonObject {
  const folder = `/${segmentsOf(call.workspace ?? call.cwd ?? "/").join("/")}`;
  const root = { seen: folder, real: realPath(folder) ?? folder };
  return { paths: texts.map((text, at) => (at < MOST ? [text, ...placesOf(absolutePath(text, call), root)] : [text])) };
}

interface Root {
  readonly seen: string;
  readonly real: string;
}

function placesOf(path: string, root: Root): readonly string[] {
  const segments = path.split("/");
  // The system follows a link before it takes `..`, a program that tidies the text first does not: with a link before it nobody knows.
  const climbs = segments.flatMap((segment, at) => (segment === ".." ? [segments.slice(0, at).join("/")] : []));
  for (const before of climbs) {
    const plain = `/${segmentsOf(before).join("/")}`;
    const real = realPath(plain);
    if (real === undefined || within(real, root) !== plain) return [];
  }
  const real = realPath(`/${segmentsOf(path).join("/")}`);
  if (real === undefined) return [];
  const seen = within(real, root);
  return seen === real ? [real] : [seen, real];
}

// The workspace itself may lie behind a link.
const within = (path: string, { seen, real }: Root): string =>
  path === real ? seen : path.startsWith(`${real}/`) ? seen + path.slice(real.length) : path;

/** The path without links. What is not there yet is where it will be made; a link to nothing, and what cannot be read, is nowhere. */
function realPath(path: string): string | undefined {
  try {
    // Asked before, because a failure costs more than all the rest.
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) return realpathSync.native(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") return undefined;
  }
  if (path === "/") return undefined;
  const folder = realPath(dirname(path));
  return folder === undefined ? undefined : join(folder, path.slice(path.lastIndexOf("/") + 1));
}
