import type { Assignment, Effect, Hazard, Origin, Redirection, Unknown, Word } from "./analysis.ts";
import { INHERITED, type Input } from "./program.ts";
import type { WordPart } from "./syntax.ts";
import type { UnknownCode } from "./unknown-code.ts";
import type { Folder } from "./folder.ts";

/** A command while it is being put together. */
export interface Draft {
  argv: readonly Word[];
  assignments: readonly Assignment[];
  redirections: readonly Redirection[];
  origin: Origin;
  remote: boolean;
  hazards: readonly Hazard[];
  effects: readonly Effect[];
  carries: boolean;
  unknown: readonly Unknown[];
}

/** The redirections of a group around commands. */
export interface Outer {
  readonly redirections: readonly Redirection[];
  readonly effects: readonly Effect[];
  readonly folder: Folder;
  readonly around: Outer | undefined;
  /** It runs once, at the place where it stands. */
  readonly once: boolean;
  /** The step in which its files are opened, where that is known. */
  readonly step: number | undefined;
}

/** Where in a line a command stands. */
export interface Place {
  readonly origin: Origin;
  readonly remote: boolean;
  readonly outer: Outer | undefined;
  readonly input: Input;
  readonly scripts: number;
  readonly wrappers: number;
  /** Outside loops, functions and traps. */
  readonly once: boolean;
  /** When it runs: behind what stands before it, together with all of its statement, or at any time from there on. */
  readonly order: "after" | "with" | "later";
}

/** The line itself. */
export const TOP: Place = {
  origin: "line",
  remote: false,
  outer: undefined,
  input: INHERITED,
  scripts: 0,
  wrappers: 0,
  once: true,
  order: "after",
};

/** What the walk through one line has found so far. */
export interface Walk {
  /** The text that is being walked. */
  source: string;
  readonly commands: Draft[];
  /** For each command the folder it starts in. */
  readonly folders: Folder[];
  /** For each command the group around it. */
  readonly outers: (Outer | undefined)[];
  /**
   * For each command the step of the line that it begins in: a whole number where it is done before the next begins, half a step more
   * where it may run again, or together with others of the step, and below zero where nobody waits for its end.
   */
  readonly steps: number[];
  step: number;
  readonly unknown: Unknown[];
  /** Substitutions of the words read last, to be walked next. */
  pending: WordPart[] | undefined;
  /** Reasons found in the words read last. */
  reasons: Unknown[] | undefined;
  /** Words read last that have a `~` which is no folder. */
  tildes: Word[] | undefined;
  /** Values of variables read last that are command lines. */
  values: Word[] | undefined;
  nodes: number;
  depth: number;
  /** Words that braces stood for. */
  braces: number;
  /** Characters of substitutions, and of scripts in arguments. */
  length: number;
  scripted: number;
  /** A limit was met: nothing more is looked at. */
  full: boolean;
  /** How often the folder may have changed. */
  folderChanges: number;
  /** Commands such as `cd` or `exit` may mean something else. */
  flowUnknown: boolean;
  /** The folder where the last command ends when it succeeds, and when it fails. */
  yes: Folder;
  no: Folder;
  /** For each function of the line whether it may change the folder. */
  functions: Map<string, boolean> | undefined;
  home: { readonly trusted: boolean; used: boolean; changed: boolean };
  /** Variables that may hold text which arithmetic would evaluate. */
  tainted: Set<string> | undefined;
  /** Texts that are evaluated as arithmetic, with where to say so. */
  arithmetic: { readonly text: string; readonly command: Draft | undefined }[] | undefined;
  /** Arithmetic of the words read last. */
  sums: string[] | undefined;
  /** A script with holes was read, so a {@link HOLE} stands for text that is not known. */
  holes: boolean;
  /** Commands that define aliases. */
  aliases: Draft[] | undefined;
}

export const NOTHING: readonly never[] = Object.freeze([]);

/** Stands in a script for what is not known of its text: a character that nobody uses, which a shell reads as part of a word. */
export const HOLE = "\uf8ff";

const MOST_REASONS = 16;

/** Notes why the words being read are not known. */
export function doubt(walk: Walk, code: UnknownCode, what: string): void {
  const reasons = (walk.reasons ??= []);
  if (reasons.length < MOST_REASONS) reasons.push({ code, what });
}

/** Notes why the line is not known, once. */
export function doubtLine(walk: Walk, reason: Unknown): void {
  for (const known of walk.unknown) if (known.code === reason.code && known.what === reason.what) return;
  if (walk.unknown.length < MOST_REASONS) walk.unknown.push(reason);
}

/** Notes that a limit was met. */
export function fill(walk: Walk, what: string): void {
  walk.full = true;
  doubtLine(walk, { code: "limit", what });
}

/** Text of the line, shortened for a message. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return `\`${short.replace(/[`\n\r\t]/g, " ")}\``;
}
