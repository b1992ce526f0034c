import type { Word } from "../analysis.ts";
import { findingsAt, HERE, some, type Finding, type Listing } from "./found-files.ts";
import { known } from "./word-text.ts";

/** The files below the working directory that a command of git lists. Without an option, git prints no path with `..`. */
export function listedByGit(argv: readonly Word[]): Listing | undefined {
  const [, sub, ...rest] = argv;
  const texts = rest.map(({ text }) => text);
  const end = texts.indexOf("--");
  // After `--`, an option is a path, so the program does not list names.
  if (end >= 0 && texts.slice(end + 1).some((text) => text?.startsWith("-") !== false))
    return undefined;
  return listedBySub(sub, texts);
}

function listedBySub(
  sub: Word | undefined,
  texts: readonly (string | undefined)[],
): Listing | undefined {
  const zero = texts.includes("-z");
  if (sub?.text === "ls-files" && texts.every(isTracked)) {
    const paths = texts.flatMap((text) =>
      text === undefined || text.startsWith("-") ? [] : [text],
    );
    const files = paths.length === 0 ? filesOf("here") : paths.flatMap(filesOfPath);
    const all = { files, zero };
    return texts.some((text) => /^-(m|d|-modified|-deleted)$/.test(text ?? ""))
      ? some(changed(all))
      : all;
  }
  if (sub?.text === "diff" && texts.includes("--name-only") && texts.every(isDiffed))
    return some(diffed(texts, zero));
  if (
    sub?.text === "grep" &&
    texts.some((text) => GREP_NAMES.test(text ?? "")) &&
    texts.every(isGrepped)
  )
    return some({ files: filesOf("top"), zero: false });
  return undefined;
}

function diffed(texts: readonly (string | undefined)[], zero: boolean): Listing {
  if (!namesIndexed(texts)) return { files: filesOf(undefined), zero };
  const all = { files: filesOf("top"), zero };
  return texts.some(isCached) ? all : changed(all);
}

const changed = ({ files, zero }: Listing): Listing => ({
  files: files.map((file) => ({ ...file, changed: true })),
  zero,
});

const isCached = (text: string | undefined): boolean => text === "--cached" || text === "--staged";

const filesOf = (tracked: "here" | "top" | undefined): readonly Finding[] =>
  findingsAt([HERE], {
    ...{ links: true, splits: true },
    ...(tracked === undefined ? {} : { tracked }),
  });

// Another commit may have a file that git tracks no longer.
function namesIndexed(texts: readonly (string | undefined)[]): boolean {
  const end = texts.indexOf("--");
  const before = end < 0 ? texts : texts.slice(0, end);
  if (before.some((text) => text?.startsWith("-") !== true)) return false;
  const filters = before.filter((text) => text?.startsWith("--diff-filter"));
  const [filter = ""] = filters;
  // Git joins several filters, which may cancel each other.
  if (filters.length > 1) return false;
  return !before.some(isCached) || /^--diff-filter=([a-z]*d[a-z]*|[A-CE-Z]+)$/.test(filter);
}

// In a pattern of git, `*` also matches slashes.
function filesOfPath(path: string): readonly Finding[] {
  const more = { links: true, splits: true, tracked: "here" } as const;
  if (!/[*?[\]\\]/.test(path)) return findingsAt([known(path)], more);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return findingsAt([HERE], /^\*\.\w+$/.test(name) ? { ...more, only: [name] } : more);
}

const PLAIN_OPERAND = /^(?!-)(?!\.\.?(\/|$)|.*\/\.\.?(\/|$)|\/|~|:)/;
const isTracked = (text: string | undefined): boolean =>
  text !== undefined &&
  (PLAIN_OPERAND.test(text) || /^(-z|-c|-m|-d|--cached|--modified|--deleted|--)$/.test(text));
const isDiffed = (text: string | undefined): boolean =>
  text !== undefined &&
  (PLAIN_OPERAND.test(text) ||
    /^(-z|--name-only|--cached|--staged|--diff-filter=\w+|--)$/.test(text));
const GREP_NAMES = /^(-[iwEFPn]*l[iwEFP]*|--name-only|--files-with-matches)$/;
const isGrepped = (text: string | undefined): boolean =>
  text !== undefined &&
  (PLAIN_OPERAND.test(text) || GREP_NAMES.test(text) || /^-[iwEFP]+$/.test(text));
