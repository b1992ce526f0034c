import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject } from "@bylaw/kernel";
import { nearest } from "@bylaw/wording";

/** What a configuration may name by a word of its own, such as `recommended`. */
const SHORT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["recommended", "everyday", "tdd", "consensus", "coordinator"].map((name) => [
      name,
      `@bylaw/ruleset-${name}`,
    ]),
  ),
  ...Object.fromEntries(
    ["policy", "phases", "gates", "tokens", "artifacts", "reasons", "status", "event-log"].map(
      (name) => [name, `@bylaw/plugin-${name}`],
    ),
  ),
};

/**
 * What to do about a package that a configuration names and that is not installed. Anybody may have published a package of that name, so
 * installing it is suggested only for packages of Bylaw, and for those that the project already depends on.
 */
export function missingPackageFix(name: string, file: string): string {
  if (name.startsWith("@bylaw/")) return `Run \`npm install ${name}\``;
  const short = Object.hasOwn(SHORT, name) ? name : nearest(name, Object.keys(SHORT));
  const meant = short === undefined ? undefined : SHORT[short];
  if (meant !== undefined) return `Write \`${meant}\`, and run \`npm install ${meant}\``;
  if (isDependency(name, dirname(file))) return "Run `npm install`";
  return "Correct the name. If you know this package and trust it, install it first";
}

/** Whether the nearest manifest above a folder lists a package. */
function isDependency(name: string, folder: string): boolean {
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return dirname(folder) !== folder && isDependency(name, dirname(folder));
  }
  return ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"].some(
    (kind) => {
      const listed = isJsonObject(manifest) ? manifest[kind] : undefined;
      return isJsonObject(listed) && Object.hasOwn(listed, name);
    },
  );
}
