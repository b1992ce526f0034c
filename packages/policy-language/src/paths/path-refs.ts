import type { Json, ToolCall } from "@bylaw/kernel";
import type { Effect, FoundFiles } from "@bylaw/shell";
import { WORKING_FOLDERS, type ToolTable } from "../compile/tool-table.ts";
import type { Identity } from "../match/mcp.ts";
import type { LinePart } from "../match/shell-line.ts";
import { readFilters } from "./name-glob.ts";
import type { RegionNames } from "./path-overlap.ts";

export type Access = "read" | "write" | "both";

/** A text that a call uses as a path. */
export interface PathRef {
  readonly text: Json | undefined;
  readonly access: Access;
  /** Whether it only may be a path. Denies consider it, but an allow need not cover it. */
  readonly guessed?: boolean | undefined;
  /** Whether the command runs it, or loads it as code. */
  readonly executes?: boolean | undefined;
  /** Set if it is a folder and the call means something below it. */
  readonly region?: RegionNames | undefined;
  /** Whether it is deleted with everything below it. */
  readonly deletesBelow?: boolean | undefined;
  /** Set if everything below is deleted: the key under which the host says that git ignores it, or all that the glob finds. */
  readonly ignoredKey?: string | undefined;
  /** Whether the command follows links below it. */
  readonly follows?: boolean | undefined;
  /** The command's glob, if the region is what the glob finds. */
  readonly pattern?: string | undefined;
  /** Whether the shell splits and globs each name that the glob finds. */
  readonly splits?: boolean | undefined;
  /** The command's glob from whose matches the names come, if another glob than the region's. */
  readonly namesOf?: string | undefined;
  /** Set if another program finds files below it and passes their names to this command. */
  readonly found?: FoundRef | undefined;
  /** Whether the command touches only these files. */
  readonly exact?: boolean | undefined;
  /** What has to be there now, or else the command does not touch it. */
  readonly needs?: "folder" | "anything" | undefined;
  /** Whether it is on another machine or in a container. */
  readonly remote?: boolean | undefined;
}

/** What the host is asked about one path: whether it is no folder, does not exist, is ignored by git, or holds no link. */
export type Question = "folder" | "anything" | "ignored" | "unlinked";

/** The key under which the host says yes. */
export const questionKey = (text: string, question: Question): string =>
  JSON.stringify([question, text]);

/** Files that another program finds in a folder. */
export interface FoundRef {
  /** The key of the folder's listing. */
  readonly key: string;
  readonly folder: string;
  /** The written start of every found path. */
  readonly written: string;
  /** Globs for file names. Undefined: all files. */
  readonly only: RegionNames["only"];
  /** Whether some of the files may be links. */
  readonly links: boolean;
  /** Whether a name that would be read as other words makes the listing unknown. */
  readonly splits: boolean;
  /** Whether a shell reads each path as a glob. */
  readonly expands: boolean;
  /** Whether the program also reads everything below the folders among the files. */
  readonly recursive: boolean;
  /** Set if git tracks all of the files. See {@link FoundFiles.tracked}. */
  readonly tracked: FoundFiles["tracked"];
  /** See {@link FoundFiles.changed}. */
  readonly changed: boolean;
  /** Whether the program may find only some of the files. */
  readonly partial: boolean;
  /** Whether only files that a deny is about are listed. Then a folder that the host has not looked at is no obstacle. */
  readonly denied: boolean;
  /** The names of folders that the program leaves out. */
  readonly except: readonly string[];
  /**
   * Set if it leaves out what git ignores. `tracked`: also what git tracks already. `hidden`: also hidden files. `untracked`: all that git
   * does not track.
   */
  readonly leavesOut: "ignored" | "tracked" | "hidden" | "untracked" | undefined;
  /** Whether it looks from the top of the repository on. */
  readonly fromTop: boolean;
  /** Set if the files are copied or moved into this folder, and those count that a rule guards there. */
  readonly into?: string;
}

/** The texts that a call uses as paths, and the reason if some paths are unknown. */
export interface CollectedPathRefs {
  readonly wanted: readonly PathRef[];
  readonly unknown: string | undefined;
  /** The source of the paths. `table`: a file tool; `shell`: effects of a command; `generic`: arguments that look like paths. */
  readonly from: "table" | "shell" | "generic";
  /** Whether there are more paths than the limit. */
  readonly tooMany?: boolean;
}

