import { file, type Findings } from "./findings.ts";
import { hasOption, optionsNamed, valueOf } from "./parsed-args.ts";
import type { ParsedArgs } from "./program-spec.ts";
import { writeInto } from "./written-files.ts";

/** The destination is the last operand, or the value of `-t`. */
export function toTarget(source: "read" | "move"): (use: ParsedArgs, out: Findings) => void {
  return (use, out) => {
    const targets = optionsNamed(use, "target-directory").map(valueOf);
    const words = use.operands.map(({ word }) => word);
    const last = targets.length === 0 && words.length > 1 ? words.pop() : undefined;
    if (last !== undefined) targets.push(last);
    const below = source === "move" || hasOption(use, "recursive archive");
    // `cp -l` links to the targets of symbolic links, unless an option prevents that.
    const linked = hasOption(use, "link") && !hasOption(use, "archive no-dereference d");
    const follows = source === "read" && (hasOption(use, "dereference") || linked);
    const copies = below && source === "read";
    for (const word of words) {
      // A file of secrets may be copied with its folder to where no rule protects it.
      file(out, "read", word, { below, follows, ...(copies && { prints: true }) });
      if (source === "move") file(out, "delete", word, { below });
      // Writing to a hard link writes to the file itself.
      if (linked) file(out, "write", word, { below });
    }
    // The last of several names is the target.
    if (targets.length === 0)
      for (const word of words) if (!word.single) file(out, "write", word, { below: true });
    for (const target of targets)
      writeInto(target, words, out, {
        below,
        folder: last === undefined,
        merges: hasOption(use, "no-target-directory T"),
        parents: hasOption(use, "parents"),
      });
  };
}
