import { realpathSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { BylawError, messageOf, type Ruleset } from "@bylaw/kernel";
import { isBylawError } from "./is-bylaw-error.ts";
import { importModule } from "./module-config.ts";
import { resolverBeside, rulesetOf, type BundledPackages } from "./packages.ts";

/**
 * Loads the ruleset that the package in a folder exports under its own name. Runs its code. Throws BYLAW_CONFIG_UNLOADABLE, also if the
 * entry is outside the folder, and the errors of its plugins.
 */
export async function loadRuleset(
  folder: string,
  name: string,
  bundled: BundledPackages,
): Promise<Ruleset> {
  const manifest = join(folder, "package.json");
  const unloadable = (message: string, fix?: string, cause?: unknown): BylawError =>
    new BylawError({
      code: "BYLAW_CONFIG_UNLOADABLE",
      message,
      fix,
      source: { file: manifest },
      cause,
    });
  const url = (await resolverBeside(manifest))(name);
  const entry = url === undefined ? undefined : fileURLToPath(url);
  // Without `exports`, the name resolves to an installed package of that name. A link may lead anywhere.
  if (entry === undefined || !isWithin(realpathSync(folder), realpathSync(entry)))
    throw unloadable(
      `The package \`${name}\` has no entry of its own`,
      'Name one in `exports`, such as `{ ".": "./index.js" }`',
    );
  let exports: Readonly<Record<string, unknown>>;
  try {
    exports = await importModule(entry, bundled);
  } catch (error) {
    if (isBylawError(error)) throw error;
    throw unloadable(
      `The package \`${name}\` failed to load: ${messageOf(error)}`,
      undefined,
      error,
    );
  }
  return rulesetOf(name, exports);
}

function isWithin(folder: string, file: string): boolean {
  const below = relative(folder, file);
  return !isAbsolute(below) && !/^\.\.(?:[\\/]|$)/.test(below);
}
