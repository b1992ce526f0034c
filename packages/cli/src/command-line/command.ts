/** The values that an option accepts, and its default. */
export interface OptionSettings {
  /** Whether the value is a path, and not a URL. Default: true for a `<file>`, `<dir>`, `<folder>` or `<path>`. */
  readonly path?: boolean;
  /** The words that the value may be. */
  readonly words?: readonly string[];
  /** The smallest whole number that the value may be. */
  readonly least?: number;
  /** Whether the option may be repeated. */
  readonly many?: true;
  readonly default?: string | number;
  readonly required?: true;
}

/** An option: `--out <file>` takes a value, `<file...>` takes several, and `--json` takes none. */
export type OptionSpec = readonly [flags: string, description: string, settings?: OptionSettings];

/** A command, as declared in its file. */
export interface CommandSpec {
  /** The description of each argument, then the words that it may be, if there are only a few. */
  readonly arguments?: Readonly<Record<string, readonly [string, words?: readonly string[]]>>;
  readonly options: readonly OptionSpec[];
  /** The text below the options in the help. */
  readonly help: string;
  /** Runs the command with its arguments, then its options. */
  readonly run: (...given: never[]) => Promise<void>;
}

/** Commands by their usage line in the help, such as `replay [options] <log>`. Only the file of the called command is loaded. */
export type Commands = Readonly<
  Record<string, readonly [summary: string, command: CommandSpec | LoadCommand]>
>;

/** Loads the file of a command or of a group of commands. */
type LoadCommand = () => Promise<{ readonly command: CommandSpec | GroupSpec }>;

/** Commands that share a first word, such as those of `bylaw log`. */
export interface GroupSpec {
  readonly help: string;
  /** What the first word does on its own, with options of its own. Default: prints the help. */
  readonly alone?: Pick<CommandSpec, "options" | "run">;
  readonly commands: Commands;
}

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type LongFlag<Flags extends string> = Flags extends `${string}--${infer Rest}` ? Rest : never;
type NameOf<Flags extends string> = CamelCase<
  LongFlag<Flags> extends `${infer Name} ${string}` ? Name : LongFlag<Flags>
>;
type ValueOf<Flags extends string, Terms> = Terms extends { readonly many: true }
  ? readonly string[]
  : Flags extends `${string}...>`
    ? readonly string[]
    : Flags extends `${string}>`
      ? Terms extends { readonly words: readonly (infer Word)[] }
        ? Word
        : Terms extends { readonly least: number }
          ? number
          : string
      : boolean;
type Given<Specs extends readonly OptionSpec[]> = {
  readonly [Spec in Specs[number] as NameOf<Spec[0]>]?: ValueOf<Spec[0], Spec[2]>;
};
type Sure = { readonly required: true } | { readonly default: unknown };

/** The values of a command's options. */
export type OptionsOf<Specs extends readonly OptionSpec[]> = Given<Specs> & {
  readonly [Spec in Specs[number] as Spec[2] extends Sure ? NameOf<Spec[0]> : never]: ValueOf<
    Spec[0],
    Spec[2]
  >;
};
