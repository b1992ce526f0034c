import * as modules from "node:module";
import { extname } from "node:path";
import { pathToFileURL } from "node:url";
import { BylawError, Faults, isJsonObject, messageOf } from "@bylaw/kernel";
import { notingOptionFaults } from "./option-faults.ts";
import { isBylawError } from "./is-bylaw-error.ts";
import type { ReadConfig } from "./read-config.ts";
import { missingPackageFix } from "./missing-package.ts";
import { missingBeside, type BundledPackages } from "./packages.ts";

type SourceLocation = NonNullable<BylawError["source"]>;

/**
 * Loads a configuration that is a module and returns its default export. Throws BYLAW_CONFIG_UNLOADABLE with the line if the module
 * fails, and BYLAW_CONFIG_INVALID if its export is not a configuration.
 */
export async function readModuleConfig(
  file: string,
  bundled: BundledPackages,
): Promise<ReadConfig> {
  const faults: BylawError[] = [];
  const exports = await importModule(file, bundled).catch(async (error: unknown) => {
    const fault = unloadable(file, error);
    const anew = fault.code === "BYLAW_OPTIONS_INVALID";
    return (anew ? await importFaulty(file, bundled, faults) : undefined) ?? raise(fault);
  });
  const config: unknown = exports["default"];
  if (isJsonObject(config)) {
    // These checks need zod, so they are loaded only here.
    const { checkedModule } = await import("./config-schema.ts");
    const checked = checkedModule(file, config);
    return { config: checked.config, faults: [...faults, ...checked.faults] };
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

function raise(fault: BylawError): never {
  throw fault;
}

/**
 * Loads a module again in which a plugin refused its options. This time each plugin notes its fault instead of throwing, so that the
 * module runs to its end. Throws the faults if it does not.
 */
async function importFaulty(
  file: string,
  bundled: BundledPackages,
  faults: BylawError[],
): Promise<Record<string, unknown> | undefined> {
  const note = (error: unknown): void => void faults.push(unloadable(file, error));
  try {
    return await notingOptionFaults(note, () => evaluate(file, bundled, { anew: true }));
  } catch {
    // Without one of its plugins, the module may fail for other reasons, which are not reported.
    new Faults(faults).throwAll();
    return undefined;
  }
}

/** The exports of a module, with the bundled packages where it imports what a project lacks. */
export async function importModule(
  file: string,
  bundled: BundledPackages,
): Promise<Record<string, unknown>> {
  if (!extname(file).endsWith("ts")) {
    try {
      return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    } catch (error) {
      // If a package is missing, no code of the module has run. So it can be loaded again, with the bundled packages.
      if (!lacksBundled(error, bundled)) throw error;
    }
  } else if (process.features.typescript !== false && "registerHooks" in modules) {
    try {
      return await importStripped(file, bundled);
    } catch (error) {
      if (isBylawError(error)) throw error;
      // The compiler also reads what Node cannot, such as an enum, and tells the line of any other error.
    }
  }
  return await evaluate(file, bundled);
}

// Node strips the types itself, which takes a small part of the time of a compiler.
async function importStripped(
  file: string,
  bundled: BundledPackages,
): Promise<Record<string, unknown>> {
  const hooks = modules.registerHooks({
    resolve(name, context, next) {
      try {
        return next(name, context);
      } catch (error) {
        const url = Object.hasOwn(bundled, name) ? bundled[name] : undefined;
        if (url === undefined) throw error;
        return { url, shortCircuit: true };
      }
    },
    // In a package without a `type`, Node would try both kinds of modules and warn.
    load: (url, context, next) =>
      next(url, url.endsWith(".ts") ? { ...context, format: "module-typescript" } : context),
  });
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  } finally {
    hooks.deregister();
  }
}

async function evaluate(
  file: string,
  bundled: BundledPackages,
  { anew = false } = {},
): Promise<Record<string, unknown>> {
  // It is large, and seldom needed.
  const { createJiti } = await import("jiti");
  const jiti = createJiti(file, {
    // No cache: it would write into the project, or into a folder where an agent could replace compiled code.
    fsCache: false,
    ...(anew ? { moduleCache: false } : {}),
    interopDefault: false,
    alias: { ...(await missingBeside(file, bundled)) },
  });
  return await jiti.import<Record<string, unknown>>(file);
}

const MISSING = /Cannot find (?:module|package) '([^']+)'/;

function lacksBundled(error: unknown, bundled: BundledPackages): boolean {
  const name = MISSING.exec(messageOf(error))?.[1];
  return name !== undefined && Object.hasOwn(bundled, name);
}

function unloadable(file: string, error: unknown): BylawError {
  // If an error of Bylaw was thrown while the module ran, such as for wrong options, its message is the better one.
  const own = isBylawError(error) ? error : undefined;
  const [, name] = MISSING.exec(messageOf(error)) ?? [];
  const installable = name !== undefined && !/^[./\\]|^[a-z]:/i.test(name) ? name : undefined;
  const message = own?.message ?? reasonOf(error, name);
  return new BylawError({
    code: own?.code ?? "BYLAW_CONFIG_UNLOADABLE",
    message: own === undefined ? `The configuration failed to load: ${message}` : message,
    fix: own?.fix ?? (installable === undefined ? undefined : missingPackageFix(installable, file)),
    source: own?.source ?? sourceOf(error, file),
    cause: error,
  });
}

function reasonOf(error: unknown, missing: string | undefined): string {
  if (missing !== undefined) return `\`${missing}\` cannot be found`;
  const text = messageOf(error).replace(/^ParseError: /, "");
  return text.replace(/\s*\S*:\d+:\d+$/, "");
}

// Both loaders keep the original lines, and name file, line and column in the stack or the message.
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
