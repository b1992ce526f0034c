import { runArgv } from "./apply.ts";
import { network, type Out } from "./out.ts";
import { uses, type Use } from "./use.ts";

/** `npx tool args`: the tool is a program of the project, or one from the registry. */
export function runTool(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first !== undefined && !uses(use, "call")) runArgv(out, first.at);
  network(out, undefined);
}

/** The same for each name of a blank-separated list. */
export function names<T>(list: string, value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(list.split(/\s+/).map((name) => [name, value]));
}
