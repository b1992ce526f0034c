import { hostOf } from "./hosts.ts";
import type { Word } from "../analysis.ts";
import { file, hazard, listed, network, runScript, type Out } from "./out.ts";
import { play } from "./apply.ts";
import { grammarOf, type Spec } from "./spec.ts";
import { readUse, uses, usedOf, valueOf, type Operand, type Use, type Used } from "./use.ts";
import { after, known, prefix } from "./words.ts";

const TAR: Spec = {
  options: `-A,--catenate,--concatenate!w -c,--create!w -d,--diff,--compare --delete!d -r,--append!w -t,--list --test-label -u,--update!w -x,--extract,--get!w --check-device -g,--listed-incremental=write!w
    -G,--incremental --hole-detection= --ignore-failed-read --level= -n,--seek --no-check-device --no-seek --occurrence? --sparse-version= -S,--sparse -k,--keep-old-files --keep-newer-files
    --keep-directory-symlink --no-overwrite-dir --one-top-level? --overwrite --overwrite-dir --recursive-unlink!d --remove-files!d --skip-old-files -U,--unlink-first -W,--verify --ignore-command-error
    --no-ignore-command-error -O,--to-stdout --to-command=script!r --atime-preserve? --delay-directory-restore --no-delay-directory-restore --group= --group-map=read --mode= --mtime= -m,--touch
    --no-same-owner --no-same-permissions --numeric-owner --owner= --owner-map=read -p,--preserve-permissions --same-permissions --same-owner -s,--preserve-order --sort= --acls --no-acls --selinux
    --no-selinux --xattrs --no-xattrs --xattrs-exclude= --xattrs-include= -f,--file= --force-local -F,--info-script,--new-volume-script=script!r -L,--tape-length= -M,--multi-volume
    --rmt-command=prog!r --rsh-command=prog!r --volno-file=write!w -b,--blocking-factor= -B,--read-full-records -i,--ignore-zeros --record-size= -H,--format= --old-archive --portability -o --pax-option=
    --posix -V,--label= -a,--auto-compress -I,--use-compress-program=prog!r -j,--bzip2 -J,--xz --lzip --lzma --lzop --no-auto-compress --zstd -z,--gzip,--gunzip,--ungzip -Z,--compress --add-file=read!l --backup?
    -C,--directory=dir --exclude= --exclude-backups --exclude-caches --exclude-caches-all --exclude-caches-under --exclude-ignore= --exclude-ignore-recursive= --exclude-tag= --exclude-tag-all=
    --exclude-tag-under= --exclude-vcs --exclude-vcs-ignores -h,--dereference --hard-dereference -K,--starting-file= --newer-mtime= --no-null --no-recursion --no-unquote --no-verbatim-files-from
    --null -N,--newer,--after-date= --one-file-system -P,--absolute-names!w --recursion --suffix= -T,--files-from=read!l --unquote --verbatim-files-from -X,--exclude-from=read --strip-components=
    --transform,--xform= --anchored --ignore-case --no-anchored --no-ignore-case --no-wildcards --no-wildcards-match-slash --wildcards --wildcards-match-slash --checkpoint? --checkpoint-action=
    --full-time --index-file=write!w -l,--check-links --no-quote-chars= --quote-chars= --quoting-style= -R,--block-number --show-defaults --show-omitted-dirs --show-snapshot-field-ranges
    --show-transformed-names --show-stored-names --totals? --utc -v,--verbose --warning= -w,--interactive,--confirmation -?,--help --usage --version --set-mtime-command=script!r --set-mtime-format= --clamp-mtime`,
};

/** The use of `tar`: the first word may be letters without a dash, whose values are the next words in turn. */
export function readTarUse(argv: readonly Word[], from: number): Use {
  const first = argv[from];
  const letters = first?.text;
  if (first === undefined || letters === undefined || letters.startsWith("-") || letters === "")
    return readUse(TAR, argv, from, { posix: false });
  const options: Used[] = [];
  const strange: Operand[] = [];
  let at = from;
  for (const letter of letters) {
    const option = grammarOf(TAR).short.get(letter);
    if (option === undefined) strange.push({ at: from, word: first });
    else options.push({ option, at: from, value: option.value === "required" ? argv[++at] : undefined });
  }
  const rest = readUse(TAR, argv, at + 1, { posix: false });
  return { ...rest, options: [...options, ...rest.options], strange: [...strange, ...rest.strange] };
}

