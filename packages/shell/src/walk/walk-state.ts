import type {
  Assignment,
  Effect,
  Hazard,
  Origin,
  Redirection,
  Unknown,
  Word,
} from "../analysis.ts";
import { INHERITED, type Input } from "../programs/program-reading.ts";
import type { WordPart } from "../parse/syntax.ts";
import type { KnownVariables } from "../expand/known-variables.ts";
import type { UnknownCode } from "../unknown-code.ts";
import { ANYWHERE, LATER, START, type Folder } from "../effects/working-folder.ts";

/** A command under construction. */
export interface Draft {
  argv: readonly Word[];
  assignments: readonly Assignment[];
  redirections: readonly Redirection[];
  origin: Origin;
  hasInput?: true;
  remote: boolean;
  hazards: readonly Hazard[];
  effects: readonly Effect[];
  carries: boolean;
  unknown: readonly Unknown[];
  /** The command that this one replaces if a substitution prints nothing, or only one path. */
  insteadOf?: Draft;
}

/** The redirections of a group of commands. */
export interface Group {
  readonly redirections: readonly Redirection[];
  readonly effects: readonly Effect[];
  readonly folder: Folder;
  readonly around: Group | undefined;
  /** Whether the group runs exactly once. */
  readonly once: boolean;
  /** The step in which its files are opened, if known. */
  readonly step: number | undefined;
}

export interface CommandContext {
  readonly origin: Origin;
  readonly remote: boolean;
  readonly outer: Group | undefined;
  readonly input: Input;
  /** The working directories in which it may start. */
  readonly folder: Folder;
  readonly scripts: number;
  readonly wrappers: number;
  /** False in loops, functions and traps, where the command may run several times. */
  readonly once: boolean;
  /** When the command runs: after everything before it, concurrently with its statement, or at any later time. */
  readonly order: "after" | "with" | "later";
  /** Whether it is a statement of a list that only sets a variable. */
  readonly sets?: boolean;
}

/** The context of the line itself. */
export const TOP: CommandContext = {
  origin: "line",
  remote: false,
  outer: undefined,
  input: INHERITED,
  folder: START,
  scripts: 0,
  wrappers: 0,
  once: true,
  order: "after",
};

export interface WalkState {
  source: string;
  readonly commands: Draft[];
  /** The working directory in which each command starts. */
  readonly folders: Folder[];
  /** The group around each command. */
  readonly outers: (Group | undefined)[];
  /**
   * The step in which each command starts. A whole number: the command ends before the next step. With a half added: it may
   * repeat, or run concurrently with others of the step. Negative: the shell does not wait for its end.
   */
  readonly steps: number[];
  step: number;
  readonly unknown: Unknown[];
  /** Substitutions in the last words, to be walked next. */
  pending: WordPart[] | undefined;
  /** The last words that are nothing but a substitution without quotes, by their substitution. */
  substituted: Map<WordPart, Word> | undefined;
  /** Reasons found in the last words. */
  reasons: Unknown[] | undefined;
  /** Last words with a `~` that is not the home directory. */
  tildes: Word[] | undefined;
  /** Values of the last assignments that are command lines. */
  values: Word[] | undefined;
  nodes: number;
  depth: number;
  /** Words from brace expansions. */
  braces: number;
  /** Characters in substitutions, and in scripts in arguments. */
  length: number;
  scripted: number;
  /** Whether a limit was reached, which stops the analysis. */
  full: boolean;
  /** How often the working directory may have changed. */
  folderChanges: number;
  /** How many of these changes were in another process, such as a subshell. */
  changesElsewhere: number;
  /** Whether commands such as `cd` or `exit` may be redefined. */
  flowUnknown: boolean;
  /** The working directory after the last command succeeded or failed. */
  onSuccess: Folder;
  onFailure: Folder;
  /** The working directory before the last `cd`, if every command since then succeeded. */
  previous: Folder | undefined;
  /** Whether each function of the line may change the working directory. */
  functions: Map<string, boolean> | undefined;
  home: { readonly trusted: boolean; used: boolean; folderAfterCd: boolean };
  /**
   * The working directory of the line, if it is known. `used`: whether a path was read with it. `changes`: whether a loop may have changed
   * the working directory before a later round.
   */
  cwd: { readonly path: string | undefined; used: boolean; changes: boolean };
  /** The working directory of the command whose words are read. */
  folder: Folder;
  variables: KnownVariables;
  /** Variables with text that arithmetic would evaluate. */
  untrusted: Set<string> | undefined;
  /** Text evaluated as arithmetic, and the command it belongs to. */
  arithmetic: { readonly text: string; readonly command: Draft | undefined }[] | undefined;
  /** Arithmetic in the last words. */
  arithmeticTexts: string[] | undefined;
  /** Whether a script with unknown parts was read, so that a {@link HOLE} means unknown text. */
  holes: boolean;
  /** Commands that define aliases. */
  aliases: Draft[] | undefined;
}

export const NOTHING: readonly never[] = Object.freeze([]);

/** Represents unknown text in a script. A private-use character, which a shell reads as part of a word. */
export const HOLE = "\uf8ff";

const MAX_REASONS = 16;

/** Whether a command of the line runs once, after everything before it. Commands of scripts and compounds are nested deeper. */
export function runsInOrder(walk: WalkState, { order }: CommandContext): boolean {
  return walk.depth === 0 && order === "after";
}

/** How often the working directory of this shell may have changed. */
export function changesHere(walk: WalkState): number {
  return walk.folderChanges - walk.changesElsewhere;
}

/** The working directory in which a command really starts, once it is known what the whole line does. */
export function actualFolder(walk: WalkState, folder: Folder): Folder {
  if (walk.folderChanges === 0) return folder === LATER ? START : folder;
  return walk.flowUnknown || folder === LATER ? ANYWHERE : folder;
}

/** Walks the commands of another process, which has its own working directory. */
export function inOwnProcess(walk: WalkState, run: () => void): void {
  const before = changesHere(walk);
  const { previous } = walk;
  run();
  walk.previous = previous;
  walk.changesElsewhere = walk.folderChanges - before;
}

/** Records why the current words are unknown. */
export function noteUnknown(walk: WalkState, code: UnknownCode, what: string): void {
  const reasons = (walk.reasons ??= []);
  if (reasons.length < MAX_REASONS) reasons.push({ code, what });
}

/** Records why the line is unknown. Repeats are dropped. */
export function noteUnknownLine(walk: WalkState, reason: Unknown): void {
  for (const known of walk.unknown)
    if (known.code === reason.code && known.what === reason.what) return;
  if (walk.unknown.length < MAX_REASONS) walk.unknown.push(reason);
}

export function noteLimit(walk: WalkState, what: string): void {
  walk.full = true;
  noteUnknownLine(walk, { code: "limit", what });
}

/** Formats text of the line in backticks, shortened for a message. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return `\`${short.replace(/[`\n\r\t]/g, " ")}\``;
}
