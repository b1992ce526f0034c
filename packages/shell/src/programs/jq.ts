import { file, hazard, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf, valueOf } from "./use.ts";

const JQ: Spec = {
  options: `-n,--null-input -R,--raw-input -s,--slurp -c,--compact-output -r,--raw-output -j,--join-output --raw-output0 -a,--ascii-output -S,--sort-keys -C,--color-output -M,--monochrome-output
    --tab --indent= --unbuffered --stream --stream-errors --seq -f,--from-file=!l -L,--library-path=load!l -e,--exit-status -i,--in-place!w --arg= --argjson= --slurpfile=!l --rawfile=!l --argfile=!l --args
    --jsonargs -h,--help -V,--version --build-configuration`,
};

/** jq: a filter, then files. */
export function readJq(out: Out, from: number): void {
  const { argv } = out;
  const skipped = new Set<number>();
  // These take a name and a value.
  const pairs = argv.map((word, at) => {
    if (at < from || !/^--(arg|argjson|slurpfile|rawfile|argfile)$/.test(word.text ?? "")) return word;
    const value = argv[at + 2];
    skipped.add(at + 2);
    if (word.text?.endsWith("file") === true && value !== undefined) file(out, "read", value);
    return word;
  });
  const use = readUse(JQ, pairs, from, { posix: false });
  if (uses(use, "help version")) return;
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined) hazard(out, at, option.does);
    if (option.name === "library-path" && value !== undefined) file(out, "read", value, { below: true });
  }
  for (const used of usedOf(use, "from-file")) file(out, "read", valueOf(used));
  const operands = use.operands.filter(({ at }) => !skipped.has(at));
  const [filter] = operands;
  const files = uses(use, "from-file") ? operands : operands.slice(1);
  if (filter !== undefined && !uses(use, "from-file") && readsMore(filter.word.text)) hazard(out, filter.at, "load");
  if (uses(use, "args jsonargs")) return;
  for (const { word } of files) {
    file(out, "read", word);
    if (uses(use, "in-place")) file(out, "write", word);
  }
}

// The environment, modules and other inputs.
function readsMore(filter: string | undefined): boolean {
  return filter === undefined || /(^|[^.\w"$])(env|include|import|input_filename|get_search_list|modulemeta)\b|\$ENV|\$__prog/.test(filter);
}