/** The limit of paths in one call. A call with more is unknown. */
export const MAX_PATHS = 1000;

/** The arguments of a call by name. Undefined if they are an array. */
export type Args = { readonly [name: string]: Json } | undefined;

/** The facts from which the paths of a call are read. */
export interface PathSource {
  readonly call: ToolCall;
  readonly tools: ToolTable;
  readonly identity: Identity;
  /** The name of the fact in which the host says where the call's paths lead. */
  readonly pathsFact: string;
  /** The command of the line that is evaluated. Null for the call as a whole, and for a call without a line. */
  readonly part: LinePart | null;
  readonly args: Args;
}

export function own(args: Args, name: string): Json | undefined {
  return args !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
}

export const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value as Json];

export function collect(wanted: PathRef[], value: Json | undefined, access: Access): void {
  for (const text of listOf(value)) {
    if (wanted.length > MAX_PATHS) return;
    wanted.push({ text, access });
    // People write `@src/a.ts` in a prompt, and pi and its relatives read that as `src/a.ts`.
    if (typeof text === "string" && text.startsWith("@"))
      wanted.push({ text: text.slice(1), access });
  }
}

/** The relative paths of a call, below each folder that an argument says it works in. */
export function movedPaths(wanted: readonly PathRef[], args: Args): readonly PathRef[] {
  const folders = WORKING_FOLDERS.map((name) => own(args, name)).filter(
    (folder) => typeof folder === "string",
  );
  if (folders.length === 0) return [];
  const relative = wanted.filter(
    ({ text, remote }) => remote !== true && typeof text === "string" && !/^[/~]/.test(text),
  );
  return folders.flatMap((folder) =>
    relative.map((one) => ({ ...one, text: `${folder}/${String(one.text)}`, guessed: true })),
  );
}

/** The files that another program finds in the folder of an effect. */
export function foundRef(
  { text, pattern }: { readonly text: string; readonly pattern?: string },
  only: readonly string[] | undefined,
  { links, splits, expands, recursive, tracked, changed, partial, ignores }: FoundFiles,
): FoundRef {
  return {
    key: JSON.stringify([
      ...[text, links, splits, only ?? null, tracked ?? null],
      ...[changed === true, recursive === true, ignores === true, expands === true],
    ]),
    folder: text,
    written: pattern?.replace(/\\(.)/g, "$1") ?? text,
    only: only === undefined ? undefined : readFilters(only),
    ...{ links, splits, expands: expands === true, recursive: recursive === true },
    ...{ tracked, changed: changed === true, partial: partial === true },
    ...{ denied: false, except: [], leavesOut: ignores === true ? "hidden" : undefined },
    fromTop: false,
  };
}

/** The files below a folder whose contents a program prints, as far as a deny is about them. */
export function printedRef(
  path: { readonly text: string; readonly pattern?: string },
  only: readonly string[] | undefined,
  more: Partial<Pick<FoundRef, "except" | "leavesOut" | "fromTop">>,
): FoundRef {
  const ref = foundRef(path, only, { links: false, splits: false, partial: true });
  return {
    ...ref,
    ...more,
    key: JSON.stringify([ref.key, path.pattern ?? null, more]),
    denied: true,
  };
}

/** The files that are copied or moved into a folder, as far as a rule guards them there. */
export const broughtRef = (from: { readonly text: string }, into: string): FoundRef => {
  const ref = printedRef({ text: from.text }, undefined, {});
  return { ...ref, into, key: JSON.stringify([ref.key, "into", into]) };
};

/** An effect on files. */
export type FileEffect = Extract<Effect, { readonly path: unknown }>;

/** The files of an effect that the host has to look for. */
export function filesOf(
  { only, found, prints, except = [], adds, tracked, brings, ignores }: FileEffect,
  path: { readonly text: string; readonly pattern?: string },
): FoundRef | undefined {
  if (found !== undefined) return foundRef(path, only ?? found.names, found);
  if (brings?.text !== undefined) return broughtRef(brings, path.text);
  if (prints !== true) return undefined;
  const fromTop = (adds ?? tracked) === "top";
  if (tracked !== undefined) return printedRef(path, only, { leavesOut: "untracked", fromTop });
  const leavesOut = adds !== undefined ? "tracked" : ignores === true ? "hidden" : undefined;
  return printedRef(path, only, { except, leavesOut, fromTop });
}
