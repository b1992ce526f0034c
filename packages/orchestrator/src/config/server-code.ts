import { readFileSync } from "node:fs";
import { Session, type Debugger } from "node:inspector";
import { createRequire, getCompileCacheDir } from "node:module";
import { delimiter, dirname, join, resolve, sep, isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { PathReader } from "./path-reader.ts";

/** A file that starts a server, or a folder in which such files are looked up. */
export interface StartupPath {
  readonly path: string;
  /** The variable that names it. */
  readonly variable?: string;
}

/** Where the code of a server comes from, now and at its next start. All paths are absolute. */
export interface ServerCode {
  /** What starts it: the interpreter, the program, and what the command line and the environment name. Some may be missing. */
  readonly startupPaths: readonly StartupPath[];
  /** Loaded modules. */
  readonly files: readonly string[];
  /** The packages that these depend on, loaded or not, each at the place where it is looked up. */
  readonly packages: readonly string[];
  /** Folders in which packages are looked up. Some may be missing. */
  readonly lookups: readonly string[];
}

/** Finds where the code of this server comes from. */
export function findServerCode(reader: PathReader): ServerCode {
  const files = loadedFiles();
  const lookups = new Set<string>();
  const packages = new Set<string>();
  const folders = foldersAbove(files);
  // Grows during the loop: each package adds those that it depends on.
  for (const folder of folders) {
    lookups.add(join(folder, "node_modules"));
    if (!reader.exists(join(folder, "package.json"))) continue;
    const needed = dependenciesOf(folder);
    if (needed === undefined) continue;
    const paths = createRequire(join(folder, "package.json")).resolve.paths("any") ?? [];
    for (const path of paths) lookups.add(path);
    for (const name of needed) {
      const found = paths
        .filter((path) => reader.exists(path))
        .map((path) => join(path, name))
        .find((path) => reader.exists(path));
      if (found === undefined) continue;
      packages.add(found);
      folders.add(reader.realOf(found));
    }
  }
  return {
    startupPaths: startupPathsOf(process.env),
    files,
    packages: [...packages],
    lookups: [...lookups],
  };
}

/** The folders above these files, each once. */
function foldersAbove(files: readonly string[]): Set<string> {
  const folders = new Set<string>();
  for (const file of files)
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder))
      folders.add(folder);
  return folders;
}

interface Manifest {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
}

/** The packages that a package depends on. `undefined` for a folder that is not a package. */
function dependenciesOf(folder: string): readonly string[] | undefined {
  try {
    const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    ) as Manifest;
    return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  } catch {
    return undefined;
  }
}

// Each variable lists files or folders from which code is loaded. NODE_PATH is among the lookups.
const VARIABLES = ["PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "OPENSSL_CONF", "npm_execpath"];

function startupPathsOf(environment: NodeJS.ProcessEnv): readonly StartupPath[] {
  const { argv, argv0, execArgv, execPath } = process;
  const options = (texts: readonly string[]): readonly string[] =>
    texts.map((option) => option.replace(/^-[^=]*=?/, ""));
  const named = [
    // A name without a folder is found through PATH.
    ...[
      execPath,
      argv[1] ?? "",
      argv0.includes(sep) ? argv0 : "",
      getCompileCacheDir() ?? "",
      ...options(execArgv),
    ].map((path) => ({ path })),
    ...options((environment["NODE_OPTIONS"] ?? "").split(/\s+/)).map((path) => ({
      path,
      variable: "NODE_OPTIONS",
    })),
    ...VARIABLES.flatMap((variable) =>
      (environment[variable] ?? "").split(delimiter).map((path) => ({ path, variable })),
    ),
  ];
  return named
    .filter(({ path }) => path !== "")
    .map(({ path, ...starter }) => ({
      path: path.startsWith("file:") ? fileURLToPath(path) : resolve(path),
      ...starter,
    }));
}

/** The name that Node gave a script, regardless of comments in it. Node's types lack it. */
interface Script extends Debugger.ScriptParsedEventDataType {
  readonly embedderName?: string;
}

/**
 * Every file that this thread has loaded as a module, absolute. Node's module map cannot be read, and `require.cache` lacks imported
 * modules, but the inspector lists every script.
 */
function loadedFiles(): readonly string[] {
  const scripts: string[] = [];
  const session = new Session();
  session.connect();
  try {
    session.on("Debugger.scriptParsed", ({ params }) => {
      const { embedderName, url }: Script = params;
      scripts.push(embedderName ?? url);
    });
    session.post("Debugger.enable");
  } finally {
    session.disconnect();
  }
  const files = [...scripts.flatMap(fileOf), ...Object.keys(createRequire(import.meta.url).cache)];
  // An inspector that lists nothing must not look like a server that loaded nothing.
  if (!files.includes(fileURLToPath(import.meta.url)))
    throw new Error("The inspector does not list this module");
  return [...new Set(files)];
}

function fileOf(name: string): readonly string[] {
  if (isAbsolute(name)) return [name];
  return name.startsWith("file:") && URL.canParse(name) ? [fileURLToPath(name)] : [];
}