function readTar(out: Out, from: number): void {
  const use = readTarUse(out.argv, from);
  if (uses(use, "help usage version show-defaults")) return;
  const extracts = uses(use, "get");
  const creates = uses(use, "create");
  const changes = uses(use, "append update concatenate delete");
  const archives = usedOf(use, "file");
  for (const { option, at, value } of use.options) {
    if (option.does !== undefined && !(option.name === "absolute-names" && !extracts)) hazard(out, at, option.does);
    if (option.name === "checkpoint-action" && value !== undefined) checkpoint(at, value, out);
    else if (option.role !== "data" && option.role !== "dir" && value !== undefined) play(option.role, value, at, TAR, out, undefined);
  }
  for (const used of archives) archive(used, { reads: !creates, writes: creates || changes, local: uses(use, "force-local") }, out);
  // Its first word may be letters, also where it is not known.
  if (out.argv[from] !== undefined && out.argv[from]?.text === undefined) hazard(out, from, "run");
  for (const { at, word } of use.strange)
    if (!word.text?.startsWith("--") || /^--(exec|to-|use-|rsh|checkpoint)/.test(word.text)) hazard(out, at, "run");
  for (const used of usedOf(use, "directory")) play("dir", valueOf(used), used.at, TAR, out, undefined);
  if (uses(use, "files-from") && !extracts && !uses(use, "list delete compare")) listed(out);
  if (extracts && !uses(use, "to-stdout to-command")) {
    file(out, "write", known("."), { below: true });
    for (const { value } of usedOf(use, "one-top-level")) if (value !== undefined) file(out, "write", value, { below: true });
  } else if (creates || changes) {
    const follows = uses(use, "dereference");
    for (const { word } of use.operands) file(out, "read", word, { below: true, follows });
  }
}

function checkpoint(at: number, value: Word, out: Out): void {
  const start = prefix(value);
  if (/^(exec|ttyout|wait)/.test(start) || value.text === undefined) {
    const sign = start.indexOf("=");
    if (start.startsWith("exec") || value.text === undefined) {
      runScript(out, at, value.text === undefined ? value : known(value.text.slice(sign + 1)));
    }
  } else if (!/^(\.|dot|bell|echo|sleep|totals)/.test(start)) hazard(out, at, "run");
}

function archive(used: Used, mode: { readonly reads: boolean; readonly writes: boolean; readonly local: boolean }, out: Out): void {
  const word = valueOf(used);
  if (word.text === "-") return;
  if (!mode.local && /^[^/]{1,512}:/.test(prefix(word))) {
    hazard(out, used.at, "send");
    network(out, hostOf(word));
    return;
  }
  if (mode.reads) file(out, "read", word);
  if (mode.writes) file(out, "write", word);
}

// The archive comes first.
function zip(use: Use, out: Out): void {
  const [target, ...rest] = use.operands;
  if (target !== undefined && target.word.text !== "-") file(out, "write", target.word);
  // Behind a letter of its own it names a list of patterns.
  if (usedOf(use, "names-stdin").some(({ at }) => !/^-[a-zA-Z]*[ix]@/.test(out.argv[at]?.text ?? ""))) listed(out);
  for (const { word } of rest) file(out, "read", word, { below: uses(use, "recurse-paths R"), follows: !uses(use, "symlinks") });
}

function unzip(use: Use, out: Out): void {
  const [source] = use.operands;
  if (source !== undefined) file(out, "read", source.word);
  if (uses(use, "l t v z Z p c h")) return;
  const folder = usedOf(use, "d")[0]?.value ?? known(".");
  file(out, "write", folder, { below: true });
}

// Replaces each file by another one.
function compress(use: Use, out: Out): void {
  const keeps = uses(use, "stdout list test to-stdout");
  if (uses(use, "files files0")) for (const kind of keeps ? (["read"] as const) : (["read", "write", "delete"] as const)) listed(out, kind);
  for (const { word } of use.operands) {
    if (word.text === "-") continue;
    const below = uses(use, "recursive");
    file(out, "read", word, { below });
    if (keeps) continue;
    file(out, "write", word, { below });
    if (!uses(use, "keep")) file(out, "delete", word, { below });
  }
}

function sevenZip(use: Use, out: Out): void {
  const [mode, target, ...rest] = use.operands;
  if (mode === undefined || target === undefined) return;
  const name = mode.word.text?.toLowerCase() ?? "";
  const writes = /^(a|u|d|rn)$/.test(name);
  file(out, writes ? "write" : "read", target.word);
  if (/^(x|e)$/.test(name)) file(out, "write", outFolder(use.strange) ?? known("."), { below: true });
  const follows = !use.strange.some(({ word }) => /^-(?:snl|ol)(?!-)/.test(word.text ?? ""));
  if (writes) {
    for (const { word } of rest) {
      file(out, "read", word, { below: true, follows });
      if (prefix(word).startsWith("@")) readList(word, 1, out);
    }
    for (const { word } of use.strange) included(word, follows, out);
  }
  if (name === "d") hazard(out, mode.at, "delete");
}

function readList(word: Word, from: number, out: Out): void {
  file(out, "read", after(word, from));
  listed(out);
}

// `-i@list` and `-i!name` put in what they name.
function included(word: Word, follows: boolean, out: Out): void {
  const start = prefix(word);
  const sign = /^-i[^@!]{0,8}[@!]/i.exec(start)?.[0];
  if (sign?.endsWith("@") === true) readList(word, sign.length, out);
  else if (sign !== undefined) file(out, "read", after(word, sign.length), { below: true, follows });
  else if (word.text === undefined && /^(?:-(?:i[^@!]{0,8})?)?$/i.test(start)) listed(out);
}

