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
    if (!texts.some((text) => /^-(m|d|-modified|-deleted)$/.test(text ?? ""))) return all;
    return some(texts.some((text) => /^(-c|--cached)$/.test(text ?? "")) ? all : changed(all));
  }
  if (
    sub?.text === "diff" &&
    texts.includes("--name-only") &&
    texts.every(isDiffed) &&
    namesIndexed(texts)
  )
    return some(diffed(texts, zero));
  if (
    sub?.text === "grep" &&
    texts.some((text) => GREP_NAMES.test(text ?? "")) &&
    texts.every(isGrepped)
  ) {
    const [, ...paths] = texts.filter((text) => text?.startsWith("-") !== true);
    // A word that is no path may be a commit. Git prints its files as `main:src/a.ts`, which may be other files here.
    const files = [...filesOf("top"), ...paths.flatMap((path) => filesOfPath(path ?? ""))];
    return some({ files, zero: false });
  }
  return undefined;
}

function diffed(texts: readonly (string | undefined)[], zero: boolean): Listing {
  const all = { files: filesOf("top"), zero };
  return texts.some(isCached) ? all : changed(all);
}

const changed = ({ files, zero }: Listing): Listing => ({
  files: files.map((file) => ({ ...file, changed: true })),
  zero,
});

const isCached = (text: string | undefined): boolean => text === "--cached" || text === "--staged";

const filesOf = (tracked: "here" | "top"): readonly Finding[] =>
  findingsAt([HERE], { links: true, splits: true, tracked });

// Another commit may have a file that git tracks no longer, with any name.
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
  const more = { links: true, splits: true } as const;
  if (!/[*?[\]\\]/.test(path)) return findingsAt([known(path)], { ...more, tracked: "below" });
  const name = path.slice(path.lastIndexOf("/") + 1);
  const here = { ...more, tracked: "here" } as const;
  return findingsAt([HERE], /^\*\.\w+$/.test(name) ? { ...here, only: [name] } : here);
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
