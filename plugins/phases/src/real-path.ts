import { lstatSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject, ToolCall } from "@bylaw/kernel";
import { absolutePath, segmentsOf } from "@bylaw/policy-language";

const MOST = 1_000;

/**
 * Where the paths of a call lead, links followed: `{ paths: [[text, real path …]] }`. A text alone cannot be resolved, and is never allowed.
 * A file with a second name that is one of the `guarded` is that one too.
 */
export function resolveLinks(call: ToolCall, texts: readonly string[], guarded: readonly string[]): JsonObject {
  const folder = `/${segmentsOf(call.workspace ?? call.cwd ?? "/").join("/")}`;
  const root = { seen: folder, real: realPath(folder) ?? folder };
  const places = (text: string): readonly string[] => {
    const found = placesOf(absolutePath(text, call), root);
    const real = found.at(-1);
    return real === undefined ? found : [...found, ...namesakes(real, guarded)];
  };
  return { paths: texts.map((text, at) => (at < MOST ? [text, ...places(text)] : [text])) };
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

// A hard link is no link to follow: the names of one file are told by its number.
function namesakes(real: string, guarded: readonly string[]): readonly string[] {
  const file = statsOf(real);
  if (file === undefined || !file.isFile() || file.nlink < 2) return [];
  return guarded.filter((path) => {
    const other = statsOf(path);
    return other?.ino === file.ino && other.dev === file.dev;
  });
}

function statsOf(path: string): ReturnType<typeof statSync> {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
