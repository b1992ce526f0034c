import type { Word } from "../analysis.ts";
import { file, type Findings, type FolderScope } from "./findings.ts";
import { pathOf } from "./path-of-word.ts";
import { baseName, concat, known, prefix } from "./word-text.ts";

/** How sources are copied to their target. */
interface Copying {
  /** Whether everything below the sources is included. */
  readonly below?: boolean;
  /** Whether the target must be a directory, even if its name does not end with a slash. */
  readonly folder?: boolean;
  /** Whether the target itself becomes a copy of the source. */
  readonly merges?: boolean;
  /** Whether sources keep their directories. */
  readonly parents?: boolean;
}

/** Records that a target is written: a new file, or a directory that gets a file for each source. */
export function writeInto(
  target: Word,
  sources: readonly Word[],
  out: Findings,
  { below = false, folder = false, merges = false, parents = false }: Copying = {},
): void {
  const names = sources.map((source) => (merges ? undefined : nameOf(source, parents)));
  const isFolder = folder || /(?:^|\/)(?:\.{1,2}|~)?\/?$/.test(target.text ?? "-");
  // Some systems copy the contents of `x/` instead of `x`.
  const isMerged = names.includes(undefined) || sources.some(({ text }) => text?.endsWith("/"));
  // The names of the copies do not show whether a folder contains a repository, hooks or settings.
  const brought = (source: Word | undefined): FolderScope =>
    below && source !== undefined ? { below, brings: pathOf(source, out.base) } : { below };
  if (!below) file(out, "write", target);
  else if (!isFolder || isMerged)
    for (const source of sources) file(out, "write", target, brought(source));
  for (const [at, name] of names.entries()) {
    if (name !== undefined) {
      const written = inside(target, name);
      const namesOf = target.text === undefined ? undefined : globOf(sources[at]);
      const copy = namesOf === undefined ? written : { ...written, namesOf };
      file(out, "write", copy, brought(sources[at]));
    } else if (!below && (folder || mayHold(target, sources))) {
      if (merges || parents || !isSomeFile(sources[at]))
        file(out, "write", target, { below: true });
      else file(out, "write", inside(target, ANY_NAME));
    }
  }
}

const ANY_NAME: Word = { text: undefined, pieces: [{ hole: "name" }], single: true };

// Whether a word is the path of a file that is known only at run time.
const isSomeFile = (word: Word | undefined): boolean => typeof word?.pieces.at(-1) === "object";

// Whether the target may be a folder. A folder may be named as a file is, but one unknown word is rarely copied into such a folder.
const mayHold = ({ text }: Word, sources: readonly Word[]): boolean =>
  text === undefined ||
  !/[^./]\.\w+$/.test(text) ||
  sources.length > 1 ||
  sources.some(({ found, single }) => found !== undefined || !single);

// The glob with which the shell looks for the files that a word means.
function globOf(source: Word | undefined): string | undefined {
  const path = source?.globbed === true ? pathOf(source) : undefined;
  return path?.text === undefined ? undefined : path.pattern;
}

// The name of a copy. Undefined if it is unknown, or if the contents of the source are copied without its folder.
function nameOf({ text, pieces }: Word, parents: boolean): Word | undefined {
  if (text !== undefined) {
    const path = text.replace(/\/{1,64}$/, "");
    const name = parents ? path.replace(/^\/+/, "") : baseName(path);
    return /(?:^|\/)\.{0,2}$/.test(name) ? undefined : known(name);
  }
  if (parents || pieces.some((piece) => typeof piece !== "string" && piece.hole === "any"))
    return undefined;
  const start = pieces.findLastIndex((piece) => typeof piece === "string" && piece.includes("/"));
  const cut = pieces[start];
  const last = typeof cut === "string" ? baseName(cut) : "";
  const name = [...(last === "" ? [] : [last]), ...pieces.slice(start + 1)];
  return name.length === 0 ? undefined : { text: undefined, pieces: name, single: true };
}

function inside(folder: Word, name: Word): Word {
  if (folder.text === ".") return name;
  return folder.text?.endsWith("/") === true
    ? concat([folder, name])
    : concat([folder, known("/"), name]);
}

/** Records the file that a download creates in a directory, named after the end of the address. */
export function writeDownload(folder: Word, address: Word, out: Findings): void {
  const { text } = address;
  file(out, "write", folder);
  // `[1-9]` and `{a,b}` expand to several names.
  if (text === undefined || text.length > 4096 || /[[\]{}%]/.test(text)) {
    file(out, "write", folder, { below: true });
    return;
  }
  const path = text.replace(/^[\w+.-]{1,32}:\/\/[^/?#]*/, "").replace(/#.*$/s, "");
  const whole = path === text && !path.includes("/") ? "" : path.slice(path.lastIndexOf("/") + 1);
  // Programs differ in whether the name includes the query.
  const names = new Set([whole, whole.replace(/\?.*$/s, ""), baseName(path.replace(/\?.*$/s, ""))]);
  for (const name of names)
    file(out, "write", inside(folder, known(name === "" ? "index.html" : name)));
}

/** Records that files with this prefix are written. */
export function writeNumbered(start: Word, out: Findings): void {
  file(out, "write", start);
  file(out, "write", {
    text: undefined,
    pieces: [...start.pieces, { hole: "name" }],
    single: false,
  });
}

/** Records the file of a template, in which random letters replace a run of `X`. */
export function writeTemplate(template: Word, folder: Word | undefined, out: Findings): void {
  const start = prefix(template);
  const whole = folder === undefined ? template : concat([folder, known("/"), template]);
  const last = /^(.*?)(XX+)([^X/]*)$/s.exec(start);
  if (last === null || template.text === undefined) {
    file(out, "write", whole);
    return;
  }
  const [, head = "", , tail = ""] = last;
  const pieces = concat([
    ...(folder === undefined ? [] : [folder, known("/")]),
    known(head),
  ]).pieces;
  file(out, "write", {
    text: undefined,
    pieces: [...pieces, { hole: "name" }, ...(tail === "" ? [] : [tail])],
    single: false,
  });
}
