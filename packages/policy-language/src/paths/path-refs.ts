import type { Json, ToolCall } from "@bylaw/kernel";
import type { ToolTable } from "../compile/tool-table.ts";
import type { Identity } from "../match/mcp.ts";
import type { LinePart } from "../match/shell-line.ts";
import type { RegionNames } from "./path-overlap.ts";

export type Access = "read" | "write" | "both";

/** A text that a call names as a path. */
export interface PathRef {
  readonly text: Json | undefined;
  readonly access: Access;
  /** It may be a path: reason to deny, and nothing that an allow must cover. */
  readonly guess?: boolean | undefined;
  /** It is a folder, and what is meant lies below it. */
  readonly region?: RegionNames | undefined;
  /** On its way down a command goes where links lead. */
  readonly follows?: boolean | undefined;
  /** The glob of a command, where the region is what it finds. */
  readonly pattern?: string | undefined;
  /** Another program finds files below it and hands their names to this one. */
  readonly found?: FoundRef | undefined;
  /** It lies on another machine or in a container. */
  readonly remote?: boolean | undefined;
}

/** Files that another program finds in a folder. */
export interface FoundRef {
  /** A key for the listing of a folder. */
  readonly key: string;
  readonly folder: string;
  /** What stands in the line, which every path begins with. */
  readonly written: string;
  /** Only files whose name matches one of these globs. Undefined: all. */
  readonly only: RegionNames["only"];
  /** Some may be links. */
  readonly links: boolean;
  /** Names that would be read as other words are refused. */
  readonly splits: boolean;
}

/** As many paths of one call are looked at; a call with more is unknown. */
export const MAX_PATHS = 1000;

/** The arguments of a call by name; an array has none. */
export type Args = { readonly [name: string]: Json } | undefined;

/** What the paths of a call are read from. */
export interface PathSource {
  readonly call: ToolCall;
  readonly tools: ToolTable;
  readonly identity: Identity;
  /** The fact of the call under which the host says where its paths lead. */
  readonly pathsFact: string;
  /** The command of the line that is asked about; null for a call that runs no line, and for the call as a whole. */
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
  }
}
