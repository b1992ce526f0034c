import type { Word } from "../analysis.ts";
import { file, type Out } from "./out.ts";
import { baseName, concat, known, prefix } from "./words.ts";

/** Notes that a target is written: the new file, or the folder that gets a file of the name of each source. */
export function writeInto(target: Word, sources: readonly Word[], out: Out, below: boolean): void {
  file(out, "write", target, { below });
  if (below) return;
  for (const source of sources) {
    const name = source.text === undefined ? undefined : baseName(source.text.replace(/\/{1,64}$/, ""));
    if (name === "") continue;
    if (name !== undefined) file(out, "write", inside(target, name));
    else if (target.text === undefined || !/\.\w+$/.test(target.text)) file(out, "write", target, { below: true });
  }
}

function inside(folder: Word, name: string): Word {
  if (folder.text === ".") return known(name);
  return concat([folder, known(folder.text?.endsWith("/") === true ? name : `/${name}`)]);
}

/** Notes the file that a download leaves in a folder: the last part of the address. */
export function writeDownload(folder: Word, address: Word, out: Out): void {
  const { text } = address;
  file(out, "write", folder);
  // `[1-9]` and `{a,b}` stand for several names.
  if (text === undefined || text.length > 4096 || /[[\]{}%]/.test(text)) {
    file(out, "write", folder, { below: true });
    return;
  }
  const path = text.replace(/^[\w+.-]{1,32}:\/\/[^/?#]*/, "").replace(/#.*$/s, "");
  const whole = path === text && !path.includes("/") ? "" : path.slice(path.lastIndexOf("/") + 1);
  // With the question or without it: programs differ.
  const names = new Set([whole, whole.replace(/\?.*$/s, ""), baseName(path.replace(/\?.*$/s, ""))]);
  for (const name of names) file(out, "write", inside(folder, name === "" ? "index.html" : name));
}

/** Notes that files are written whose names begin with a prefix. */
export function writeNumbered(start: Word, out: Out): void {
  file(out, "write", start);
  file(out, "write", { text: undefined, pieces: [...start.pieces, { hole: "name" }], single: false });
}

/** Notes the file that a template names, in which random letters stand for a row of `X`. */
export function writeTemplate(template: Word, folder: Word | undefined, out: Out): void {
  const start = prefix(template);
  const whole = folder === undefined ? template : concat([folder, known("/"), template]);
  const last = /^(.*?)(XX+)([^X/]*)$/s.exec(start);
  if (last === null || template.text === undefined) {
    file(out, "write", whole);
    return;
  }
  const [, head = "", , tail = ""] = last;
  const pieces = concat([...(folder === undefined ? [] : [folder, known("/")]), known(head)]).pieces;
  file(out, "write", { text: undefined, pieces: [...pieces, { hole: "name" }, ...(tail === "" ? [] : [tail])], single: false });
}
