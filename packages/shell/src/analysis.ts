import type { UnknownCode } from "./unknown-code.ts";

/** What one command line would do, as far as it can be known without running it. */
export interface Analysis {
  /**
   * Every simple command that bash could run from the line, in text order. Commands run by a wrapper, an inline shell or a
   * substitution follow the command that runs them. An unknown line also lists text that looks like a command.
   */
  readonly commands: readonly ShellCommand[];
  /** Why the line as a whole is unknown, such as a syntax error or a limit. Each command also has its own reasons. */
  readonly unknown: readonly Unknown[];
}

/** A reason why something is not known. */
export interface Unknown {
  readonly code: UnknownCode;
  /** What is not known, as a noun phrase: it stands after "Cannot tell what this command line would do: ". The user's text is in backticks. */
  readonly what: string;
}

/** One simple command, after quote removal and the expansions that are known. */
export interface ShellCommand {
  /** The program and its arguments. Empty if the command only assigns or redirects. */
  readonly argv: readonly Word[];
  /** The assignments before the program, or all assignments of a command without one. */
  readonly assignments: readonly Assignment[];
  /** Redirections of the command and of the groups around it. */
  readonly redirections: readonly Redirection[];
  /** How bash reaches the command. */
  readonly origin: Origin;
  /** The command runs on another machine or in a container, so its paths are not on this machine. */
  readonly remote: boolean;
  /** Arguments that make the program do more than its name says. An allow must spell out each of them. */
  readonly hazards: readonly Hazard[];
  /** What the command does to files, the network and the system, including its redirections. */
  readonly effects: readonly Effect[];
  /** The later words could be a command that the program runs, because it is not known to treat them as data. */
  readonly carries: boolean;
  /** Why it is unknown what the command runs or does. Never allow a command unless this is empty. */
  readonly unknown: readonly Unknown[];
}

/**
 * Where a command comes from. `line`: a statement of the line. `substitution`: `$(…)`, backticks or `<(…)`. `wrapper`: the arguments of
 * another program (sudo, xargs, find -exec). `script`: text that another program runs as a shell script (bash -c, eval, trap). `sight`:
 * text that looks like a command and may be run. Denies and asks apply to it, but no allow is needed.
 */
export type Origin = "line" | "substitution" | "wrapper" | "script" | "sight";

/** One word of a command. */
export interface Word {
  /** The text after quote removal. Undefined if only bash can know it. */
  readonly text: string | undefined;
  /** Known text, and holes for unknown parts. A single string if `text` is known. */
  readonly pieces: readonly Piece[];
  /** Bash expands it to exactly one word. Otherwise it may become none or several. */
  readonly single: boolean;
  /** Each of the words is the path of a file that another program found, as behind `xargs` and in `find -exec`. */
  readonly found?: FoundFiles;
  /** Bash puts the name of a pipe in its place, as for `<(…)`. */
  readonly pipe?: true;
  /** It begins with `~+`, which is the working directory unless the line or its environment sets `PWD`. */
  readonly here?: true;
}

/** How a program's files were found. */
export interface FoundFiles {
  /** Some may be links, which the program follows. */
  readonly links: boolean;
  /** A name with a blank, a quote or a leading dash would be read as other words. */
  readonly splits: boolean;
  /** The program walks the folders among them. */
  readonly recursive?: true;
}

/** Known text or a hole: `any` text, a `name` (text without a slash, matched by a glob) or a `number` (digits, optionally negative). */
export type Piece = string | { readonly hole: "any" | "name" | "number" };

/** One assignment. */
export interface Assignment {
  readonly name: string;
  readonly value: Word | undefined;
  /** The variable is on the documented list of those that change neither what runs nor what is written. */
  readonly harmless: boolean;
}

/** One redirection. */
export interface Redirection {
  readonly operator: string;
  /** The word after the operator. Undefined for a here-document. */
  readonly target: Word | undefined;
  /** It opens a file for writing or a socket. False for /dev/null, the standard streams and duplications. */
  readonly writes: boolean;
  /** It opens a socket, or may. */
  readonly connects?: true;
}

/** An argument that makes a program do more than its name says. */
export interface Hazard {
  /** Position in `argv`. */
  readonly at: number;
  /**
   * Runs another program, writes or deletes files, loads code or settings, sends data, or changes what later commands do. `unknown`:
   * an option that the program's table does not list, so it could do any of these.
   */
  readonly does: "run" | "write" | "delete" | "load" | "send" | "configure" | "unknown";
}

/** What a command does to something. */
export type Effect =
  | {
      readonly kind: "read" | "write" | "delete" | "execute";
      readonly path: PathText;
      /** The effect includes everything below the path. */
      readonly below?: boolean;
      /** Below the path, only files whose names match one of these globs. */
      readonly only?: readonly string[];
      /** The program follows links below the path, wherever they lead. */
      readonly follows?: boolean;
      /** Below the path, what starts with a dot is left out, as formatters do. */
      readonly visible?: boolean;
      /** Below the path, the files that another program finds there. */
      readonly found?: FoundFiles;
    }
  | {
      readonly kind: "network";
      /** Host name or address; undefined where it is not known. */ readonly host:
        | string
        | undefined;
    }
  | { readonly kind: "vcs"; /** Subcommand, such as `push`. */ readonly action: string }
  | { readonly kind: "privilege" };

/**
 * The path of an effect. `text` is absolute, starts with `~` (the home directory) or is relative to the directory in which the line
 * starts. A file that is really named `~` is `./~`. A glob also has a `pattern`; `text` is then the directory that holds all matches, and
 * `**` stands for any number of directories. Without `text` the path is unknown, and `why` gives the reason like {@link Unknown.what}.
 */
export type PathText =
  | { readonly text: string; readonly pattern?: string }
  | { readonly text?: undefined; readonly why: string };