function outFolder(strange: readonly Operand[]): Word | undefined {
  const found = strange.find(({ word }) => word.text?.startsWith("-o") === true);
  return found?.word.text === undefined ? undefined : known(found.word.text.slice(2));
}

function cpio(use: Use, out: Out): void {
  // What it copies it is told in its input.
  if (uses(use, "create pass-through")) listed(out);
  if (uses(use, "list")) return;
  if (uses(use, "extract")) file(out, "write", known("."), { below: true });
  for (const { word } of use.operands) if (uses(use, "pass-through")) file(out, "write", word, { below: true });
}

// It is told in its input what it is not told in its words.
function pax(use: Use, out: Out): void {
  const [reads, writes] = [uses(use, "r"), uses(use, "w")];
  for (const used of usedOf(use, "f")) {
    if (!writes || uses(use, "a")) file(out, "read", valueOf(used));
    if (writes) file(out, "write", valueOf(used));
  }
  const sources = use.operands.map(({ word }) => word);
  const target = reads && writes ? (sources.pop() ?? known(".")) : known(".");
  if (reads) file(out, "write", target, { below: true });
  if (!writes) return;
  if (sources.length === 0) listed(out);
  for (const word of sources) file(out, "read", word, { below: true, follows: uses(use, "L") });
}

const GZIP: Spec = {
  options: `-c,--stdout,--to-stdout -d,--decompress -f,--force -k,--keep -l,--list -L,--license -n,--no-name -N,--name -q,--quiet -r,--recursive --rsyncable -S,--suffix= -t,--test -v,--verbose -1 -9
    --fast --best -h,--help -V,--version --synchronous -z -s -e,--extreme -T,--threads= -M,--memory= -F,--format= -C,--check= --files?read!l --files0?read!l --robot`,
  inert: "help version license",
  more: compress,
};
const TAR_READ: Spec = { ...TAR, bundled: true, read: readTar };
const ZCAT: Spec = { operands: "read*" };

/** Archives and compression. */
export const ARCHIVES: Readonly<Record<string, Spec>> = {
  tar: TAR_READ,
  gtar: TAR_READ,
  bsdtar: TAR_READ,
  zip: {
    options: `-r,--recurse-paths -R -T --test -TT=prog!r --unzip-command=prog!r -d,--delete!d -m,--move!d -u -f -F -FF -A -g -j -k -l -ll -n= -o -O,--out=write!w --output-file=write!w -b=write!w -t= -tt=
      -P= -e -q -v -x -i -X -y,--symlinks -z -s= -sf -@,--names-stdin!l -lf=write!w -li -la -1 -9 -0 -h --help`,
    more: zip,
  },
  unzip: { options: "-d= -l -t -v -z -Z -p -c -f -u -o -n -j -q -qq -a -b -C -L -P= -x -h -hh", more: unzip },
  zipinfo: { operands: "read data*" },
  gzip: GZIP,
  gunzip: GZIP,
  bzip2: GZIP,
  bunzip2: GZIP,
  xz: GZIP,
  unxz: GZIP,
  lzma: GZIP,
  unlzma: GZIP,
  pigz: GZIP,
  lz4: { options: "-d -c,--stdout -k,--keep -f -t,--test -l,--list -1 -9 --rm!d -r,--recursive -m", more: compress },
  zstd: {
    options:
      "-d -c,--stdout -k,--keep -f -t,--test -l,--list -o=write!w -D=read --rm!d -r,--recursive --output-dir-flat=write!w --output-dir-mirror=write!w --filelist=list!l -T= -q -v --train",
    operands: "read*",
  },
  unzstd: { options: "-o=write!w --rm!d -c,--stdout", operands: "read*" },
  zcat: ZCAT,
  gzcat: ZCAT,
  bzcat: ZCAT,
  xzcat: ZCAT,
  lzcat: ZCAT,
  zstdcat: ZCAT,
  zdiff: ZCAT,
  zcmp: ZCAT,
  "7z": { more: sevenZip },
  "7za": { more: sevenZip },
  "7zr": { more: sevenZip },
  rar: { more: sevenZip },
  unrar: { more: sevenZip },
  ar: { operands: "data write read*" },
  cpio: {
    options: `-i,--extract -o,--create -p,--pass-through -t,--list -A,--append -F,--file=rw -I=read -O=write!w -E,--pattern-file=read -D,--directory=dir --rsh-command=prog!r -R,--owner= -H,--format= -C,--io-size=
      -M,--message= -d -m -u -v -0 -a -l -L -V -B -b -c -f -k -n -r -s -S --no-absolute-filenames --absolute-filenames!w --to-stdout --quiet`,
    more: cpio,
  },
  pax: {
    options:
      "-r -w -a -b= -c -d -f= -i -j -k -l -n -o= -p= -s= -t -u -v -x= -z -0 -A -B= -D -E= -G= -H -L -M= -N= -O -P -T= -U= -V -X -Y -Z --force-local --use-compress-program=prog!r",
    more: pax,
  },
};
