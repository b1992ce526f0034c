// Nothing else of the command is loaded before this file, so it takes only modules of Node.
const { readFileSync, renameSync, rmSync, statSync, writeFileSync } =
  process.getBuiltinModule("node:fs");
const { createRequire, getCompileCacheDir } = process.getBuiltinModule("node:module");
const { Script } = process.getBuiltinModule("node:vm");

type Exports = Readonly<Record<string, unknown>>;

/** A script is a function that takes what the module needs, and returns what it exports. */
type Run = (
  load: typeof loadScript,
  require: NodeJS.Require,
  importModule: (specifier: string, options?: ImportCallOptions) => Promise<unknown>,
  url: string,
) => Exports;

interface Loaded {
  readonly exports: Exports;
  readonly script: InstanceType<typeof Script>;
  readonly kept: string;
}

// An agent runs a hook for every call, and it uses other functions than the commands that may have run before.
const purpose = process.argv[2] === "hook" ? "hook-" : "";
const loaded = new Map<string, Loaded>();
let keeping = false;

/**
 * Runs a script of the bundle, unless it ran already, and returns its exports. It uses the compiled code that earlier processes kept.
 * Node's own cache lacks most functions, which are compiled when they are first called
 * (docs/decisions/0091-compiled-code-of-what-ran.md).
 */
export function loadScript(name: string): Exports {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const url = new URL(`${name}.script`, import.meta.url);
  const source = readFileSync(url, "latin1");
  // It begins with its digest in a comment, so code that was compiled from another text is never taken.
  const kept = `${purpose}${name}-${source.slice(2, 18)}`;
  const cachedData = keptIn(kept);
  const script = new Script(source, {
    filename: url.href,
    ...(cachedData !== undefined && { cachedData }),
  });
  if (script.cachedDataRejected !== false) keepAtExit();
  const run = script.runInThisContext() as Run;
  const exports = run(loadScript, createRequire(url), importModule, url.href);
  loaded.set(name, { exports, script, kept });
  return exports;
}

// A script cannot import by itself. This file is in the same folder, so a name means the same here.
const importModule = (specifier: string, options?: ImportCallOptions): Promise<unknown> =>
  import(specifier, options);

function keptIn(name: string): Buffer | undefined {
  const folder = getCompileCacheDir();
  if (folder === undefined) return undefined;
  const file = `${folder}/${name}`;
  try {
    const twice = readFileSync(file);
    const half = twice.length / 2;
    if (half > 0 && twice.subarray(0, half).equals(twice.subarray(half)))
      return twice.subarray(0, half);
    rmSync(file);
  } catch {
    // Nothing is kept yet, or the folder cannot be written.
  }
  return undefined;
}

// A script that is loaded for the first time also means that the others were used in a new way.
function keepAtExit(): void {
  const folder = getCompileCacheDir();
  if (keeping || folder === undefined) return;
  keeping = true;
  // Before the listener of the command, which ends the process.
  process.prependOnceListener("exit", () => {
    try {
      for (const { script, kept } of loaded.values())
        keep(`${folder}/${kept}`, script.createCachedData());
    } catch {
      // The folder may be read-only. Then the next process compiles again.
    }
  });
}

// V8 runs damaged code without noticing, so the file holds the code twice. Comparing two halves is faster than loading a module of
// Node for checksums.
function keep(file: string, code: Buffer): void {
  // In a process that runs long, such as the engine, V8 drops functions that were not called for a while.
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= 2 * code.length) return;
  // Another process that starts meanwhile reads the whole file or none.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, Buffer.concat([code, code]), { mode: 0o600 });
  renameSync(draft, file);
}
