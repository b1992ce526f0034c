import { file, type Findings, type FolderScope } from "./findings.ts";
import { readsPatterns } from "./git-handlers.ts";
import { printsHunks } from "./git-prints.ts";
import { kind, options } from "./option-groups.ts";
import { hasOption } from "./parsed-args.ts";
import type { ParsedArgs, Spec } from "./program-spec.ts";
import { known } from "./word-text.ts";

// A pathspec with a wildcard also matches slashes, and one that starts with a colon may mean any file of the repository.
const WIDE = /[*?[\\]|^:/;

/** Records that `git add` puts new files into the index, from which every diff prints them. */
function adds(use: ParsedArgs, out: Findings): void {
  readsPatterns(use.operands, out);
  printsHunks(use, out);
  const isTracked = hasOption(use, "update dry-run");
  const scope = (from: "below" | "top"): FolderScope => ({
    below: true,
    ...(!isTracked && { prints: true }),
    ...(!isTracked && !hasOption(use, "force") && { adds: from }),
  });
  for (const { word } of use.operands)
    if (/^\*\.\w+$/.test(word.text ?? ""))
      file(out, "read", known("."), { ...scope("below"), only: [word.text ?? ""] });
    else if (word.text !== undefined && WIDE.test(word.text))
      file(out, "read", known("."), scope("top"));
    else file(out, "read", word, scope("below"));
  if (use.operands.length === 0 && hasOption(use, "all"))
    file(out, "read", known("."), scope("top"));
}

export const GIT_ADD: Spec = {
  options: options`-n,--dry-run -v,--verbose -f,--force -i,--interactive -p,--patch -u,--update -A,--all --no-all --ignore-removal
    -N,--intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --pathspec-file-nul --sparse ${kind.flagThat("run")}
    -e,--edit ${kind.value} --chmod ${kind.takes("read", "load")} --pathspec-from-file`,
  more: adds,
};
