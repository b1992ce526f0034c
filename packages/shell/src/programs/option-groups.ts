import type { Hazard } from "../analysis.ts";

/** How a program uses a value or an operand. */
export type Role =
  | "data"
  | "read"
  | "list"
  | "write"
  | "rw"
  | "move"
  | "delete"
  | "exec"
  | "load"
  | "host"
  | "url"
  | "remote"
  | "script"
  | "code"
  | "dir";

/**
 * How an option takes its value. `second`: a name comes before it. `glued`: only in the same word.
 * `digits`: glued digits only. `number`: more letters may follow it. `following`: the next word that
 * no other letter of the cluster takes.
 */
export type ValueForm =
  | "none"
  | "required"
  | "second"
  | "glued"
  | "digits"
  | "number"
  | "following";

type Does = Hazard["does"];

/** How the options of one kind take a value, and what they do. */
export interface OptionKind {
  readonly value: ValueForm;
  readonly role: Role;
  readonly does: Does | undefined;
}

export interface OptionGroup extends OptionKind {
  /** The names, separated by spaces. Spellings of the same option are joined by commas. */
  readonly names: string;
}

export interface OperandRole {
  readonly role: Role;
  readonly does: Does | undefined;
  readonly repeats: boolean;
}

const of = (
  value: ValueForm,
  { role = "data", does }: { readonly role?: Role; readonly does?: Does | undefined } = {},
): OptionKind => ({ value, role, does });
const takes = (role: Role, does?: Does): OptionKind => of("required", { role, does });

/** The kinds of options. `write`, `load`, `script` and `code` are also hazards. */
export const kind = {
  flag: of("none"),
  /** The value is only data. */
  value: takes("data"),
  /** The value is part of the same word, or missing. */
  optional: of("glued"),
  read: takes("read"),
  write: takes("write", "write"),
  load: takes("load", "load"),
  /** The value is a shell line. */
  script: takes("script", "run"),
  /** The value is code of another language. */
  code: takes("code", "run"),
  flagThat: (does: Does): OptionKind => of("none", { does }),
  valueThat: (does: Does): OptionKind => takes("data", does),
  takes,
  of,
} as const;

/**
 * Declares the options of a program. Names before the first kind are flags, and names after a kind are of that kind. The options
 * of another program can be inserted.
 */
export function options(
  names: TemplateStringsArray,
  ...kinds: readonly (OptionKind | readonly OptionGroup[])[]
): readonly OptionGroup[] {
  const groups: OptionGroup[] = [];
  for (const [index, list] of names.entries()) {
    const before = kinds[index - 1] ?? kind.flag;
    const own = "value" in before ? before : kind.flag;
    if (!("value" in before)) groups.push(...before);
    if (list.trim() !== "") groups.push({ ...own, names: list.trim() });
  }
  return groups;
}

/** An operand that is a hazard. */
export const one = (role: Role, does: Does): OperandRole => ({ role, does, repeats: false });

/** Any number of operands in the same role. */
export const many = (role: Role, does?: Does): OperandRole => ({ role, does, repeats: true });

type Declared = Parameters<typeof options>;

/** A program whose operands are files that it reads. Takes its options as `options` does. */
export const reads = (...declared: Declared) => ({
  options: options(...declared),
  operands: [many("read")],
});

/** A program whose operands are a command that it runs. */
export const wraps = (...declared: Declared) => ({ options: options(...declared), wrap: 0 });

/** A program that uses the network. */
export const connects = (...declared: Declared) => ({
  options: options(...declared),
  network: true,
});
