import { file, hazard, type Findings, noteUnlisted } from "./findings.ts";
import { parseArgs, optionsNamed, hasOption } from "./parsed-args.ts";
import type { Operand, Spec } from "./program-spec.ts";
import { kind, options } from "./option-groups.ts";

const JQ: Spec = {
  options: options`-n,--null-input -R,--raw-input -s,--slurp -c,--compact-output -r,--raw-output -j,--join-output --raw-output0
    -a,--ascii-output -S,--sort-keys -C,--color-output -M,--monochrome-output --tab --unbuffered --stream --stream-errors --seq
    -e,--exit-status --args --jsonargs -h,--help -V,--version --build-configuration ${kind.value} --indent ${kind.takes("read", "load")}
    -f,--from-file ${kind.load} -L,--library-path ${kind.flagThat("write")} -i,--in-place ${kind.of("second")} --arg --argjson
    ${kind.of("second", { role: "read", does: "load" })} --slurpfile --rawfile --argfile`,
  exact: true,
};

/** jq: a filter, then files, then arguments. */
export function readJq(out: Findings, from: number): void {
  const use = parseArgs(JQ, out.argv, from, { posix: false });
  if (hasOption(use, "help version")) return;
  noteUnlisted(use, out);
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined) hazard(out, at, option.does);
    if (value !== undefined && option.role !== "data")
      file(out, "read", value, { below: option.name === "library-path" });
  }
  const [filter, ...others] = use.operands;
  if (filter === undefined) return;
  const ends = Math.min(
    ...[...optionsNamed(use, "args"), ...optionsNamed(use, "jsonargs")].map(({ at }) => at),
  );
  const files = others.filter(({ at }) => at < ends);
  if (hasOption(use, "from-file")) files.unshift(filter);
  else if (readsMore(filter.word.text)) noteReadsMore(filter, out);
  for (const { word } of files) {
    file(out, "read", word);
    if (hasOption(use, "in-place")) file(out, "write", word);
  }
}

/** Records a filter that reads the environment, modules or other inputs. */
export function noteReadsMore({ at, word: { text } }: Operand, out: Findings): void {
  hazard(out, at, "load");
  if (/env/i.test(text ?? "")) out.effects.push({ kind: "environment" });
}

const GAPS = /\$(?:\s|#[^\n]*(?:\n|$))+/g;

/** Whether a filter reads the environment, modules or other inputs. */
export function readsMore(filter: string | undefined): boolean {
  return (
    filter === undefined ||
    /(^|[^.\w"$])(env|include|import|input_filename|get_search_list|modulemeta)\b|\$ENV|\$__prog/.test(
      // Before version 1.7, blanks and comments may follow the `$`.
      filter.replace(GAPS, "$$"),
    )
  );
}
