import { readAwk } from "./awk.ts";
import { argumentFiles } from "./checkers.ts";
import { DASEL, isName, YQ } from "./in-place.ts";
import { readJq } from "./jq.ts";
import { hazard, file, type Findings } from "./findings.ts";
import { LESS, MAN, MORE } from "./pagers.ts";
import { readSed } from "./sed.ts";
import { hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { mayBeOption } from "./word-text.ts";
import { inlineCode } from "./findings.ts";
import { kind, many, one, options, reads } from "./option-groups.ts";

const SUM = options`-b,--binary -c,--check -t,--text -z,--zero --tag --ignore-missing --quiet --status --strict -w,--warn --raw --base64
  --debug --untagged ${kind.value} -l,--length -a,--algorithm`;
const sum: Spec = { options: SUM, operands: [many("read")] };

export const TEXT: Readonly<Record<string, Spec>> = {
  sed: { read: readSed },
  gsed: { read: readSed },
  awk: { read: readAwk },
  gawk: { read: readAwk },
  mawk: { read: readAwk },
  nawk: { read: readAwk },
  igawk: { read: readAwk },
  "original-awk": { read: readAwk },
  jq: { read: readJq },
  gojq: { read: readJq },
  jaq: { read: readJq },
  yq: YQ,
  sort: reads`-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting
      -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort -r,--reverse -V,--version-sort -c -C --debug -m,--merge
      -u,--unique -z,--zero-terminated --help --version ${kind.takes("read", "load")} --random-source ${kind.value} --sort --batch-size
      -k,--key -S,--buffer-size -t,--field-separator --parallel ${kind.optional} --check ${kind.script} --compress-program
      ${kind.takes("list", "load")} --files0-from ${kind.write} -o,--output -T,--temporary-directory ${kind.flag} -s,--stable`,
  gsort: reads`${kind.script} --compress-program ${kind.takes("list", "load")} --files0-from ${kind.value} -k,--key -S -t
      ${kind.write} -o,--output -T,--temporary-directory`,
  uniq: {
    options: options`-c,--count -d,--repeated -D -i,--ignore-case -u,--unique -z,--zero-terminated --help --version ${kind.optional}
      --all-repeated --group ${kind.value} -f,--skip-fields -s,--skip-chars -w,--check-chars`,
    operands: ["read", one("write", "write")],
  },
  head: reads`-q,--quiet,--silent -v,--verbose -z --help --version ${kind.value} -c,--bytes -n,--lines`,
  tail: reads`-f -F -q,--quiet --retry -v -z -r --help --version ${kind.value} -c,--bytes -n,--lines --max-unchanged-stats --pid
      -s,--sleep-interval -b ${kind.optional} --follow`,
  wc: reads`-c,--bytes -m,--chars -l,--lines -L,--max-line-length -w,--words --debug --help --version
      ${kind.takes("list", "load")} --files0-from ${kind.value} --total`,
  cut: reads`-n -s -z -w ${kind.value} -b,--bytes -c,--characters -d,--delimiter -f,--fields --output-delimiter ${kind.flag}
      --complement`,
  paste: reads`-s -z ${kind.value} -d,--delimiters`,
  join: reads`-i --check-order --nocheck-order --header -z ${kind.value} -a -e -j -o -t -v -1 -2`,
  comm: reads`-1 -2 -3 --check-order --nocheck-order --total -z ${kind.value} --output-delimiter`,
  tr: { options: options`-c -C -d -s -t -u` },
  nl: reads`-p ${kind.value} -b -d -f -h -i -l -n -s -v -w`,
  fold: reads`-b -s ${kind.value} -w,--width`,
  fmt: reads`-c -s -t -u ${kind.value} -p,--prefix -w,--width -g,--goal`,
  pr: reads`-d -F -m -r -t -T -v -a -c -J ${kind.value} -D -h,--header -l -N -o -w -W ${kind.optional} -e -i -n -s -S`,
  column: reads`-t -x -e -J ${kind.value} -s,--separator -o,--output-separator -c,--output-width -N -R -H -O -E -T -W -n -r -i -p`,
  expand: reads`-i ${kind.value} -t,--tabs`,
  unexpand: reads`-a --first-only ${kind.value} -t,--tabs`,
  tsort: { operands: [many("read")] },
  shuf: {
    options: options`-e,--echo -r -z ${kind.value} -i,--input-range -n,--head-count ${kind.write} -o,--output ${kind.read} --random-source`,
    operands: [many("read")],
    noFirst: "echo",
  },
  seq: { options: options`-w ${kind.value} -f -s`, posix: true },
  factor: { prints: true },
  expr: { prints: true },
  numfmt: {
    options: options`--grouping -z ${kind.value} -d --field --format --from --from-unit --invalid --padding --round --suffix --to
      --to-unit ${kind.optional} --header`,
  },
  od: reads`-v --traditional -a -b -c -d -f -i -l -o -s -x ${kind.value} -A,--address-radix -j,--skip-bytes -N,--read-bytes -t,--format --endian ${kind.optional} -S -w`,
  hexdump: reads`-b -c -C -d -o -v -x ${kind.value} -e -n -s ${kind.read} -f ${kind.optional} -L`,
  hd: reads`-v ${kind.value} -n -s`,
  xxd: {
    options: options`-a -b -C -d -e -E -i -p -u ${kind.value} -c -g -l -n -o -R -s ${kind.flagThat("write")} -r`,
    operands: ["read", one("write", "write")],
  },
  strings: {
    options: options`-a -d -f -o -w ${kind.value} -e -n -s -t -T -U`,
    operands: [many("read")],
    more: argumentFiles,
  },
  iconv: reads`-c -s -l --verbose ${kind.value} -f,--from-code -t,--to-code ${kind.write} -o,--output`,
  dos2unix: {
    options: options`-o -k -q -b ${kind.flagThat("write")} -n ${kind.value} -c`,
    operands: [many("rw")],
  },
  unix2dos: {
    options: options`-o -k -q -b ${kind.flagThat("write")} -n ${kind.value} -c`,
    operands: [many("rw")],
  },
  base64: reads`-d,-D,--decode -i,--ignore-garbage ${kind.value} -w,--wrap ${kind.write} -o,--output ${kind.read} --input`,
  base32: reads`-d,--decode -i ${kind.value} -w,--wrap`,
  basenc: reads`-d -i --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 ${kind.value} -w,--wrap`,
  md5sum: sum,
  sha1sum: sum,
  sha224sum: sum,
  sha256sum: sum,
  sha384sum: sum,
  sha512sum: sum,
  b2sum: sum,
  cksum: sum,
  sum,
  shasum: sum,
  md5: reads`-q -r -p -t -x ${kind.value} -s -c`,
  less: LESS,
  zless: LESS,
  more: MORE,
  most: MORE,
  pg: MORE,
  man: MAN,
  info: {
    options: options`-a -w ${kind.write} -o,--output --dribble ${kind.read} -f,--file -d,--directory ${kind.load} --init-file --restore
      ${kind.value} -n -k`,
    operands: [many("data")],
  },
  apropos: { options: options`${kind.load} -C` },
  whatis: { options: options`${kind.load} -C` },
  tldr: { prints: true },
  cal: { prints: true },
  ncal: { prints: true },
  envsubst: { options: options`-v` },
  pandoc: reads`-s ${kind.write} -o,--output --extract-media ${kind.value} -f,--from -t,--to -c -V -M ${kind.script} -F,--filter
      --pdf-engine ${kind.load} -L,--lua-filter -d,--defaults --data-dir ${kind.read} --template --metadata-file -H -B -A ${kind.flag}
      --toc ${kind.write} --log`,
  fx: { operands: ["read", one("code", "run")] },
  dasel: DASEL,
  csvsql: { operands: [many("read")] },
  miller: { carries: true },
  mlr: {
    options: options`${kind.flagThat("write")} -I ${kind.read} --from ${kind.load} -s --load
      ${kind.script} --prepipe --prepipex`,
    posix: true,
    more: (use, out) => readMlr(use, out),
  },
  xmllint: reads`--format --noout --html --valid --load-trace ${kind.write} --output -o ${kind.flagThat("run")} --shell ${kind.read}
      --schema --dtdvalid --relaxng ${kind.value} --xpath --encode ${kind.takes("load")} --path`,
  xsltproc: {
    options: options`${kind.write} -o,--output --writesubtree ${kind.value} --param --stringparam --path`,
    operands: ["exec", many("read")],
  },
};

function readMlr(use: ParsedArgs, out: Findings): void {
  // After the first verb, only mlr itself can separate verbs, their arguments and files.
  for (const { word } of use.operands.slice(1)) {
    if (
      word.text === undefined ? mayBeOption(word) : word.text.startsWith("-") || !isName(word.text)
    )
      continue;
    file(out, "read", word);
    if (hasOption(use, "I")) file(out, "write", word);
  }
  for (const { at, word } of use.operands) {
    if (/\b(system|exec|os_type|tee|split|emit|print|dump)\b/.test(word.text ?? "system"))
      hazard(out, at, "run");
    if (/\b(system|exec)\b/.test(word.text ?? ""))
      inlineCode(out, at, "an `mlr` expression that runs programs");
  }
}
