import fs from "node:fs";
import * as modules from "node:module";
import { fileURLToPath } from "node:url";
import { resolve } from "node:path";
import { signatureOf } from "./signature.ts";

type Anything = (...given: unknown[]) => unknown;
type Functions = Record<string, Anything>;

// Opening a file and listing a folder count. Checking a path counts only if nothing is there, because a file may appear.
const OPENS = ["openSync", "readFileSync", "readdirSync", "readFile", "readdir", "open"];
const LOOKS = ["statSync", "lstatSync", "existsSync", "accessSync"];
const PROMISES = ["readFile", "readdir", "open"];

/**
 * Reports each file that this thread opens, each folder that it lists and each missing path that it checks, with the signature before.
 * Returns a function that ends this. It is needed because a configuration and its plugins may read any file and declare none.
 */
export function recordReads(tell: (path: string, signature: string) => void): () => void {
  const seen = new Set<string>();
  let isRecording = true;
  const note = (given: unknown, only?: "absent"): void => {
    const path = isRecording ? pathOf(given) : undefined;
    if (path === undefined || seen.has(path)) return;
    const signature = signatureOf(path);
    if (only !== undefined && signature !== only) return;
    seen.add(path);
    tell(path, signature);
  };
  const undo = [
    replace(fs, OPENS, (path) => note(path)),
    replace(fs, LOOKS, (path) => note(path, "absent")),
    replace(fs.promises, PROMISES, (path) => note(path)),
  ];
  modules.syncBuiltinESMExports();
  // Node 22.15 and later also report the modules that they load.
  const hooks = modules.registerHooks?.({
    load(url, context, next) {
      if (url.startsWith("file:")) note(url);
      return next(url, context);
    },
  });
  return () => {
    // A module that kept a replaced function calls it for ever.
    isRecording = false;
    for (const back of undo) back();
    modules.syncBuiltinESMExports();
    hooks?.deregister();
  };
}

function replace(
  from: object,
  names: readonly string[],
  before: (path: unknown) => void,
): () => void {
  const functions = from as Functions;
  const originals = names.map((name) => [name, functions[name]] as const);
  for (const [name, original] of originals) {
    if (original === undefined) continue;
    functions[name] = function (this: unknown, ...given: unknown[]) {
      before(given[0]);
      return original.apply(this, given);
    };
  }
  return () => {
    for (const [name, original] of originals)
      if (original !== undefined) functions[name] = original;
  };
}

function pathOf(given: unknown): string | undefined {
  try {
    if (given instanceof URL || (typeof given === "string" && given.startsWith("file:")))
      return fileURLToPath(given);
    return typeof given === "string" ? resolve(given) : undefined;
  } catch {
    return undefined;
  }
}
