import type { CommandSpec, Commands, GroupSpec, OptionSpec } from "./command.ts";

/** A command, with its options, arguments and subcommands. */
export interface CommandNode {
  /** The whole command, such as `bylaw log tail`. */
  readonly path: string;
  readonly name: string;
  readonly commands: readonly CommandNode[];
  readonly options: readonly CompletedOption[];
  /** The words that each argument may be. Empty for an argument that takes any text. */
  readonly places: readonly (readonly string[])[];
}

interface CompletedOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly takesValue: boolean;
  readonly words: readonly string[];
}

const HELP: OptionSpec = ["-h, --help", "display help for command"];

/** Loads the declarations of all commands. */
export async function commandTree(
  commands: Commands,
  path: string,
  options: readonly OptionSpec[] = [],
): Promise<CommandNode> {
  const nodes: CommandNode[] = [];
  for (const [term, [, found]] of Object.entries(commands)) {
    const [name = "", ...places] = term.replace(" [options]", "").split(" ");
    const spec = typeof found === "function" ? (await found()).command : found;
    nodes.push(await nodeOf(spec, `${path} ${name}`, places));
  }
  return {
    ...{ path, name: nameOf(path), commands: nodes, places: [] },
    options: [...options, HELP].map(completed),
  };
}

async function nodeOf(
  spec: CommandSpec | GroupSpec,
  path: string,
  places: readonly string[],
): Promise<CommandNode> {
  if ("commands" in spec) return await commandTree(spec.commands, path, spec.alone?.options);
  return {
    ...{ path, name: nameOf(path), commands: [] },
    options: [...spec.options, HELP].map(completed),
    places: places.map((place) => spec.arguments?.[place.replaceAll(/[<>[\].]/g, "")]?.[1] ?? []),
  };
}

const nameOf = (path: string): string => path.split(" ").at(-1) ?? "";

function completed([flags, , settings]: OptionSpec): CompletedOption {
  const [, short, long = ""] = /^(?:(-\w), )?(--[\w-]+)/.exec(flags) ?? [];
  return { long, short, takesValue: flags.endsWith(">"), words: settings?.words ?? [] };
}
