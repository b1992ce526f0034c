import type { Word } from "../analysis.ts";
import { listedByFind } from "./find.ts";
import { findingAt, findingsAt, HERE, nameless, some, type Listing } from "./found-files.ts";
import { listedByGit } from "./git-lists.ts";
import { printsHidden, walkOf } from "./folder-scope.ts";
import { hasOption, optionsNamed, parseArgs } from "./parsed-args.ts";
import type { ParsedArgs } from "./program-spec.ts";
import { specOf } from "./program-table.ts";
import { prefix } from "./word-text.ts";
import { FD } from "./xargs.ts";

type Lists = (argv: readonly Word[], before: Listing | undefined) => Listing | undefined;

/** The files whose paths a command prints, if it prints nothing else. `before`: the files whose paths it reads from its input. */
export function listedFiles(
  argv: readonly Word[],
  before: Listing | undefined,
): Listing | undefined {
  const name = argv[0]?.text?.replace(/^\/(usr\/)?bin\//, "");
  return name === undefined ? undefined : LISTS.get(name)?.(argv, before);
}

function parse(name: string, argv: readonly Word[]): ParsedArgs | undefined {
  const spec = name === "fd" ? FD : specOf(name);
  if (spec === undefined) return undefined;
  const use = parseArgs(spec, argv, 1, { posix: false });
  const isOpen = use.operands.some(({ word }) => word.text === undefined && prefix(word) === "");
  // Some versions read the next word as an option, and not as a value.
  const isSure = use.options.every(({ value }) => value?.text?.startsWith("-") !== true);
  return use.unknownOptions.length > 0 || isOpen || !isSure ? undefined : use;
}

// Whether only these options are given. They neither change lines nor name files.
const only = ({ options }: ParsedArgs, names: string): boolean => {
  const all = new Set(names.split(" "));
  return options.every(({ option }) => all.has(option.name) || /^\d$/.test(option.name));
};

const operandsOf = (use: ParsedArgs): readonly Word[] => use.operands.map(({ word }) => word);

// The printed names, in the working directory: `ls` omits the folder that it lists.
function listedByLs(argv: readonly Word[]): Listing | undefined {
  const use = parse("ls", argv);
  if (
    use === undefined ||
    !only(use, "1 t r reverse S d directory p group-directories-first U v X")
  )
    return undefined;
  const folder = hasOption(use, "directory d");
  const words = operandsOf(use);
  // Several folders are printed with headings, and a glob may match several.
  if (!folder && (words.length > 1 || words.some((word) => word.text === undefined)))
    return undefined;
  const anything: Word = { text: undefined, pieces: [{ hole: "name" }], single: false };
  const listed = folder && words.length > 0 ? words : [...words, anything];
  return {
    files: listed.map((word) => {
      const finding = findingAt(word, { below: false, links: true, splits: true });
      return finding.path.text === "." ? { ...finding, lead: "" } : finding;
    }),
    zero: false,
  };
}

const GREP_STYLE = `regexp ignore-case extended-regexp fixed-strings basic-regexp perl-regexp word-regexp line-regexp no-messages
  files-with-matches files-without-match L null include exclude exclude-dir recursive I text max-count E F G P i y w x s l Z
  invert-match v binary-files`;

// The names of files with a match of the search.
function listedByGrep(name: string): Lists {
  return (argv) => {
    const use = parse(name, argv);
    if (use === undefined || !only(use, GREP_STYLE.replace(/\s+/g, " "))) return undefined;
    if (!hasOption(use, "files-with-matches files-without-match")) return undefined;
    const words = operandsOf(use).slice(hasOption(use, "regexp") ? 0 : 1);
    const walk = walkOf(use);
    if (words.some(({ text }) => text === "-") || (words.length === 0 && walk === undefined))
      return undefined;
    const files = (words.length === 0 ? [HERE] : words).map((word) => {
      const finding = findingAt(word, {
        below: walk !== undefined,
        ...(walk?.only === undefined ? {} : { only: walk.only }),
        links: true,
        splits: true,
      });
      return words.length === 0 ? nameless(finding) : finding;
    });
    return { files, zero: hasOption(use, "null") };
  };
}

const RG_STYLE = `${GREP_STYLE} files glob iglob type type-not sort sortr threads max-depth no-messages smart-case case-sensitive
  fixed-strings multiline pcre2 null files-with-matches hidden no-ignore S U max-filesize`;

function listedByRg(argv: readonly Word[]): Listing | undefined {
  const use = parse("rg", argv);
  if (use === undefined || !only(use, RG_STYLE.replace(/\s+/g, " "))) return undefined;
  if (!hasOption(use, "files files-with-matches files-without-match l")) return undefined;
  const words = operandsOf(use).slice(hasOption(use, "regexp files") ? 0 : 1);
  const more = {
    ...({ links: false, splits: true, partial: true } as const),
    ...(printsHidden(use) ? {} : ({ ignores: true } as const)),
  };
  const globs = walkOf(use)?.only;
  const narrow = globs === undefined ? more : { ...more, only: globs };
  return {
    files: findingsAt(words.length === 0 ? [HERE] : words, narrow),
    zero: hasOption(use, "null 0"),
  };
}

const FD_STYLE = `hidden no-ignore unrestricted case-sensitive ignore-case glob fixed-strings full-path print0 regex max-depth min-depth
  exact-depth type extension size exclude color threads max-results changed-within changed-before absolute-path`;

function listedByFd(argv: readonly Word[]): Listing | undefined {
  const use = parse("fd", argv);
  if (use === undefined || !only(use, FD_STYLE.replace(/\s+/g, " "))) return undefined;
  if (hasOption(use, "absolute-path")) return undefined;
  const words = operandsOf(use).slice(1);
  const endings = optionsNamed(use, "extension").map(({ value }) => `*.${value?.text ?? ""}`);
  const types = optionsNamed(use, "type").map(({ value }) => value?.text ?? "");
  const more = {
    links: types.length === 0 || types.some((type) => !/^(f|file|d|directory)$/.test(type)),
    splits: true,
    partial: true as const,
    ...(endings.length === 0 || endings.includes("*.") ? {} : { only: endings }),
  };
  return {
    files: findingsAt(words.length === 0 ? [HERE] : words, more),
    zero: hasOption(use, "print0"),
  };
}

// A filter that only drops or reorders lines and reads no files itself.
function filter(
  name: string,
  options: string,
  {
    operands = 0,
    zero = "",
    drops = false,
  }: { readonly operands?: number; readonly zero?: string; readonly drops?: boolean } = {},
): Lists {
  return (argv, before) => {
    if (before === undefined) return undefined;
    const use = parse(name, argv);
    if (use === undefined || !only(use, options) || use.operands.length > operands)
      return undefined;
    const byZero = zero !== "" && hasOption(use, zero);
    if (before.zero !== byZero) return undefined;
    return drops ? some(before) : before;
  };
}

const KEEPS =
  "ignore-case extended-regexp fixed-strings basic-regexp perl-regexp invert-match word-regexp line-regexp no-messages max-count text null-data line-buffered";

const keepsLines: Lists = (argv, before) => {
  const use = parse("grep", argv);
  if (before === undefined || use === undefined) return undefined;
  if (!only(use, `${KEEPS} regexp`)) return undefined;
  if (use.operands.length !== (hasOption(use, "regexp") ? 0 : 1)) return undefined;
  return before.zero === hasOption(use, "null-data") ? some(before) : undefined;
};

const LINES = /^(\d+|\$|\d+,(\d+|\$))?[pdq]$/;

// A `sed` script that only selects line numbers, so it only drops lines.
const dropsLines: Lists = (argv, before) => {
  const words = argv.slice(1).map(({ text }) => text ?? "");
  const rest = words[0] === "-n" ? words.slice(1) : words;
  return before?.zero === false && rest.length === 1 && LINES.test(rest[0] ?? "")
    ? some(before)
    : undefined;
};

const swaps: Lists = (argv, before) => {
  const [from, to, ...more] = argv.slice(1).map(({ text }) => text);
  if (before === undefined || more.length > 0) return undefined;
  if (from === "\\0" && to === "\\n" && before.zero) return { ...before, zero: false };
  if (from === "\\n" && to === "\\0" && !before.zero) return { ...before, zero: true };
  return undefined;
};

// A program of awk that prints whole lines: all, those that match an expression or a line number, or each once.
const WHOLE =
  /^\s*(?=\S)(?:\/(?:[^/\\{}\n]|\\[^/\n])*\/|NR\s*(?:%\s*\d+\s*)?(?:==|!=|[<>]=?)\s*\d+|!seen\[\$0\]\+\+)?\s*(?:\{\s*print(?:\s+\$0)?\s*;?\s*\})?\s*$/;

const printsLines: Lists = (argv, before) =>
  before?.zero === false && argv.length === 2 && WHOLE.test(argv[1]?.text ?? "")
    ? some(before)
    : undefined;

// `grep -l x {}` prints the paths that it is given.
const printsMatches = (command: readonly Word[]): boolean => {
  const name = command[0]?.text ?? "";
  if (!/^[ef]?grep$/.test(name)) return false;
  const use = parse(name, command);
  if (use === undefined || !only(use, GREP_STYLE.replace(/\s+/g, " "))) return false;
  const words = operandsOf(use).slice(hasOption(use, "regexp") ? 0 : 1);
  return (
    hasOption(use, "files-with-matches files-without-match") &&
    !hasOption(use, "null") &&
    walkOf(use) === undefined &&
    words.length === 1 &&
    words[0]?.text === "{}" &&
    command.filter(({ text }) => text?.includes("{}") !== false).length === 1
  );
};

const LISTS: ReadonlyMap<string, Lists> = new Map<string, Lists>([
  ["find", (argv) => listedByFind(argv, 1, printsMatches)],
  ["ls", listedByLs],
  ...["grep", "egrep", "fgrep"].map((name): [string, Lists] => [
    name,
    (argv, before) => listedByGrep(name)(argv, before) ?? keepsLines(argv, before),
  ]),
  ["rg", listedByRg],
  ["fd", listedByFd],
  ["fdfind", listedByFd],
  ["git", listedByGit],
  [
    "sort",
    filter(
      "sort",
      "reverse numeric-sort unique version-sort ignore-case human-numeric-sort random-sort stable key field-separator dictionary-order zero-terminated",
      { zero: "zero-terminated" },
    ),
  ],
  [
    "uniq",
    filter("uniq", "unique repeated ignore-case zero-terminated", {
      ...{ zero: "zero-terminated", drops: true },
    }),
  ],
  ["head", filter("head", "lines z", { zero: "z", drops: true })],
  ["tail", filter("tail", "lines z", { zero: "z", drops: true })],
  ["shuf", filter("shuf", "head-count z", { zero: "z", drops: true })],
  ["tac", filter("tac", "")],
  ["cat", filter("cat", "")],
  ["tee", filter("tee", "append", { operands: 8 })],
  ["sed", dropsLines],
  ...["awk", "gawk", "mawk", "nawk"].map((name): [string, Lists] => [name, printsLines]),
  ["tr", swaps],
]);

/** Whether the paths that a program of this name prints may be known. */
export const printsFiles = (name: string): boolean => LISTS.has(name);
