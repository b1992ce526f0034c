import type { Word } from "../analysis.ts";
import { file, type Findings } from "./findings.ts";
import { baseName, concat, known, prefix } from "./word-text.ts";

/** Records that a target is written: a new file, or a directory that gets a file for each source. */
export function writeInto(
  target: Word,
  sources: readonly Word[],
  out: Findings,
  below: boolean,
): void {
  file(out, "write", target, { below });
  if (below) return;
  for (const source of sources) {
    const name =
      source.text === undefined ? undefined : baseName(source.text.replace(/\/{1,64}$/, ""));
    if (name === "") continue;
    if (name !== undefined) file(out, "write", inside(target, name));
    else if (target.text === undefined || !/\.\w+$/.test(target.text))
      file(out, "write", target, { below: true });
  }
}

function inside(folder: Word, name: string): Word {
  if (folder.text === ".") return known(name);
  return concat([folder, known(folder.text?.endsWith("/") === true ? name : `/${name}`)]);
}

/** Records the file that a download leaves in a directory, named like the end of the address. */
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
  // Programs differ in whether the query belongs to the name.
  const names = new Set([whole, whole.replace(/\?.*$/s, ""), baseName(path.replace(/\?.*$/s, ""))]);
  for (const name of names) file(out, "write", inside(folder, name === "" ? "index.html" : name));
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
