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
import { kind, many, one, options } from "./option-groups.ts";

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
  sort: {
    options: options`-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting
      -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort -R,--random-sort -r,--reverse -V,--version-sort -c -C --debug -m,--merge
      -u,--unique -z,--zero-terminated --help --version ${kind.takes("read", "load")} --random-source ${kind.value} --sort --batch-size
      -k,--key -S,--buffer-size -t,--field-separator --parallel ${kind.optional} --check ${kind.script} --compress-program
      ${kind.takes("list", "load")} --files0-from ${kind.write} -o,--output -T,--temporary-directory ${kind.flag} -s,--stable`,
    operands: [many("read")],
  },
  gsort: {
    options: options`${kind.script} --compress-program ${kind.takes("list", "load")} --files0-from ${kind.value} -k,--key -S -t
      ${kind.write} -o,--output -T,--temporary-directory`,
    operands: [many("read")],
  },
  uniq: {
    options: options`-c,--count -d,--repeated -D -i,--ignore-case -u,--unique -z,--zero-terminated --help --version ${kind.optional}
      --all-repeated --group ${kind.value} -f,--skip-fields -s,--skip-chars -w,--check-chars`,
    operands: ["read", one("write", "write")],
  },
  head: {
    options: options`-q,--quiet,--silent -v,--verbose -z --help --version ${kind.value} -c,--bytes -n,--lines`,
    operands: [many("read")],
  },
  tail: {
    options: options`-f -F -q,--quiet --retry -v -z -r --help --version ${kind.value} -c,--bytes -n,--lines --max-unchanged-stats --pid
      -s,--sleep-interval -b ${kind.optional} --follow`,
    operands: [many("read")],
  },
  wc: {
    options: options`-c,--bytes -m,--chars -l,--lines -L,--max-line-length -w,--words --debug --help --version
      ${kind.takes("list", "load")} --files0-from ${kind.value} --total`,
    operands: [many("read")],
  },
  cut: {
    options: options`-n -s -z -w ${kind.value} -b,--bytes -c,--characters -d,--delimiter -f,--fields --output-delimiter ${kind.flag}
      --complement`,
    operands: [many("read")],
  },
  paste: { options: options`-s -z ${kind.value} -d,--delimiters`, operands: [many("read")] },
  join: {
    options: options`-i --check-order --nocheck-order --header -z ${kind.value} -a -e -j -o -t -v -1 -2`,
    operands: [many("read")],
  },
  comm: {
    options: options`-1 -2 -3 --check-order --nocheck-order --total -z ${kind.value} --output-delimiter`,
    operands: [many("read")],
  },
  tr: { options: options`-c -C -d -s -t -u` },
  nl: {
    options: options`-p ${kind.value} -b -d -f -h -i -l -n -s -v -w`,
    operands: [many("read")],
  },
  fold: { options: options`-b -s ${kind.value} -w,--width`, operands: [many("read")] },
  fmt: {
    options: options`-c -s -t -u ${kind.value} -p,--prefix -w,--width -g,--goal`,
    operands: [many("read")],
  },
  pr: {
    options: options`-d -F -m -r -t -T -v -a -c -J ${kind.value} -D -h,--header -l -N -o -w -W ${kind.optional} -e -i -n -s -S`,
    operands: [many("read")],
  },
  column: {
    options: options`-t -x -e -J ${kind.value} -s,--separator -o,--output-separator -c,--output-width -N -R -H -O -E -T -W -n -r -i -p`,
    operands: [many("read")],
  },
  expand: { options: options`-i ${kind.value} -t,--tabs`, operands: [many("read")] },
  unexpand: { options: options`-a --first-only ${kind.value} -t,--tabs`, operands: [many("read")] },
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
  od: {
    options: options`-v --traditional -a -b -c -d -f -i -l -o -s -x ${kind.value} -A,--address-radix -j,--skip-bytes -N,--read-bytes -t,--format --endian ${kind.optional} -S -w`,
    operands: [many("read")],
  },
  hexdump: {
    options: options`-b -c -C -d -o -v -x ${kind.value} -e -n -s ${kind.read} -f ${kind.optional} -L`,
    operands: [many("read")],
  },
  hd: { options: options`-v ${kind.value} -n -s`, operands: [many("read")] },
  xxd: {
    options: options`-a -b -C -d -e -E -i -p -u ${kind.value} -c -g -l -n -o -R -s ${kind.flagThat("write")} -r`,
    operands: ["read", one("write", "write")],
  },
  strings: {
    options: options`-a -d -f -o -w ${kind.value} -e -n -s -t -T -U`,
    operands: [many("read")],
    more: argumentFiles,
  },
  iconv: {
    options: options`-c -s -l --verbose ${kind.value} -f,--from-code -t,--to-code ${kind.write} -o,--output`,
    operands: [many("read")],
  },
  dos2unix: {
    options: options`-o -k -q -b ${kind.flagThat("write")} -n ${kind.value} -c`,
    operands: [many("rw")],
  },
  unix2dos: {
    options: options`-o -k -q -b ${kind.flagThat("write")} -n ${kind.value} -c`,
    operands: [many("rw")],
  },
  base64: {
    options: options`-d,-D,--decode -i,--ignore-garbage ${kind.value} -w,--wrap ${kind.write} -o,--output ${kind.read} --input`,
    operands: [many("read")],
  },
  base32: { options: options`-d,--decode -i ${kind.value} -w,--wrap`, operands: [many("read")] },
  basenc: {
    options: options`-d -i --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85 ${kind.value} -w,--wrap`,
    operands: [many("read")],
  },
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
  md5: { options: options`-q -r -p -t -x ${kind.value} -s -c`, operands: [many("read")] },
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
  pandoc: {
    options: options`-s ${kind.write} -o,--output --extract-media ${kind.value} -f,--from -t,--to -c -V -M ${kind.script} -F,--filter
      --pdf-engine ${kind.load} -L,--lua-filter -d,--defaults --data-dir ${kind.read} --template --metadata-file -H -B -A ${kind.flag}
      --toc ${kind.write} --log`,
    operands: [many("read")],
  },
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
  xmllint: {
    options: options`--format --noout --html --valid --load-trace ${kind.write} --output -o ${kind.flagThat("run")} --shell ${kind.read}
      --schema --dtdvalid --relaxng ${kind.value} --xpath --encode ${kind.takes("load")} --path`,
    operands: [many("read")],
  },
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
