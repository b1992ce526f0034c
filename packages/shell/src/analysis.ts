import type { UnknownCode } from "./unknown-code.ts";

/** What one command line would do, as far as this is known without running it. */
export interface Analysis {
  /**
   * Every simple command that bash could run from the line, in text order. Commands run by a wrapper, an inline shell or a
   * substitution follow the command that runs them. An unknown line also lists text that looks like a command.
   */
  readonly commands: readonly ShellCommand[];
  /** Why the line as a whole is unknown, such as a syntax error or a limit. Each command also has its own reasons. */
  readonly unknown: readonly Unknown[];
}

/** A reason why something is unknown. */
export interface Unknown {
  readonly code: UnknownCode;
  /**
   * What is unknown, as a noun phrase that completes "Cannot tell what this command line would do: …". Text of the user is in
   * backticks.
   */
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
  /** Set if the line may give it something to read: through a pipe, from a file or from a here-document. */
  readonly hasInput?: true;
  /** Whether the command runs on another machine or in a container, so its paths are not on this machine. */
  readonly remote: boolean;
  /** Arguments that make the program do more than its name says. An allow must spell out each of them. */
  readonly hazards: readonly Hazard[];
  /** What the command does to files, the network and the system, including its redirections. */
  readonly effects: readonly Effect[];
  /** Whether the later words could be a command that the program runs, because the program is not known to treat them as data. */
  readonly carries: boolean;
  /** Why it is unknown what the command runs or does. Only allow a command if this is empty. */
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
  /** The text after quote removal. Undefined if it is known only to bash. */
  readonly text: string | undefined;
  /** The known text, and holes for unknown parts. One string if `text` is known. */
  readonly pieces: readonly Piece[];
  /** Whether bash expands it to exactly one word. Otherwise it may become none or several. */
  readonly single: boolean;
  /**
   * Whether it is nothing but a glob, which bash replaces by the names that it finds, or leaves as it is if there are none. In the body
   * of a loop over a glob, so is the variable.
   */
  readonly globbed?: true;
  /** Set for an unquoted variable of such a loop. Bash splits and globs a name that it finds, which changes only unusual names. */
  readonly splits?: true;
  /**
   * Set for a glob that begins with a wildcard, if no command that runs before it may add a name that it finds: the glob from the
   * directory of the line. Whether such a name could be an option can be seen before the line runs.
   */
  readonly settled?: string;
  /** Whether it certainly is no option, whatever bash expands it to. Set by a caller that has looked at the names of a settled glob. */
  readonly operand?: true;
  /** The glob of which it takes the names that are found, as the copies of `cp src/*.ts lib` do. */
  readonly namesOf?: string;
  /** Set if each of the words is the path of a file that another program found, as in `xargs` and `find -exec`. */
  readonly found?: FoundFiles;
  /** Set if the word may be missing: it stands for what another command prints, and that may be nothing. */
  readonly optional?: true;
  /** Whether bash replaces it by the name of a pipe, as it does for `<(…)`. */
  readonly pipe?: true;
  /** Whether it begins with `~+`, which is the working directory unless the line or its environment sets `PWD`. */
  readonly here?: true;
}

/** How a program's files were found. */
export interface FoundFiles {
  /** Whether some of the files may be links that the program follows. */
  readonly links: boolean;
  /** Whether a name with a space, a quote or a leading dash would be read as other words. */
  readonly splits: boolean;
  /** Set if a shell reads each path as a glob, as it does for `$(…)` and `$f`. */
  readonly expands?: true;
  /** Whether the program also reads everything below the folders among them. */
  readonly recursive?: true;
  /** With `recursive`: globs for the names of the files and folders that are found, but not for what lies below these folders. */
  readonly names?: readonly string[];
  /**
   * Set if git tracks all of them. `here`: git prints names relative to the folder of the search. `top`: perhaps relative to the top of the
   * repository. `below`: that folder is an operand, so git may be working in the repository of a parent folder.
   */
  readonly tracked?: "here" | "top" | "below";
  /** Set with `tracked` if git lists only files that differ from the index. */
  readonly changed?: true;
  /** Whether the search leaves out files in a way that is not known, such as all that are ignored. */
  readonly partial?: true;
  /** Whether the search leaves out hidden files and what a `.gitignore` lists, unless such a file takes it back. */
  readonly ignores?: true;
}

