import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { commonFolder, readText, type Repository } from "./git-index.ts";

/** The limit of configuration files to read. Each may include others, or itself. */
const MAX_FILES = 32;

/**
 * Whether the ignore rules of a repository's own folder, or of the user, re-include something (`!.env`). Ripgrep then searches it even if
 * it is hidden. True if that is not certain.
 */
export function reincludes({ folder }: Repository, home: string | undefined): boolean {
  const configured = process.env["XDG_CONFIG_HOME"];
  const common = commonFolder(folder);
  if (common === undefined) return true;
  const folders = [
    ...(home === undefined ? [] : [`${home}/.config`]),
    ...(configured === undefined || configured === "" ? [] : [configured]),
  ].map((path) => `${path}/git`);
  const named = namedLists(
    [
      ...(home === undefined ? [] : [`${home}/.gitconfig`]),
      ...folders.map((path) => `${path}/config`),
      ...[`${common}/config`, `${folder}/config.worktree`, "/etc/gitconfig"],
    ],
    home,
  );
  const lists = [`${common}/info/exclude`, ...folders.map((path) => `${path}/ignore`)];
  return (
    named === undefined ||
    [...lists, ...named].some(
      (file) =>
        !file.startsWith("/") || (existsSync(file) && REINCLUDES.test(readText(file) ?? "!")),
    )
  );
}

const REINCLUDES = /^(?:\xef\xbb\xbf)?!/m;

// The lists of ignore rules that configurations name. A file counts even if the condition of its include may be false. Undefined in doubt.
function namedLists(
  configurations: readonly string[],
  home: string | undefined,
): readonly string[] | undefined {
  const files = [...configurations];
  const lists: string[] = [];
  for (const file of files) {
    if (!existsSync(file)) continue;
    const text = readText(file);
    if (text === undefined || files.length > MAX_FILES) return undefined;
    const sections = text.split(/^\s*\[(?=\s*include)/im);
    const included = sections.slice(1).flatMap((section) => valuesOf("path", section, home));
    const named = valuesOf("excludesfile", text, home);
    if (![...included, ...named].every((path) => PLAIN.test(path))) return undefined;
    files.push(...included.map((path) => resolve(dirname(file), path)));
    lists.push(...named.filter((path) => path !== ""));
  }
  return lists;
}

// In other values, git may see escapes, comments, quotes or the home directory of another user.
const PLAIN = /^[^~%"\\#;][^"\\#;]*$|^$/;

const valuesOf = (name: string, text: string, home: string | undefined): readonly string[] =>
  Array.from(
    text.matchAll(new RegExp(`(?:^|\\])[ \\t]*${name}[ \\t]*=[ \\t]*"?([^\\n]*?)"?\\s*$`, "gim")),
    ([, value = ""]) => value.replace(/^~(?=\/)/, home ?? "~"),
  );
