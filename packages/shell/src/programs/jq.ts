import { file, hazard, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf } from "./use.ts";

const JQ: Spec = {
  options: `-n,--null-input -R,--raw-input -s,--slurp -c,--compact-output -r,--raw-output -j,--join-output --raw-output0 -a,--ascii-output -S,--sort-keys -C,--color-output -M,--monochrome-output
    --tab --indent= --unbuffered --stream --stream-errors --seq -f,--from-file=read!l -L,--library-path=load!l -e,--exit-status -i,--in-place!w --arg; --argjson; --slurpfile;read!l --rawfile;read!l
    --argfile;read!l --args --jsonargs -h,--help -V,--version --build-configuration`,
  exact: true,
};

/** jq: a filter, then files, then arguments. */
export function readJq(out: Out, from: number): void {
  const use = readUse(JQ, out.argv, from, { posix: false });
  if (uses(use, "help version")) return;
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined) hazard(out, at, option.does);
    if (value !== undefined && option.role !== "data") file(out, "read", value, { below: option.name === "library-path" });
  }
  const [filter, ...others] = use.operands;
  if (filter === undefined) return;
  const ends = Math.min(...[...usedOf(use, "args"), ...usedOf(use, "jsonargs")].map(({ at }) => at));
  const files = others.filter(({ at }) => at < ends);
  if (uses(use, "from-file")) files.unshift(filter);
  else if (readsMore(filter.word.text)) hazard(out, filter.at, "load");
  for (const { word } of files) {
    file(out, "read", word);
    if (uses(use, "in-place")) file(out, "write", word);
  }
}

// The environment, modules and other inputs.
function readsMore(filter: string | undefined): boolean {
  return filter === undefined || /(^|[^.\w"$])(env|include|import|input_filename|get_search_list|modulemeta)\b|\$ENV|\$__prog/.test(filter);
}
