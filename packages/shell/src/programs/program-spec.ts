import type { Hazard, Word } from "../analysis.ts";
import type { Findings } from "./findings.ts";
import type { OperandRole, OptionGroup, Role, ValueForm } from "./option-groups.ts";

/** How a program reads its arguments, as data. */
export interface Spec {
  readonly options?: readonly OptionGroup[];
  /** Whether options end at the first operand. */
  readonly posix?: boolean;
  /** Whether the first word may be option letters without a dash. */
  readonly bundled?: boolean;
  /** Whether long options cannot be abbreviated. */
  readonly exact?: boolean;
  /** The roles of the operands, in order. One role may repeat; the roles after it belong to the last operands. */
  readonly operands?: readonly (Role | OperandRole)[];
  /** With one of these options, the first operand role is skipped. */
  readonly noFirst?: string;
  /** With one of these options, the last operand role is skipped. */
  readonly noLast?: string;
  /** With one of these options, operands are only read and are no hazard. */
  readonly quiet?: string;
  /** Whether options only choose what is read or printed, so that unlisted options are harmless too. */
  readonly prints?: boolean;
  /** With one of these options, the program only prints text. */
  readonly inert?: string;
  /** When paths include everything below them: always, with one of these options, or as a function of the arguments decides. */
  readonly below?: "always" | readonly string[] | ((use: ParsedArgs) => boolean);
  /** Whether it prints or packs what is in the files below a directory: all, or without hidden ones and what a `.gitignore` lists. */
  readonly printsFiles?: "all" | "unignored";
  /** Options whose values are globs for files below a directory. Globs that start with `!` exclude files. */
  readonly filter?: string;
  /** With one of these options, the program follows links. */
  readonly follows?: string;
  /** What happens to the working directory if no path is given. `walked`: it is read only if everything below is. */
  readonly alone?: "read" | "write" | "walked";
  /** The index of the first operand that belongs to a command. */
  readonly wrap?: number;
  /** Whether running a command is all that a wrapper does, so that it is no hazard. */
  readonly transparent?: boolean;
  /** Whether any later word may begin a command. */
  readonly carries?: boolean;
  readonly subs?: Readonly<Record<string, Spec>>;
  /** Whether an unknown subcommand may be an alias or another program. */
  readonly extensible?: boolean;
  /** How to complete the name of a subcommand. `beginning`: unambiguous prefixes are accepted. */
  readonly fullName?: "beginning" | ((name: string) => string);
  /** The hazard of the subcommand itself. */
  readonly does?: Hazard["does"];
  /** Effects in addition to those of its operands: version control, network, other rights. */
  readonly vcs?: boolean;
  readonly network?: boolean;
  readonly privilege?: boolean;
  /** Handles what the table cannot express. Runs after the table. */
  readonly more?: (use: ParsedArgs, out: Findings) => void;
  /** Used instead of the table. */
  readonly read?: (out: Findings, from: number) => void;
}

export interface Option {
  readonly name: string;
  /** The spelling with dashes. */
  readonly spelled: string;
  /** One spelling for all names of the option: `--force` for `-f`. */
  readonly id: string;
  readonly value: ValueForm;
  readonly role: Role;
  readonly does: Hazard["does"] | undefined;
}

export interface Grammar {
  readonly short: ReadonlyMap<string, Option>;
  readonly long: ReadonlyMap<string, Option>;
  /** Options with several letters after one dash. */
  readonly wordy: ReadonlyMap<string, Option>;
  readonly operands: readonly OperandRole[];
}

export interface UsedOption {
  readonly option: Option;
  /** The position in argv. */
  readonly at: number;
  readonly value: Word | undefined;
}

/** An argument that is not an option. */
export interface Operand {
  readonly at: number;
  readonly word: Word;
}

/** The arguments of a command, as its program parses them. */
export interface ParsedArgs {
  readonly spec: Spec;
  readonly options: readonly UsedOption[];
  readonly operands: readonly Operand[];
  /** Options that are not in the table. */
  readonly unknownOptions: readonly Operand[];
  /** The names of the options, cached if there are many. */
  names: ReadonlySet<string> | undefined;
}
