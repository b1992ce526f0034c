import { existsSync } from "node:fs";
import { readText, type Repository } from "./git-index.ts";

/**
 * Whether the ignore rules of a repository's own folder, or of the user, re-include something (`!.env`). Ripgrep then searches it even if
 * it is hidden. True if that is not certain.
 */
export const reincludes = ({ folder }: Repository, home: string | undefined): boolean =>
  [`${folder}/info/exclude`, ...rulesOfUser(folder, home)].some(
    (file) => existsSync(file) && /^(?:\xef\xbb\xbf)?!/m.test(readText(file) ?? "!"),
  );

// The usual file is read unless a configuration names another one.
function rulesOfUser(folder: string, home: string | undefined): readonly string[] {
  const own = home === undefined ? [] : [`${home}/.gitconfig`, `${home}/.config/git/config`];
  const named = [...own, `${folder}/config`, "/etc/gitconfig"].flatMap((file) =>
    Array.from((readText(file) ?? "").matchAll(SETTING), ([, path = ""]) => path),
  );
  return [
    ...named.map((path) => path.replace(/^~(?=\/)/, home ?? "~")),
    ...(home === undefined ? [] : [`${home}/.config/git/ignore`]),
  ];
}

const SETTING = /^\s*excludesfile\s*=\s*"?([^"\n]*?)"?\s*$/gim;
