import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { BylawError, isJsonObject, type Config, type Json, type Ruleset } from "@bylaw/kernel";
import { lockFileOf } from "./lock-file.ts";
import { packageDigest, packageFiles } from "./package-files.ts";
import { parseJson } from "./parse-json.ts";

/** A version of a ruleset that a person accepted. */
export interface AcceptedRuleset {
  readonly version: string;
  /** The digest of the files of its package, `sha256:…`. */
  readonly digest: string;
  /** The public key that must have signed every version, in PEM. */
  readonly key?: string;
  /** The version than which it is less strict, and in how many calls and `final` rules. */
  readonly looser?: { readonly than: string; readonly number: number };
}

/** The accepted rulesets by package name. */
export type RulesetLock = Readonly<Record<string, AcceptedRuleset>>;

/** Reads the lock of a configuration, if there is one. Throws BYLAW_LOCK_INVALID. */
export function readRulesetLock(configFile: string): RulesetLock | undefined {
  const file = lockFileOf(configFile);
  if (!existsSync(file)) return undefined;
  const { rulesets = null } = objectOf(parseLock(file));
  if (isJsonObject(rulesets) && Object.values(rulesets).every(isAccepted))
    return rulesets as unknown as RulesetLock;
  throw invalid(file, "The lock has no table `rulesets` with a `version` and a `digest` for each");
}

const objectOf = (value: Json): Readonly<Record<string, Json>> =>
  isJsonObject(value) ? value : {};

const isAccepted = (value: Json): boolean => {
  const { version, digest, key = "" } = objectOf(value);
  return [version, digest, key].every((text) => typeof text === "string");
};

function parseLock(file: string): Json {
  try {
    return parseJson(readFileSync(file, "utf8"));
  } catch (cause) {
    throw invalid(file, "The lock cannot be read as JSON", cause);
  }
}

const invalid = (file: string, message: string, cause?: unknown): BylawError =>
  new BylawError({
    code: "BYLAW_LOCK_INVALID",
    message,
    fix: "Restore the file, or remove it and accept each ruleset again",
    source: { file },
    cause,
  });

/** The folder of the package that a configuration would import, if one is installed. */
export function installedPackage(configFile: string, name: string): string | undefined {
  for (let above = dirname(configFile); ; above = dirname(above)) {
    const folder = join(above, "node_modules", name);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return folder;
    if (above === dirname(above)) return undefined;
  }
}

/** Checks the installed packages against a lock, before their code runs. Throws BYLAW_RULESET_UNACCEPTED. */
export function checkInstalled(configFile: string, lock: RulesetLock): void {
  for (const [name, { version, digest }] of Object.entries(lock)) {
    const folder = installedPackage(configFile, name);
    if (folder !== undefined && packageDigest(packageFiles(folder)) !== digest)
      throw unaccepted(
        configFile,
        name,
        `The installed files of \`${name}\` are not those of ${version}, which were accepted`,
      );
  }
}

/** Checks that a lock names every installed ruleset that a configuration extends. Throws BYLAW_RULESET_UNACCEPTED. */
export function checkAccepted(
  configFile: string,
  lock: RulesetLock,
  { extends: rulesets = [] }: Pick<Config, "extends">,
): void {
  for (const { name, extends: below = [] } of rulesets as readonly Ruleset[]) {
    // A ruleset that is not installed comes with the command, or is written in the configuration itself.
    if (!Object.hasOwn(lock, name) && installedPackage(configFile, name) !== undefined)
      throw unaccepted(configFile, name, `The ruleset \`${name}\` was never accepted`);
    checkAccepted(configFile, lock, { extends: below });
  }
}

const unaccepted = (configFile: string, name: string, message: string): BylawError =>
  new BylawError({
    code: "BYLAW_RULESET_UNACCEPTED",
    message,
    fix: `Run \`bylaw ruleset accept ${name}\`, which says what becomes less strict`,
    source: { file: lockFileOf(configFile) },
  });
