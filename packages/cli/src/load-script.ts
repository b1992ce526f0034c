// This file is imported by those that the build makes for its scripts, before anything else of the command is loaded.
const { readFileSync, renameSync, writeFileSync } = process.getBuiltinModule("node:fs");
const { createRequire, getCompileCacheDir } = process.getBuiltinModule("node:module");
const { Script } = process.getBuiltinModule("node:vm");

type Exports = Readonly<Record<string, unknown>>;

/** What a script is: a function that gets what it needs, and returns the exports. */
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
  /** How many bytes of code were kept when the script was loaded. */
  readonly size: number;
}

const loaded = new Map<string, Loaded>();
let fresh = false;

/**
 * Runs a script of the bundle, unless it ran already, and returns its exports. It takes the compiled code that earlier processes
 * kept. Node keeps code too, but only of what it compiles before a file runs: all functions would be compiled again when they are
 * called (docs/decisions/0091-compiled-code-of-what-ran.md).
 */
export function loadScript(name: string): Exports {
  const known = loaded.get(name);
  if (known !== undefined) return known.exports;
  const url = new URL(`${name}.script`, import.meta.url);
  const source = readFileSync(url, "latin1");
  // It begins with its digest in a comment, so code that was compiled from another text is never taken.
  const kept = `${name}-${source.slice(2, 18)}`;
  const cachedData = keptIn(kept);
  const script = new Script(source, {
    filename: url.href,
    ...(cachedData !== undefined && { cachedData }),
  });
  const size = script.cachedDataRejected === false ? (cachedData?.length ?? 0) : 0;
  if (size === 0) keepAtExit();
  const run = script.runInThisContext() as Run;
  const exports = run(loadScript, createRequire(url), importModule, url.href);
  loaded.set(name, { exports, script, kept, size });
  return exports;
}

// A script cannot import by itself. This file stands in the same folder, so a name means the same here.
const importModule = (specifier: string, options?: ImportCallOptions): Promise<unknown> =>
  import(specifier, options);

function keptIn(name: string): Buffer | undefined {
  const folder = getCompileCacheDir();
  if (folder === undefined) return undefined;
  try {
    const twice = readFileSync(`${folder}/${name}`);
    const half = twice.length / 2;
    return twice.subarray(0, half).equals(twice.subarray(half))
      ? twice.subarray(0, half)
      : undefined;
  } catch {
    return undefined;
  }
}

// A script that is loaded for the first time also means that the others were used in a new way.
function keepAtExit(): void {
  const folder = getCompileCacheDir();
  if (fresh || folder === undefined) return;
  fresh = true;
  // Before the listener of the command, which ends the process.
  process.prependOnceListener("exit", () => {
    try {
      for (const { script, kept, size } of loaded.values()) {
        const code = script.createCachedData();
        // V8 drops the code of functions that a long process, such as the engine, has not called for a while.
        if (code.length > size) keep(`${folder}/${kept}`, code);
      }
    } catch {
      // The folder may be read-only. Then the next process compiles again.
    }
  });
}

// Another process that starts meanwhile sees the whole file or none. The code is written twice, because V8 runs damaged code without
// noticing, and to compare two halves takes less than to load a module of Node that computes checksums.
function keep(file: string, code: Buffer): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, Buffer.concat([code, code]), { mode: 0o600 });
  renameSync(draft, file);
}
