/** The files that the text of a patch names. */
export interface PatchFiles {
  readonly paths: readonly string[];
  /** Further files, if the program that applies the patch reads names differently. Only denies consider these. */
  readonly maybe: readonly string[];
  /** Whether the text cannot be read as one patch in exactly one way. */
  readonly doubtful: boolean;
}

// Every character that some reader treats as the end of a line.
const LINE_END = /\r\n|[\n\r\v\f\u001c-\u001e\u0085\u2028\u2029]/;
const VERB = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/;

/**
 * Reads the file names in a patch: `*** Begin Patch` with `*** Update File: p` and similar lines, or a unified diff with `--- a/p`
 * and `+++ b/p`. A line inside a hunk that looks like a file name counts as one. `most` limits the number of names.
 */
export function readPatch(text: string, most: number): PatchFiles {
  const lines = text.split(LINE_END);
  const isBlank = (line: string): boolean => line === "" || line.trim() === "";
  const first = lines.findIndex((line) => !isBlank(line));
  const written = lines.slice(
    Math.max(0, first),
    lines.findLastIndex((line) => !isBlank(line)) + 1,
  );
  return written.some((line) => /^\s*\*\*\* (?:Begin|End) Patch/.test(line))
    ? readBlocks(written, most)
    : readUnified(written, most);
}

function readBlocks(lines: readonly string[], most: number): PatchFiles {
  const paths: string[] = [];
  const maybe: string[] = [];
  let doubtful = lines[0] !== "*** Begin Patch" || lines.at(-1) !== "*** End Patch";
  for (const [at, line] of lines.entries()) {
    const tidy = line.trim();
    if (!tidy.startsWith("***")) continue;
    if (paths.length > most) break;
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

// The starts of lines that contain a file name, or something that a plain diff cannot.
const MARK = /^(?:\s*(?:\*\*\*|===) |--- |\+\+\+ |Index:|rename |copy |diff --git |GIT binary)/;

function readUnified(lines: readonly string[], most: number): PatchFiles {
  const paths = new Set<string>();
  const maybe = new Set<string>();
  let doubtful = false;
  for (const line of lines) {
    if (!MARK.test(line)) continue;
    if (paths.size > most) break;
    if (/^\s*(?:\*\*\*|===) /.test(line) || line.startsWith("GIT binary patch")) doubtful = true;
    const [, marked, whole] =
      /^(?:---|\+\+\+|Index:) (.*)$|^(?:rename|copy) (?:from|to) (.*)$/.exec(line) ?? [];
    const [, left, right] = /^diff --git "?a\/(.+?)"? "?b\/(.+?)"?$/.exec(line) ?? [];
    if (left !== undefined && right !== undefined) {
      // Names with spaces could end anywhere. The other lines of the diff name them separately.
      if (left === right) paths.add(left);
      else maybe.add(left).add(right);
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
      paths.add(below);
      maybe.add(name);
    } else {
      paths.add(name);
      // Without the usual `a/` and `b/`, a reader may strip the first folder or keep it.
      if (whole === undefined && below !== "" && below !== name) {
        maybe.add(below);
        doubtful = true;
      }
    }
  }
  return { paths: [...paths], maybe: [...maybe], doubtful };
}
