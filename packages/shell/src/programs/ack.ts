import { noteListedFiles } from "./findings.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec } from "./program-spec.ts";
import { kind, many, options } from "./option-groups.ts";

/** ack and ag: a pattern, then files. ag leaves out hidden files. */
export const AG: Spec = {
  options: options`-i -v -w -Q -l -L -c -h -H -n -r -R -f,--follow -o -s -a -u -U -t -1 ${kind.script} --pager ${kind.load} --ackrc
    ${kind.value} -A,--after -B,--before -C,--context -m,--max-count -G,--file-search-regex --ignore --ignore-dir --ignore-file --type
    --type-set --type-add --depth --workers ${kind.optional} -g ${kind.read} -p,--path-to-ignore ${kind.code} --output
    ${kind.takes("list", "load")} --files-from ${kind.flagThat("load")} -x ${kind.flagThat("run")} -z,--search-zip`,
  operands: ["data", many("read")],
  below: "always",
  follows: "follow",
  alone: "read",
  more: (use, out) => {
    if (hasOption(use, "x")) noteListedFiles(out);
  },
};
