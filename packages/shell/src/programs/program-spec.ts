import type { Hazard, Word } from "../analysis.ts";
import type { Findings } from "./findings.ts";
import type { OperandRole, OptionGroup, Role, ValueForm } from "./option-groups.ts";

/** How a program reads its arguments, as data. */
export interface Spec {
  readonly options?: readonly OptionGroup[];
  /** Options end at the first operand. */
  readonly posix?: boolean;
  /** The first word may be option letters without a dash. */
  readonly bundled?: boolean;
  /** Long options cannot be abbreviated. */
  readonly exact?: boolean;
  /** Roles of the operands in order. One may repeat, and roles after it are those of the last operands. */
  readonly operands?: readonly (Role | OperandRole)[];
  /** With one of these options the first operand role is skipped. */
  readonly noFirst?: string;
  /** With one of these options the last operand role is skipped. */
  readonly noLast?: string;
  /** With one of these options operands are only read and are no hazard. */
  readonly quiet?: string;
  /** No option does more than choose what is read or printed, so options that are not listed are harmless, too. */
  readonly prints?: boolean;
  /** With one of these options the program only prints text. */
  readonly inert?: string;
  /** Paths include everything below: always, with one of these options, or by a function of the arguments. */
  readonly below?: "always" | readonly string[] | ((use: ParsedArgs) => boolean);
  /** Options whose values are globs for files below a directory. Globs that start with `!` exclude files. */
  readonly filter?: string;
  /** With one of these options it follows links. */
  readonly follows?: string;
  /** What happens to the working directory without a path operand. `walked`: it is read only with everything below. */
  readonly alone?: "read" | "write" | "walked";
  /** The operands from this index on are a command. */
  readonly wrap?: number;
  /** Any later word may begin a command. */
  readonly carries?: boolean;
  readonly subs?: Readonly<Record<string, Spec>>;
  /** An unknown subcommand may be an alias or another program. */
  readonly extensible?: boolean;
  /** How to complete the name of a subcommand. `beginning`: unambiguous prefixes are accepted. */
  readonly fullName?: "beginning" | ((name: string) => string);
  /** The hazard of the subcommand itself. */
  readonly does?: Hazard["does"];
  /** Effects beyond those of its operands. */
  readonly vcs?: boolean;
  readonly network?: boolean;
  readonly privilege?: boolean;
  /** Handles what the table cannot express, after the table. */
  readonly more?: (use: ParsedArgs, out: Findings) => void;
  /** Replaces the table. */
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
  /** Options of several letters with one dash. */
  readonly wordy: ReadonlyMap<string, Option>;
  readonly operands: readonly OperandRole[];
}

export interface UsedOption {
  readonly option: Option;
  /** Position in argv. */
  readonly at: number;
  readonly value: Word | undefined;
}

/** An argument that is no option. */
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
