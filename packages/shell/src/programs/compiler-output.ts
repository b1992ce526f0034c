import type { Word } from "../analysis.ts";
import { file, type Findings } from "./findings.ts";
import { baseName, known, prefix } from "./word-text.ts";

/** Adds the output of a compiler in the working folder. Its name is that of a source without its ending, or of a package. */
export function writesNamed(word: Word | undefined, ending: RegExp, out: Findings): void {
  file(out, "write", known("."));
  if (word === undefined) return;
  const { text, pieces } = word;
  // The last name that is no version: `./cmd/a/v2` becomes `a`.
  const name = (text ?? "").split("/").findLast((part) => !/^(?:\.*|v\d+)$/.test(part));
  if (name !== undefined) file(out, "write", known(name.replace(ending, "")));
  // A glob that begins with a name.
  if (text === undefined && /[^/]$/.test(prefix(word))) {
    const names = pieces.map((piece) =>
      typeof piece === "string" ? baseName(piece).replace(ending, "") : piece,
    );
    file(out, "write", { ...word, pieces: names.filter((piece) => piece !== "") });
  }
}
