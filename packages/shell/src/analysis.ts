import type { UnknownCode } from "./unknown-code.ts";

/** What one command line would do, as far as it can be known without running it. */
export interface Analysis {
  /**
   * Every simple command that bash could run from the line, in the order of the text; what a wrapper, an inline shell or a
   * substitution runs follows the command that runs it. Also commands in plain sight of a line that is otherwise unknown.
   */
  readonly commands: readonly ShellCommand[];
  /** Why the line as a whole cannot be known: a syntax error, a limit. Each command has its own reasons besides. */
  readonly unknown: readonly Unknown[];
}

/** A reason why something is not known. */
export interface Unknown {
  readonly code: UnknownCode;
  /** Completes "Unexpected …": a noun phrase, with the user's text in backticks. */
  readonly what: string;
}

/** One simple command, after quote removal and the expansions that are known. */
export interface ShellCommand {
  /** The program and its arguments. Empty where the command only assigns or redirects. */
  readonly argv: readonly Word[];
  /** The assignments before the program; all of a command that only assigns. */
  readonly assignments: readonly Assignment[];
  /** Its own redirections and those of the groups around it. */
  readonly redirections: readonly Redirection[];
  /** How bash gets to it. */
  readonly origin: Origin;
  /** It runs on another machine or in a container, so its files are not of this one. */
  readonly remote: boolean;
  /** Arguments that make it do more than its name says. An allow covers each only where it spells the word out. */
  readonly hazards: readonly Hazard[];
  /** What it does to files, the network and the system, redirections included. */
  readonly effects: readonly Effect[];
  /** Its later words could be a command that it runs, because the program is not known to take them as data. */
  readonly carries: boolean;
  /** Why what it runs or does cannot be known. Never allowed when not empty. */
  readonly unknown: readonly Unknown[];
}

/**
 * `line`: as a statement of the line; `substitution`: in `$(…)`, backticks or `<(…)`; `wrapper`: as the arguments of another
 * program (sudo, xargs, find -exec); `script`: in text that another program runs as a shell script (bash -c, eval, trap); `sight`: in
 * text that looks like a command line and may be run as one. What forbids or asks is about it, but nothing has to allow it.
 */
export type Origin = "line" | "substitution" | "wrapper" | "script" | "sight";

/** One word of a command. */
export interface Word {
  /** The text after quote removal; undefined where only bash can know it. */
  readonly text: string | undefined;
  /** The word in pieces: known text, and holes for what is not known. One string where `text` is known. */
  readonly pieces: readonly Piece[];
  /** It is exactly one word. Otherwise bash may make none or several of it. */
  readonly single: boolean;
}

/** Known text, `any` text, a `name`: text without a slash that a glob stands for, or a `number`: digits, with a minus before or none. */
export type Piece = string | { readonly hole: "any" | "name" | "number" };

/** One assignment. */
export interface Assignment {
  readonly name: string;
  readonly value: Word | undefined;
  /** It is on the short, documented list of variables that change no code that runs and nothing that is written. */
  readonly harmless: boolean;
}

/** One redirection. */
export interface Redirection {
  readonly operator: string;
  /** The word after the operator; undefined for a here-document. */
  readonly target: Word | undefined;
  /** It opens a file for writing, or a socket: not /dev/null, the standard streams or a duplication. */
  readonly writes: boolean;
}

/** An argument that makes a program do more than its name says. */
export interface Hazard {
  /** Position in `argv`. */
  readonly at: number;
  /** runs another program, writes or deletes files, loads code or settings, sends data away, changes what later commands do. */
  readonly does: "run" | "write" | "delete" | "load" | "send" | "configure";
}

/** What a command does to something. */
export type Effect =
  | {
      readonly kind: "read" | "write" | "delete" | "execute";
      readonly path: PathText;
      /** Also all that lies below it. */
      readonly below?: boolean;
      /** Of what lies below it only files whose names one of these globs finds. */
      readonly only?: readonly string[];
      /** On its way down it goes where links lead, wherever that is. */
      readonly follows?: boolean;
    }
  | { readonly kind: "network"; /** Host name or address; undefined where it is not known. */ readonly host: string | undefined }
  | { readonly kind: "vcs"; /** Subcommand, such as `push`. */ readonly action: string }
  | { readonly kind: "privilege" };

/**
 * A path of an effect. `text` is absolute, begins with `~` for the home folder, or is relative to the folder that the line starts
 * in; a file really named `~` reads `./~`. A glob has `pattern` besides: `text` is the folder below which all its names lie.
 * A segment `**` of it is any folders. Without `text` the path is not known, and `why` says the reason as {@link Unknown.what} does.
 */
export type PathText = { readonly text: string; readonly pattern?: string } | { readonly text?: undefined; readonly why: string };
