import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import type { Kind } from "./kinds.ts";

const TEMPLATES = new URL("../templates/", import.meta.url);

/** An error that tells the person why nothing was created. */
export class Refusal extends Error {
  readonly fix: string;

  constructor(message: string, fix: string) {
    super(message);
    this.fix = fix;
  }
}

/** The reason why a name cannot be used as an npm package name here. Undefined if it can. */
export function refusalOf(name: string): string | undefined {
  const fits = /^(@[a-z0-9][a-z0-9._-]*\/)?[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
  return fits && name.length <= 100
    ? undefined
    : `\`${name}\` is not a package name in small letters, digits and single hyphens`;
}

/**
 * Creates a new folder from the template of a kind, all of it or nothing. Returns the paths of its files, relative to the folder.
 * Throws a {@link Refusal} if the folder already has files, and the file system's errors.
 */
export function create(folder: string, kind: Kind, name: string): readonly string[] {
  const at = resolve(folder);
  const refused = refusalOf(name);
  if (refused !== undefined)
    throw new Refusal(refused, "Give one with `--name`, such as `acme-rules`");
  if (existsSync(at) && readdirSync(at).length > 0)
    throw new Refusal(`${folder} is not empty`, "Name a new folder");
  const made = !existsSync(at);
  const texts = filledIn(kind, name);
  try {
    for (const [file, text] of texts) {
      mkdirSync(dirname(join(at, file)), { recursive: true });
      writeFileSync(join(at, file), text, { flag: "wx" });
    }
  } catch (error) {
    for (const [file] of texts) rmSync(join(at, file), { force: true });
    if (made) rmSync(at, { recursive: true, force: true });
    throw error;
  }
  return texts.map(([file]) => file);
}

/**
 * The files of a template with their placeholders filled in. npm treats `.gitignore` and `package.json` specially, so in the
 * template the names begin with `_`, and the manifest is `manifest.json`.
 */
function filledIn(kind: Kind, name: string): readonly (readonly [string, string])[] {
  const template = fileURLToPath(new URL(`${kind}/`, TEMPLATES));
  const words: Readonly<Record<string, string>> = {
    PACKAGE_NAME: name,
    IDENTIFIER: identifierOf(name),
    SHORT_NAME: basename(name),
  };
  return readdirSync(template, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => {
      const text = readFileSync(path, "utf8")
        .replaceAll(/PACKAGE_NAME|IDENTIFIER|SHORT_NAME/g, (word) => words[word] ?? word)
        .replaceAll(/"(@bylaw\/[a-z-]+|zod)": "\*"/g, (_, needed: string) => {
          return `${JSON.stringify(needed)}: ${JSON.stringify(RANGES[needed])}`;
        });
      return [placeOf(relative(template, path)), text] as const;
    });
}

const placeOf = (path: string): string =>
  path
    .split(/[\\/]/)
    .map((part) => part.replace(/^_/, ".").replace(/^manifest\.json$/, "package.json"))
    .join("/");

/** The version ranges that this release was tested with. The command contains this package, so both have the same version. */
const RANGES: Readonly<Record<string, string>> = {
  ...manifest.devDependencies,
  "@bylaw/cli": `^${manifest.version}`,
};

/** Converts a package name to an identifier: `@acme/no-refunds` → `noRefunds`. */
const identifierOf = (name: string): string =>
  basename(name).replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
