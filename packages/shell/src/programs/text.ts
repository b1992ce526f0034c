import { readAwk } from "./awk.ts";
import { DASEL, isName, YQ } from "./in-place.ts";
import { readJq } from "./jq.ts";
import { hazard, file, type Out } from "./out.ts";
import { LESS, MAN, MORE } from "./pagers.ts";
import { readSed } from "./sed.ts";
import type { Spec } from "./spec.ts";
import { uses, type Use } from "./use.ts";
import { mayBeOption } from "./words.ts";
import { inlineCode } from "./out.ts";

const SUM =
  "-b,--binary -c,--check -t,--text -z,--zero --tag --ignore-missing --quiet --status --strict -w,--warn -l,--length= -a,--algorithm= --raw --base64 --debug --untagged";
const sum: Spec = { options: SUM, operands: "read*" };

// The second operand of uniq is written.
function uniq(use: Use, out: Out): void {
  const [source, target] = use.operands;
  if (source !== undefined && source.word.text !== "-") file(out, "read", source.word);
  if (target === undefined) return;
  hazard(out, target.at, "write");
  file(out, "write", target.word);
}

/** Programs for text. */
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
    options: `-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case -g,--general-numeric-sort -i,--ignore-nonprinting -M,--month-sort -h,--human-numeric-sort -n,--numeric-sort
      -R,--random-sort --random-source=read!l -r,--reverse --sort= -V,--version-sort --batch-size= -c --check? -C --compress-program=prog!r --debug --files0-from=list!l -k,--key= -m,--merge
      -o,--output=write!w -s,--stable -S,--buffer-size= -t,--field-separator= -T,--temporary-directory=write!w --parallel= -u,--unique -z,--zero-terminated --help --version`,
    operands: "read*",
  },
  gsort: {
    options: "--compress-program=prog!r --files0-from=list!l -k,--key= -o,--output=write!w -S= -t= -T,--temporary-directory=write!w",
    operands: "read*",
  },
  uniq: {
    options:
      "-c,--count -d,--repeated -D --all-repeated? -f,--skip-fields= --group? -i,--ignore-case -s,--skip-chars= -u,--unique -z,--zero-terminated -w,--check-chars= --help --version",
    more: uniq,
  },
  head: { options: "-c,--bytes= -n,--lines= -q,--quiet,--silent -v,--verbose -z --help --version", operands: "read*" },
  tail: {
    options:
      "-c,--bytes= -f -F --follow? -n,--lines= --max-unchanged-stats= --pid= -q,--quiet --retry -s,--sleep-interval= -v -z -r -b= --help --version",
    operands: "read*",
  },
  wc: {
    options: "-c,--bytes -m,--chars -l,--lines --files0-from=list!l -L,--max-line-length -w,--words --total= --debug --help --version",
    operands: "read*",
  },
  cut: {
    options: "-b,--bytes= -c,--characters= -d,--delimiter= -f,--fields= -n --complement -s --output-delimiter= -z -w",
    operands: "read*",
  },
  paste: { options: "-d,--delimiters= -s -z", operands: "read*" },
  join: { options: "-a= -e= -i -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header -z", operands: "read*" },
  comm: { options: "-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total -z", operands: "read*" },
  tr: { options: "-c -C -d -s -t -u" },
  nl: { options: "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w=", operands: "read*" },
  fold: { options: "-b -s -w,--width=", operands: "read*" },
  fmt: { options: "-c -p,--prefix= -s -t -u -w,--width= -g,--goal=", operands: "read*" },
  pr: { options: "-d -D= -e? -F -h,--header= -i? -l= -m -n? -N= -o= -r -s? -S? -t -T -v -w= -W= -a -c -J", operands: "read*" },
  column: {
    options: "-t -s,--separator= -o,--output-separator= -c,--output-width= -N= -R= -H= -O= -E= -T= -W= -n= -r= -i= -p= -x -e -J",
    operands: "read*",
  },
  expand: { options: "-i -t,--tabs=", operands: "read*" },
  unexpand: { options: "-a -t,--tabs= --first-only", operands: "read*" },
  tsort: { operands: "read*" },
  shuf: {
    options: "-e,--echo -i,--input-range= -n,--head-count= -o,--output=write!w --random-source=read -r -z",
    operands: "read*",
    noFirst: "echo",
  },
  seq: { options: "-f= -s= -w", posix: true },
  factor: {},
  expr: {},
  numfmt: {
    options:
      "-d= --field= --format= --from= --from-unit= --header? --invalid= --padding= --round= --suffix= --to= --to-unit= --grouping -z",
  },
  od: { options: "-A= -j= -N= -S? -t= -v -w? --endian= --traditional -a -b -c -d -f -i -l -o -s -x", operands: "read*" },
  hexdump: { options: "-b -c -C -d -e= -f=read -L? -n= -o -s= -v -x", operands: "read*" },
  hd: { options: "-n= -s= -v", operands: "read*" },
  xxd: { options: "-a -b -c= -C -d -e -E -g= -i -l= -n= -o= -p -r!w -R= -s= -u", operands: "read write!w" },
  strings: { options: "-a -d -e= -f -n= -o -s= -t= -T= -w -U=", operands: "read*" },
  iconv: { options: "-f,--from-code= -t,--to-code= -o,--output=write!w -c -s -l --verbose", operands: "read*" },
  dos2unix: { options: "-n!w -o -k -q -c= -b", operands: "rw*" },
  unix2dos: { options: "-n!w -o -k -q -c= -b", operands: "rw*" },
  base64: { options: "-d,-D,--decode -i,--ignore-garbage -w,--wrap= -o,--output=write!w --input=read", operands: "read*" },
  base32: { options: "-d,--decode -i -w,--wrap=", operands: "read*" },
  basenc: {
    options: "-d -i -w,--wrap= --base64 --base64url --base32 --base32hex --base16 --base2msbf --base2lsbf --z85",
    operands: "read*",
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
  md5: { options: "-q -r -s= -c= -p -t -x", operands: "read*" },
  less: LESS,
  zless: LESS,
  more: MORE,
  most: MORE,
  pg: MORE,
  man: MAN,
  info: {
    options: "-o,--output=write!w -f,--file=read -d,--directory=read --init-file=load!l --restore=load!l --dribble=write!w -n= -k= -a -w",
    operands: "data*",
  },
  apropos: { options: "-C=load!l" },
  whatis: { options: "-C=load!l" },
  tldr: {},
  cal: {},
  ncal: {},
  envsubst: { options: "-v" },
  pandoc: {
    options: `-o,--output=write!w -f,--from= -t,--to= -F,--filter=prog!r -L,--lua-filter=load!l --pdf-engine=prog!r -d,--defaults=load!l --template=read --extract-media=write!w -s --toc
      --data-dir=load!l --metadata-file=read -H=read -B=read -A=read -c= -V= -M= --log=write!w`,
    operands: "read*",
  },
  fx: { operands: "read code!r" },
  dasel: DASEL,
  csvsql: { operands: "read*" },
  miller: { carries: true },
  mlr: { options: "-I!w --from=read -s=load!l --load=load!l", posix: true, more: (use, out) => readMlr(use, out) },
  xmllint: {
    options:
      "--output=write!w -o=write!w --shell!r --schema=read --xpath= --format --noout --html --valid --dtdvalid=read --relaxng=read --path=load --load-trace --encode=",
    operands: "read*",
  },
  xsltproc: { options: "-o,--output=write!w --param= --stringparam= --path= --writesubtree=write!w", operands: "exec read*" },
};

function readMlr(use: Use, out: Out): void {
  // Behind its first verb stand others, what they work on, and files: only mlr tells them apart.
  for (const { word } of use.operands.slice(1)) {
    if (word.text === undefined ? mayBeOption(word) : word.text.startsWith("-") || !isName(word.text)) continue;
    file(out, "read", word);
    if (uses(use, "I")) file(out, "write", word);
  }
  for (const { at, word } of use.operands) {
    if (/\b(system|exec|os_type|tee|split|emit|print|dump)\b/.test(word.text ?? "system")) hazard(out, at, "run");
    if (/\b(system|exec)\b/.test(word.text ?? "")) inlineCode(out, at, "program of `mlr` that runs programs");
  }
}
