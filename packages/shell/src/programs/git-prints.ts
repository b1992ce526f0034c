import { file, type Findings } from "./findings.ts";
import { hasOption } from "./parsed-args.ts";
import type { Operand, ParsedArgs } from "./program-spec.ts";
import { known } from "./word-text.ts";

// With one of these, git prints a difference as names or numbers, unless one of LINES is there too.
const NAMES =
  "no-patch raw numstat shortstat summary stat compact-summary X dirstat dirstat-by-file cumulative name-only name-status quiet";
const LINES =
  "patch unified patch-with-raw patch-with-stat function-context word-diff word-diff-regex color-words binary c cc check textconv ext-diff";

/** Whether a command that shows differences prints lines of files. `byDefault`: whether it does so without an option. */
export const printsLines = (
  use: ParsedArgs,
  { byDefault }: { readonly byDefault: boolean },
): boolean =>
  use.unknownOptions.length > 0 || hasOption(use, LINES) || (byDefault && !hasOption(use, NAMES));

// No revision can be written like this. A pathspec that starts with a colon, or has a wildcard, may mean any file.
const PATH = /^(?![^]*[*?[\\])(?:\.|\.{1,2}\/[^]*|[^:][^]*\/)$/;
const PLAIN = /^(?!:)[^*?[\\]+$/;

/**
 * Records that git prints lines of the files that it tracks: those below its operands that are certainly paths, or all. `from`: whether
 * that is all of the repository, or of the working directory.
 */
export function printsTracked(
  use: ParsedArgs,
  out: Findings,
  from: "below" | "top",
  operands: readonly Operand[] = use.operands,
): void {
  const dash = out.argv.findIndex(
    (word) => word.text === "--" && !use.options.some(({ value }) => value === word),
  );
  const paths = operands.filter(({ at, word: { text = "" } }) =>
    dash >= 0 ? at > dash : PATH.test(text),
  );
  const isLimited =
    // An unknown option may print other files too, as `--full-diff` does.
    use.unknownOptions.length === 0 &&
    paths.length > 0 &&
    paths.every(({ word: { text = "" } }) => PLAIN.test(text));
  if (!isLimited)
    return file(out, "read", known("."), { below: true, prints: true, tracked: from });
  for (const { word } of paths)
    file(out, "read", word, { below: true, prints: true, tracked: "below" });
}

/** Whether each operand names a file of a revision, as `HEAD:src/a.ts` does. */
export const namesFiles = ({ operands }: Pick<ParsedArgs, "operands">): boolean =>
  operands.length > 0 && operands.every(({ word }) => /^[^:]+:[^:]/.test(word.text ?? ""));

/** Records what git prints before it asks: `--patch` each change, `git add -i` any change, and `git commit -v --dry-run` the whole commit. */
export function printsHunks(use: ParsedArgs, out: Findings): void {
  if (
    hasOption(use, "patch interactive") ||
    (hasOption(use, "verbose") && hasOption(use, "dry-run"))
  )
    printsTracked(use, out, "top");
}
