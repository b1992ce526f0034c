import type { Json } from "@bylaw/kernel";
import type { CallFacts } from "./facts.ts";
import type { Region } from "./path-meet.ts";

export type Access = "read" | "write" | "both";

/** A text that a call names as a path. */
export interface Wanted {
  readonly text: Json | undefined;
  readonly access: Access;
  /** It may be a path: reason to deny, and nothing that an allow must cover. */
  readonly guess?: boolean;
  /** It is a folder, and what is meant lies below it. */
  readonly region?: Pick<Region, "names" | "only">;
  /** On its way down a command goes where links lead. */
  readonly follows?: boolean;
  /** The glob of a command, where the region is what it finds. */
  readonly pattern?: string;
  /** It lies on another machine or in a container. */
  readonly remote?: boolean;
}

/** As many paths of one call are looked at; a call with more is unknown. */
export const MAX_PATHS = 1000;

export type Args = CallFacts["args"];

export function own(args: Args, name: string): Json | undefined {
  return args !== undefined && Object.hasOwn(args, name) ? args[name] : undefined;
}

export const listOf = (value: Json | undefined): readonly Json[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Json[]) : [value as Json];

export function collect(wanted: Wanted[], value: Json | undefined, access: Access): void {
  for (const text of listOf(value)) {
    if (wanted.length > MAX_PATHS) return;
    wanted.push({ text, access });
  }
}
