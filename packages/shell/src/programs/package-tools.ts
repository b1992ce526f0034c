import { runArgv } from "./apply-spec.ts";
import { network, type Findings } from "./findings.ts";
import { hasOption } from "./parsed-args.ts";
import type { ParsedArgs } from "./program-spec.ts";

/** `npx tool args`: the tool comes from the project or from the registry. */
export function runTool(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first !== undefined && !hasOption(use, "call")) runArgv(out, first.at);
  network(out, undefined);
}

/** Gives the same spec to each name of a space-separated list. */
export function names<T>(list: string, value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(list.split(/\s+/).map((name) => [name, value]));
}
