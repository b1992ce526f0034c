const NO_FILE = /^(?:$|-|\w[\w+.-]+:)/;

/**
 * Reads the arguments of `bylaw hook` as `bylaw install` writes them. Returns undefined for anything else, which the full parser
 * then handles.
 */
export function quickHook(argv: readonly string[]) {
  const [command, ...words] = argv;
  if (command !== "hook") return undefined;
  const operands: string[] = [];
  const files = new Map<string, string>();
  let strict = false;
  let wait: number | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (word === "--strict" && !strict) strict = true;
    else if ((word === "--config" || word === "--engine") && !files.has(word)) {
      const file = words[++at] ?? "";
      if (NO_FILE.test(file)) return undefined;
      files.set(word, file);
    } else if (word === "--wait" && wait === undefined && /^\d{1,4}$/.test(words[at + 1] ?? ""))
      wait = Number(words[++at]);
    else if (/^[A-Za-z][\w-]*$/.test(word)) operands.push(word);
    else return undefined;
  }
  const [host, named, more] = operands;
  const [config, engine] = [files.get("--config"), files.get("--engine")];
  if (host === undefined || config === undefined || more !== undefined) return undefined;
  const given = { host, named, config, strict };
  return {
    ...given,
    ...(engine === undefined ? {} : { engine }),
    ...(wait === undefined ? {} : { wait }),
  };
}
