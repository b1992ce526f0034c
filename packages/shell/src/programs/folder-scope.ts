import { type FolderScope } from "./findings.ts";
import { optionsNamed, hasOption } from "./parsed-args.ts";
import type { ParsedArgs } from "./program-spec.ts";

/** How the paths of this command include what is below them. Undefined if they do not. */
export function walkOf(use: ParsedArgs): FolderScope | undefined {
  const { below, printsFiles } = use.spec;
  if (below === undefined) return undefined;
  if (typeof below === "function" ? !below(use) : below !== "always" && !hasOption(use, below))
    return undefined;
  if (printsFiles === undefined) return scopeOf(use);
  const except = leftOut(use);
  const scope = { ...scopeOf(use), prints: true, ...(except.length > 0 && { except }) } as const;
  if (printsFiles === "all" || printsHidden(use)) return scope;
  return hasOption(use, NAMES) ? scopeOf(use) : { ...scope, ignores: true };
}

/** Whether ripgrep also finds hidden files, or what is ignored. A type finds hidden files too: that of shell scripts has `.env`. */
export const printsHidden = (use: ParsedArgs): boolean =>
  hasOption(use, EVERYTHING) ||
  optionsNamed(use, "type").some(({ value }) => !CODE.has(value?.text ?? ""));

// Types of program text, with names that end in `.ts` and the like.
const CODE: ReadonlySet<string> = new Set(
  "c cpp cs css go html js kotlin less lua md markdown php py python rust scala sql svelte swift ts typescript vue".split(
    " ",
  ),
);

// Options of ripgrep with which it leaves out less, and with which it prints names only.
const EVERYTHING =
  "hidden . ignore-file-case-insensitive no-ignore no-ignore-vcs no-ignore-dot no-ignore-exclude no-ignore-files no-ignore-global no-ignore-parent unrestricted u".split(
    " ",
  );
const NAMES =
  "files files-with-matches l files-without-match count c count-matches type-list".split(" ");

const PLAIN_NAME = /^[\w.-]+$/;

// The folders that `--exclude-dir` names. A glob leaves out nothing here, and `--include-dir` may bring a folder back.
function leftOut(use: ParsedArgs): readonly string[] {
  if (hasOption(use, "include-dir")) return NO_FILTER;
  return optionsNamed(use, "exclude-dir").flatMap(({ value }) =>
    value?.text !== undefined && PLAIN_NAME.test(value.text) ? [value.text] : [],
  );
}

function scopeOf(use: ParsedArgs): FolderScope {
  const { filter, follows } = use.spec;
  if (filter === undefined && follows === undefined) return BELOW;
  const only = filter === undefined ? NO_FILTER : filtersOf(use, filter);
  const leaves = follows !== undefined && hasOption(use, follows);
  if (only.length > 0) return { below: true, only, follows: leaves };
  return leaves ? FOLLOWS : BELOW;
}

const NO_FILTER: readonly string[] = [];

function filtersOf(use: ParsedArgs, filter: string): readonly string[] {
  if (!hasOption(use, filter) || excludesFirst(use)) return NO_FILTER;
  return filter.split(" ").flatMap((name) =>
    optionsNamed(use, name).flatMap(({ value }) => {
      if (value === undefined) return NO_FILTER;
      // Usually no file matches, and the shell passes the glob as written.
      const text =
        value.text ??
        value.pieces.map((piece) => (typeof piece === "string" ? piece : "*")).join("");
      return text.startsWith("!") ? NO_FILTER : [text];
    }),
  );
}

// GNU grep then searches every file that is not excluded.
const excludesFirst = ({ options }: ParsedArgs): boolean =>
  options
    .find(({ option }) => /^(include|exclude|exclude-from)$/.test(option.name))
    ?.option.name.startsWith("exclude") === true;

const BELOW = { below: true } as const;

const FOLLOWS = { below: true, follows: true } as const;
