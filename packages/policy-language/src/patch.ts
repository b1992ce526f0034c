/** The files that the text of a patch names. */
export interface PatchFiles {
  readonly paths: readonly string[];
  /** Also meant where the program that applies it reads names another way: reason to deny only. */
  readonly maybe: readonly string[];
  /** The text cannot be read as one patch in one way. */
  readonly doubtful: boolean;
}

// Whatever some reader takes for the end of a line.
const LINE_END = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;
const VERB = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/;

/**
 * Reads the names in a patch: `*** Begin Patch` with `*** Update File: p` and the like, or a unified diff with `--- a/p` and `+++ b/p`.
 * A line inside a hunk that looks like a name counts as one.
 */
export function readPatch(text: string): PatchFiles {
  const lines = text.split(LINE_END).filter((line, at, all) => line.trim() !== "" || (at > 0 && at < all.length - 1));
  while (lines[0]?.trim() === "") lines.shift();
  while (lines.at(-1)?.trim() === "") lines.pop();
  return lines.some((line) => /^\s*\*\*\* (?:Begin|End) Patch/.test(line)) ? readBlocks(lines) : readUnified(lines);
}

function readBlocks(lines: readonly string[]): PatchFiles {
  const paths: string[] = [];
  const maybe: string[] = [];
  let doubtful = lines[0] !== "*** Begin Patch" || lines.at(-1) !== "*** End Patch";
  for (const [at, line] of lines.entries()) {
    const tidy = line.trim();
    if (!tidy.startsWith("***")) continue;
    const name = VERB.exec(tidy)?.[1]?.trim();
    if (name !== undefined && line === tidy) paths.push(name);
    else {
      if (name !== undefined) maybe.push(name);
      const ends = at === 0 || at === lines.length - 1;
      doubtful ||= !(ends || line === "*** End of File");
    }
  }
  return { paths, maybe, doubtful: doubtful || paths.length === 0 };
}

function readUnified(lines: readonly string[]): PatchFiles {
  const paths: string[] = [];
  const maybe: string[] = [];
  let doubtful = false;
  for (const line of lines) {
    if (/^\s*(?:\*\*\*|===) /.test(line) || line.startsWith("GIT binary patch")) doubtful = true;
    const [, marked, whole] = /^(?:---|\+\+\+|Index:) (.*)$|^(?:rename|copy) (?:from|to) (.*)$/.exec(line) ?? [];
    const [, left, right] = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/.exec(line) ?? [];
    if (left !== undefined && right !== undefined) {
      // Names with a blank could end anywhere; the other lines of the diff say them apart.
      if (left === right) paths.push(left);
      else maybe.push(left, right);
    }
    const name = (whole ?? marked?.split("\t")[0])?.trim();
    if (name === undefined || name === "/dev/null" || name === "") continue;
    if (name.startsWith('"')) {
      doubtful = true;
      continue;
    }
    doubtful ||= /(?:^|\/)\.\.(?:\/|$)/.test(name);
    const below = name.slice(name.indexOf("/") + 1);
    if (whole === undefined && /^[ab]\//.test(name)) {
      paths.push(below);
      maybe.push(name);
    } else {
      paths.push(name);
      // Without the usual `a/` and `b/` a reader may strip the first folder, or not.
      if (whole === undefined && below !== "" && below !== name) {
        maybe.push(below);
        doubtful = true;
      }
    }
  }
  return { paths: [...new Set(paths)], maybe: [...new Set(maybe)], doubtful };
}
