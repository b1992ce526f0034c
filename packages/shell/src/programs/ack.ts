import { apply } from "./apply.ts";
import { listed, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses } from "./use.ts";

const ACK: Spec = {
  options: `--pager=prog!r --ackrc=load!l -A,--after= -B,--before= -C,--context= -m,--max-count= -g? -G,--file-search-regex= --ignore= --ignore-dir= --ignore-file= -p,--path-to-ignore=read
    --type= --type-set= --type-add= --output=code!r --files-from=list!l -x!l -z,--search-zip!r --depth= --workers= -i -v -w -Q -l -L -c -h -H -n -r -R -f,--follow -o -s -a -u -U -t -1`,
  operands: "data read*",
  below: "always",
  follows: "follow",
  alone: "read",
  more: (use, out) => {
    if (uses(use, "x")) listed(out);
  },
};

/** ack and ag: a pattern, then files. */
export function readAck(out: Out, from: number): void {
  apply(ACK, out, from);
}
