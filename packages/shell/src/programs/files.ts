import { file, hazard, runScript, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { uses, usedOf, valueOf, type Use } from "./use.ts";
import { after, concat, known, prefix } from "./words.ts";
import { writeInto, writeNumbered, writeTemplate } from "./written.ts";

const COPY = `-a,--archive --attributes-only --backup? -b --copy-contents -d --debug -f,--force -i,--interactive -H -l,--link -L,--dereference -n,--no-clobber
  -P,--no-dereference -p --preserve? --no-preserve= --parents -R,-r,--recursive --reflink? --remove-destination --sparse= --strip-trailing-slashes
  -s,--symbolic-link -S,--suffix= -t,--target-directory= -T,--no-target-directory -u --update? -v,--verbose --keep-directory-symlink -x,--one-file-system -Z --context?
  -c -X --help --version --exchange --no-copy`;

/** The destination is the last operand, or the value of `-t`. */
export function toTarget(source: "read" | "move"): (use: Use, out: Out) => void {
  return (use, out) => {
    const targets = usedOf(use, "target-directory").map(valueOf);
    const words = use.operands.map(({ word }) => word);
    const last = targets.length === 0 && words.length > 1 ? words.pop() : undefined;
    if (last !== undefined) targets.push(last);
    const below = source === "move" || uses(use, "recursive archive");
    // Hard links to all that is below a folder are made of what links lead to, unless they are told not to.
    const linked = uses(use, "link") && !uses(use, "archive no-dereference d");
    const follows = source === "read" && (uses(use, "dereference") || linked);
    for (const word of words) {
      file(out, "read", word, { below, follows });
      if (source === "move") file(out, "delete", word, { below });
    }
    for (const target of targets) writeInto(target, words, out, below && source === "read");
  };
}

function link(use: Use, out: Out): void {
  const targets = usedOf(use, "target-directory").map(valueOf);
  const words = use.operands.map(({ word }) => word);
  const last = targets.length === 0 && words.length > 1 ? words.pop() : undefined;
  // What is linked can be reached through the link.
  for (const word of words) file(out, "read", word, { below: uses(use, "symbolic") });
  for (const target of [...targets, ...(last === undefined ? [] : [last])]) writeInto(target, words, out, false);
  if (last === undefined && targets.length === 0) writeInto(known("."), words, out, false);
}

function dd(use: Use, out: Out): void {
  for (const { word } of use.operands) {
    const start = prefix(word);
    if (start.startsWith("if=")) file(out, "read", after(word, 3));
    else if (start.startsWith("of=")) file(out, "write", after(word, 3));
    else if (word.text === undefined && start === "") {
      file(out, "read", word);
      file(out, "write", word);
    }
  }
}

// mode or owner first, then files.
function change(use: Use, out: Out): void {
  const below = uses(use, "recursive R");
  const words = uses(use, "reference") ? use.operands : use.operands.slice(1);
  for (const { word } of words) file(out, "write", word, { below, follows: uses(use, "L") });
}

// What it compares below folders it reads where links lead.
function compare(use: Use, out: Out): void {
  const below = uses(use, "recursive");
  for (const { word } of use.operands) if (word.text !== "-") file(out, "read", word, { below, follows: !uses(use, "no-dereference") });
}

function install(use: Use, out: Out): void {
  if (uses(use, "directory")) for (const { word } of use.operands) file(out, "write", word);
  else toTarget("read")(use, out);
}

// `split` and `csplit` write files that begin with a prefix.
function split(use: Use, out: Out): void {
  const [source, start] = use.operands;
  if (source !== undefined && source.word.text !== "-") file(out, "read", source.word);
  writeNumbered(start?.word ?? known("x"), out);
}

function temporary(use: Use, out: Out): void {
  const [template] = use.operands;
  if (template === undefined) return;
  const folder = [...usedOf(use, "p"), ...usedOf(use, "tmpdir")][0]?.value;
  const suffix = usedOf(use, "suffix")[0]?.value;
  writeTemplate(suffix === undefined ? template.word : concat([template.word, suffix]), folder, out);
}

function patch(use: Use, out: Out): void {
  const [original, changes] = use.operands;
  if (uses(use, "dry-run check")) return;
  if (original !== undefined) {
    file(out, "read", original.word);
    file(out, "write", original.word);
  } else file(out, "write", known("."), { below: true });
  if (changes !== undefined) file(out, "read", changes.word);
}

function rename(use: Use, out: Out): void {
  const [expression, ...rest] = use.operands;
  for (const { word } of rest) {
    file(out, "write", word);
    file(out, "delete", word);
  }
  // One of the programs of this name runs its first operand as Perl.
  if (expression !== undefined && !/^[\w.-]*$/.test(expression.word.text ?? "$")) {
    hazard(out, expression.at, "run");
    runScript(out, expression.at, { text: undefined, pieces: [{ hole: "any" }], single: true });
  }
}

const LS = `-a,--all -A,--almost-all --author -b,--escape --block-size= -B,--ignore-backups -c -C --color? -d,--directory -D,--dired -f -F --classify? --file-type
  --format= --full-time -g --group-directories-first -G,--no-group -h,--human-readable --si -H,--dereference-command-line --hide= --hyperlink? --indicator-style=
  -i,--inode -I,--ignore= -k,--kibibytes -l -L,--dereference -m -n,--numeric-uid-gid -N,--literal -o -p -q,--hide-control-chars --show-control-chars -Q,--quote-name
  --quoting-style= -r,--reverse -R,--recursive -s,--size -S --sort= --time= --time-style= -t -T,--tabsize= -u -U -v -w,--width= -x -X -Z,--context --zero -1 -@ -e
  --help --version --dereference-command-line-symlink-to-dir`;

const LSD: Spec = { options: LS, operands: "read*", below: ["recursive", "tree"], follows: "dereference", alone: "read" };
const CHANGE =
  "-c,--changes -f,--silent,--quiet -v,--verbose -h,--no-dereference --dereference -H -L -P --from= --no-preserve-root --preserve-root --reference=read -R,--recursive --help --version";
const READS: Spec = { operands: "read*" };

/** Programs for files and folders. */
export const FILES: Readonly<Record<string, Spec>> = {
  cat: {
    options:
      "-A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank -t -T,--show-tabs -u -v,--show-nonprinting -l --help --version",
    operands: "read*",
  },
  bat: {
    options: `--pager=prog!r -m,--map-syntax= -l,--language= -H,--highlight-line= -r,--line-range= --theme= --style= --color= --paging= -n -p -A --wrap= --tabs= --file-name=
      --terminal-width= --decorations= --italic-text= --diff-context= --config-file --list-themes --list-languages --generate-config-file!w --lessopen!r --no-lessopen -d -u -P -f -L`,
    operands: "read*",
  },
  batcat: { options: "--pager=prog!r -l,--language= -r,--line-range= --theme= --style= --color= --paging=", operands: "read*" },
  tac: { options: "-b -r -s,--separator=", operands: "read*" },
  rev: READS,
  ls: LSD,
  dir: LSD,
  vdir: LSD,
  gls: LSD,
  exa: {
    options: "-T,--tree -R,--recursive -L,--level= -s,--sort= -I,--ignore-glob= -t,--time=",
    operands: "read*",
    below: ["recursive", "tree"],
    alone: "read",
  },
  eza: {
    options: "-T,--tree -R,--recursive -L,--level= -s,--sort= -I,--ignore-glob= -t,--time=",
    operands: "read*",
    below: ["recursive", "tree"],
    alone: "read",
  },
  lsd: {
    options: "--tree -R,--recursive --depth= -I,--ignore-glob= --config-file=load!l",
    operands: "read*",
    below: ["recursive", "tree"],
    alone: "read",
  },
  tree: {
    options: `-a -d -l -f -x -L^ -R!w -P^ -I^ --ignore-case --matchdirs --metafirst --prune --info --infofile=read --gitignore --gitfile=read --noreport --charset= --filelimit=
      --filesfirst --dirsfirst -q -N -Q -p -u -g -s -h --si -D --timefmt= --du --inodes --device -F -o^write!w --output=write!w -v -t -c -U -r --sort? -i -A -S -n -C -X -J
      -H^ -T^ --nolinks --hintro=read --houtro=read --fromfile!l --fromtabfile!l --fflinks --compress= --opt-toggle --hyperlink --scheme= --authority= --help --version`,
    operands: "read*",
    below: "always",
    follows: "l",
    alone: "read",
  },
  rm: {
    options:
      "-f,--force -i -I --interactive? --one-file-system --no-preserve-root --preserve-root? -r,-R,--recursive -d,--dir -v,--verbose -P -W -x --help --version",
    operands: "delete*",
    below: ["recursive"],
  },
  unlink: { operands: "delete" },
  rmdir: { options: "-p,--parents -v,--verbose --ignore-fail-on-non-empty", operands: "delete*" },
  shred: { options: "-f,--force -n,--iterations= --random-source=read -s,--size= -u --remove? -v -x -z", operands: "write*" },
  srm: { options: "-r,-R,--recursive", operands: "delete*", below: ["recursive"] },
  trash: { operands: "delete*", below: "always" },
  "trash-put": { operands: "delete*", below: "always" },
  cp: { options: COPY, more: toTarget("read") },
  gcp: { options: COPY, more: toTarget("read") },
  mv: { options: COPY, more: toTarget("move") },
  ln: {
    options:
      "--backup? -b -d,-F,--directory -f,--force -i,--interactive -L,--logical -n,--no-dereference -P,--physical -r,--relative -s,--symbolic -S,--suffix= -t,--target-directory= -T,--no-target-directory -v,--verbose -h",
    more: link,
  },
  link: { operands: "read write" },
  symlink: { operands: "read write" },
  install: {
    options: `--backup? -b -c -C,--compare -d,--directory -D -g,--group= -m,--mode= -o,--owner= -p,--preserve-timestamps -s,--strip --strip-program=prog!r -S,--suffix=
      -t,--target-directory= -T,--no-target-directory -v,--verbose --preserve-context -Z --context?`,
    more: install,
  },
  mkdir: { options: "-m,--mode= -p,--parents -v,--verbose -Z --context?", operands: "write*" },
  mkfifo: { options: "-m,--mode= -Z --context?", operands: "write*" },
  mknod: { options: "-m,--mode= -Z --context?", operands: "write data*" },
  mktemp: { options: "-d,--directory -u,--dry-run -q,--quiet --suffix= -p=write --tmpdir?write -t", more: temporary },
  touch: { options: "-a -c,--no-create -d,--date= -f -h,--no-dereference -m -r,--reference=read -t= --time= -A=", operands: "write*" },
  truncate: { options: "-c,--no-create -o,--io-blocks -r,--reference=read -s,--size=", operands: "write*" },
  fallocate: { options: "-c -d -i -l,--length= -n -o,--offset= -p -v -x -z", operands: "write" },
  tee: { options: "-a,--append -i,--ignore-interrupts -p --output-error?", operands: "write*" },
  sponge: { options: "-a", operands: "write*" },
  dd: { more: dd },
  chmod: { options: CHANGE, more: change },
  chown: { options: CHANGE, more: change },
  chgrp: { options: CHANGE, more: change },
  chattr: { options: "-R,--recursive -V -f -v= -p=", more: change },
  setfacl: {
    options: "-m= -M=read -x= -X=read -b -k -n -d -R,--recursive -L -P --restore=read --set= --set-file=read --test -b",
    operands: "write*",
    below: ["recursive"],
    follows: "L",
  },
  getfacl: { options: "-R,--recursive", operands: "read*", below: ["recursive"] },
  xattr: { options: "-r -w -d -c -p -l -s -v -x", operands: "data* write" },
  split: {
    options: `-a,--suffix-length= --additional-suffix= -b,--bytes= -C,--line-bytes= -d --numeric-suffixes? -x --hex-suffixes? -e,--elide-empty-files --filter=script!r
      -l,--lines= -n,--number= -t,--separator= -u,--unbuffered --verbose -p=`,
    more: split,
  },
  csplit: {
    options: "-b,--suffix-format= -f,--prefix= -k -m -n,--digits= -s -z",
    operands: "read data*",
    more: (use, out) => writeNumbered(usedOf(use, "prefix")[0]?.value ?? known("xx"), out),
  },
  patch: {
    options: `-b,--backup -B,--prefix=write -c -d,--directory=dir -D= -e,--ed!r -E -f -F= -g= -i,--input=read -l -n -N -o,--output=write -p,--strip= -r,--reject-file=write -R
      -s -t -T -u -v -V= -x= -Y= -z= -Z --dry-run -C,--check --verbose --binary --posix --merge? --reject-format=`,
    more: patch,
  },
  rename: { options: "-v,--verbose -s,--symlink -n,--no-act -f,--force -o,--no-overwrite -i -e=code!r -E=code!r -d -u? -0", more: rename },
  prename: { options: "-v -n -f -e=code!r -E=code!r", more: rename },
  sync: READS,
  stat: { options: "-L,--dereference -f,--file-system --cached= -c,--format= --printf= -t,--terse -n -q -r -s -x", operands: "read*" },
  file: {
    options: `-b,--brief -c,--checking-printout -C,--compile!w -d,--debug -D -e,--exclude= --exclude-quiet= --extension -F,--separator= -f,--files-from=list!l -h,--no-dereference -i,--mime
      --mime-type --mime-encoding -k,--keep-going -l,--list -L,--dereference -m,--magic-file=read!l -n,--no-buffer -N,--no-pad -0,--print0 -p,--preserve-date -P,--parameter= -r,--raw
      -s,--special-files -S,--no-sandbox -v,--version -z,--uncompress!r -Z,--uncompress-noreport!r -M=read!l --apple --help`,
    operands: "read*",
  },
  du: {
    options: `-0,--null -a,--all --apparent-size -B,--block-size= -b -c,--total -D -d,--max-depth= --files0-from=list!l -H -h -k -L -l -m -P -S -s --si -t,--threshold= --time? --time-style= -X,--exclude-from=read --exclude= -x --inodes`,
    operands: "read*",
    below: "always",
    alone: "read",
  },
  df: {
    options: "-a -B,--block-size= -h -H -i -k -l --no-sync --output? -P --sync -t,--type= -T -x,--exclude-type= --total",
    operands: "read*",
  },
  ncdu: { options: "-o=write!w -f=read -x -X=read -e", operands: "read", below: "always", alone: "read" },
  realpath: { options: "-e -m -L -P -q --relative-to=read --relative-base=read -s -z", operands: "read*" },
  readlink: { options: "-f -e -m -n -q -s -v -z", operands: "read*" },
  basename: { options: "-a -s,--suffix= -z" },
  dirname: { options: "-z" },
  pathchk: {},
  namei: { operands: "read*" },
  lsof: { options: "-p= -i? -u= -c= -d= -a -n -P -t -F? -g? -r? -s? -S? +D=read +d=read", operands: "read*" },
  fuser: { options: "-k!d -m=read -n= -i -v -u", operands: "read*" },
  cmp: { options: "-b -i,--ignore-initial= -l -n,--bytes= -s", operands: "read*" },
  diff: {
    options: `-q,--brief -s -c -C,--context= -u -U,--unified= -e -n -y -W,--width= -p -F,--show-function-line= --label= -t -T --tabsize= --suppress-common-lines -l,--paginate!r
      -r,--recursive --no-dereference -N -P -x,--exclude= -X,--exclude-from=read -S,--starting-file= --from-file=read --to-file=read -i -E -Z -b -w -B -I,--ignore-matching-lines= -a
      --strip-trailing-cr -D,--ifdef= --line-format= --old-line-format= --new-line-format= --unchanged-line-format= --old-group-format= --new-group-format= --changed-group-format=
      --unchanged-group-format= --GTYPE-group-format= --LTYPE-line-format= -d --horizon-lines= --speed-large-files --color? --palette= --minimal --report-identical-files --normal --ed --rcs
      --side-by-side --left-column --expand-tabs --initial-tab --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --text --new-file --help --version`,
    more: compare,
  },
  diff3: { options: "--diff-program=prog!r --strip-trailing-cr -L,--label= -A -e -E -3 -x -X -i -m -a -T", operands: "read*" },
  sdiff: { options: "-o,--output=write!w --diff-program=prog!r -I= -w,--width= -i -E -Z -b -W -B -l -s -t -d -H -a", operands: "read*" },
  colordiff: { options: "-u -r,--recursive --no-dereference --diff-program=prog!r", more: compare },
  delta: { options: "--pager=prog!r --config=load!l", operands: "read*" },
  vipw: { operands: "rw*" },
};
