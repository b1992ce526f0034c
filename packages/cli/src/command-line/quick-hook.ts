/** What `bylaw hook` is asked for. */
export interface HookArguments {
  readonly host: string;
  readonly named: string | undefined;
  readonly config: string;
  readonly strict: boolean;
}

/** The arguments of `bylaw hook` as `bylaw install` writes them. Undefined for anything else, which is for the parser of all commands. */
export function quickHook(argv: readonly string[]): HookArguments | undefined {
  const [command, host = "", ...words] = argv;
  if (command !== "hook" || !/^[a-z][a-z-]*$/.test(host)) return undefined;
  const config = takeFile(words, "--config");
  const hasEngine = words.includes("--engine");
  // Only the program that asks an engine first looks at its folder.
  if (config === undefined || (hasEngine && takeFile(words, "--engine") === undefined))
    return undefined;
  const at = words.indexOf("--strict");
  if (at >= 0) words.splice(at, 1);
  const [named, more] = words;
  if (more !== undefined || (named !== undefined && !/^\w+$/.test(named))) return undefined;
  return { host, named, config, strict: at >= 0 };
}

function takeFile(words: string[], option: string): string | undefined {
  const at = words.indexOf(option);
  const [, file = ""] = at < 0 ? [] : words.splice(at, 2);
  return file === "" || /^-|^\w[\w+.-]+:/.test(file) ? undefined : file;
}
