import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { BylawError, isJsonObject, messageOf, type Config } from "@bylaw/kernel";
import { createJiti } from "jiti";
import { refuseUnknownKeys } from "./config-keys.ts";
import { isBylawError } from "./is-bylaw-error.ts";
import { missingBeside, type BundledPackages } from "./packages.ts";

type SourceLocation = NonNullable<BylawError["source"]>;

/**
 * Loads a configuration that is a module and returns its default export. Throws BYLAW_CONFIG_UNLOADABLE for a module that
 * does not load, with the line where it failed, and BYLAW_CONFIG_INVALID for one without a configuration.
 */
export async function readModuleConfig(file: string, bundled: BundledPackages): Promise<Config> {
  const exports = await importConfig(file, bundled);
  const config: unknown = exports["default"];
  if (isJsonObject(config)) {
    refuseUnknownKeys(config, file);
    return config;
  }
  throw new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message:
      config === undefined
        ? "The configuration has no default export"
        : "The default export is not a configuration",
    fix: "Write `export default defineConfig({ … })`",
    source: { file },
  });
}

async function importConfig(
  file: string,
  bundled: BundledPackages,
): Promise<Record<string, unknown>> {
  const typescript = extname(file).endsWith("ts");
  if (!typescript) {
    try {
      return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    } catch (error) {
      // Nothing of the module has run when a package is missing, so it may be loaded again with the bundled ones.
      if (!lacksBundled(error, bundled)) throw unloadable(file, error);
    }
  }
  try {
    const jiti = createJiti(file, {
      // Nothing is written into a project, nor into a folder where an agent could exchange what was compiled.
      fsCache: false,
      interopDefault: false,
      alias: { ...(await missingBeside(file, bundled)) },
    });
    return await jiti.import<Record<string, unknown>>(file);
  } catch (error) {
    throw unloadable(file, error);
  }
}

const MISSING = /Cannot find (?:module|package) '([^']+)'/;

function lacksBundled(error: unknown, bundled: BundledPackages): boolean {
  const name = MISSING.exec(messageOf(error))?.[1];
  return name !== undefined && Object.hasOwn(bundled, name);
}

function unloadable(file: string, error: unknown): BylawError {
  // An error of our own, thrown while the module ran (options refused, say), says it better than we could.
  const own = isBylawError(error) ? error : undefined;
  const [, name] = MISSING.exec(messageOf(error)) ?? [];
  const installable = name !== undefined && !/^[./\\]|^[a-z]:/i.test(name) ? name : undefined;
  const message = own?.message ?? reasonOf(error, name);
  return new BylawError({
    code: own?.code ?? "BYLAW_CONFIG_UNLOADABLE",
    message: own === undefined ? `The configuration failed to load: ${message}` : message,
    fix: own?.fix ?? (installable === undefined ? undefined : `Run \`npm install ${installable}\``),
    source: own?.source ?? sourceOf(error, file),
    cause: error,
  });
}

function reasonOf(error: unknown, missing: string | undefined): string {
  if (missing !== undefined) return `\`${missing}\` cannot be found`;
  const text = messageOf(error).replace(/^ParseError: /, "");
  return text.replace(/\s*\S*:\d+:\d+$/, "");
}

// Both loaders keep the lines of the source, and name file, line and column in the stack or in the message.
function sourceOf(error: unknown, file: string): SourceLocation {
  const text = error instanceof Error ? `${error.message}\n${error.stack ?? ""}` : String(error);
  for (const name of [file, pathToFileURL(file).href]) {
    const at = text.indexOf(`${name}:`);
    if (at === -1) continue;
    const [, line, column] = /^(\d+)(?::(\d+))?/.exec(text.slice(at + name.length + 1)) ?? [];
    if (line === undefined) continue;
    return {
      file,
      line: Number(line),
      ...(column === undefined ? {} : { column: Number(column) }),
    };
  }
  return { file };
}
