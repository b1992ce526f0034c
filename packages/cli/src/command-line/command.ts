/** What values an option accepts, and its default. */
export interface OptionTerms {
  readonly path?: true;
  /** One of a few words. */
  readonly words?: readonly string[];
  /** A whole number, from this one on. */
  readonly least?: number;
  /** The option may be repeated. */
  readonly many?: true;
  readonly default?: string | number;
  readonly required?: true;
}

/** An option, as `--out <file>`; `<file...>` takes several values, and one without `<…>` takes no value. */
export type OptionSpec = readonly [flags: string, description: string, terms?: OptionTerms];

/** A command, as its file declares it. */
export interface CommandSpec {
  /** What each argument is; a list of words that it may be follows. */
  readonly arguments?: Readonly<Record<string, readonly [string, words?: readonly string[]]>>;
  readonly options: readonly OptionSpec[];
  /** What the help says below the options. */
  readonly help: string;
  /** Gets the arguments, then the options. */
  readonly run: (...given: never[]) => Promise<void>;
}

/** Commands by their usage line in the help, such as `replay [options] <log>`. Only the called command's file is loaded. */
export type Commands = Readonly<
  Record<string, readonly [summary: string, command: CommandSpec | LoadCommand]>
>;

/** Loads the file of a command: the command itself, or the commands below its name. */
type LoadCommand = () => Promise<{ readonly command: CommandSpec | GroupSpec }>;

/** Commands below one name, such as those of `bylaw log`. */
export interface GroupSpec {
  readonly help: string;
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

/** What a command gets of its options. */
export type OptionsOf<Specs extends readonly OptionSpec[]> = Given<Specs> & {
  readonly [Spec in Specs[number] as Spec[2] extends Sure ? NameOf<Spec[0]> : never]: ValueOf<
    Spec[0],
    Spec[2]
  >;
};