/**
 * Known text or a hole: `any` text, a `name` (text without a slash, matched by a glob) or a `number` (digits, optionally negative).
 * `deep`: the name is written `**`, which some shells read as any number of directories. `optional`: the number may be missing.
 */
export type Piece =
  | string
  | { readonly hole: "any" | "name" | "number"; readonly deep?: true; readonly optional?: true };

/** One assignment. */
export interface Assignment {
  readonly name: string;
  readonly value: Word | undefined;
  /** Whether the variable is on the documented list of variables that change neither what runs nor what is written. */
  readonly harmless: boolean;
}

/** One redirection. */
export interface Redirection {
  readonly operator: string;
  /** The word after the operator. Undefined for a here-document. */
  readonly target: Word | undefined;
  /** Whether it opens a file for writing, or a socket. False for /dev/null, the standard streams and duplications. */
  readonly writes: boolean;
  /** Whether it opens a socket, or may do so. */
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
      /** `project`: the program looks in this folder or file for tests, tasks or settings, and runs code from there. */
      readonly kind: "read" | "write" | "delete" | "execute" | "project";
      readonly path: PathText;
      /** Whether the effect includes everything below the path. */
      readonly below?: boolean;
      /** Below the path, only files whose names match one of these globs. */
      readonly only?: readonly string[];
      /** Whether the program follows links below the path, wherever they lead. */
      readonly follows?: boolean;
      /** Whether names below the path with a leading dot are excluded, as formatters do. */
      readonly visible?: boolean;
      /** Set with `below` if the program prints or packs the contents of the files. A rule about their names does not see those any more. */
      readonly prints?: true;
      /** Set with `prints`: the names of folders that the program leaves out. */
      readonly except?: readonly string[];
      /**
       * Set with `prints` if git adds the files to its index, from which every diff prints them: new ones that it does not ignore, `below`
       * the path or below the `top` of the repository.
       */
      readonly adds?: "below" | "top";
      /** Set with `prints` if git prints files that it tracks: those `below` the path, or below the `top` of the repository. */
      readonly tracked?: "below" | "top";
      /** Set with `prints` if the program leaves out hidden files and what a `.gitignore` lists, unless such a file takes it back. */
      readonly ignores?: true;
      /** Set on a write with `below` if a file or folder is copied or moved there with everything below it: its path. */
      readonly brings?: PathText;
      /** Set if the effect is on files that another program finds below the path. */
      readonly found?: FoundFiles;
      /** Set with `found`, `prints` or a glob if the effect touches only files that exist before the line runs. */
      readonly exact?: true;
      /** Set if it has no effect unless a folder, or anything at all, is at the path before the line runs. */
      readonly needs?: "folder" | "anything";
    }
  | {
      readonly kind: "network";
      /** The host name or address. Undefined if unknown. */ readonly host: string | undefined;
    }
  | { readonly kind: "vcs"; /** The subcommand, such as `push`. */ readonly action: string }
  | { readonly kind: "privilege" }
  /** It reads environment variables, which may hold secrets. */
  | { readonly kind: "environment" };

/**
 * The path of an effect. `text` is absolute, starts with `~` (the home directory), or is relative to the directory in which the
 * line starts. A file that is really named `~` is `./~`. A glob also has a `pattern`; its `text` is the directory that contains
 * all matches, and `**` matches any number of directories. With `globbed`, the shell itself looks for the matches, so only names that
 * exist are meant, if there are any. With `splits`, it splits and globs each of them again. With `namesOf`, the last name is one that this other glob finds. Without `text`, the path is unknown, and `why` gives the reason in the form of {@link Unknown.what}.
 */
export type PathText =
  | {
      readonly text: string;
      readonly pattern?: string;
      readonly globbed?: true;
      readonly splits?: true;
      readonly namesOf?: string;
    }
  | { readonly text?: undefined; readonly why: string };
