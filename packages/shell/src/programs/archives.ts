import type { Word } from "../analysis.ts";
import { argumentFiles } from "./checkers.ts";
import { file, hazard, noteListedFiles, type Findings } from "./findings.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Operand, Spec, ParsedArgs } from "./program-spec.ts";
import { after, baseName, known, prefix } from "./word-text.ts";
import { kind, many, options, reads } from "./option-groups.ts";
import { TAR_READ } from "./tar.ts";

// The archive comes first.
function zip(use: ParsedArgs, out: Findings): void {
  const [target, ...rest] = use.operands;
  if (target !== undefined && target.word.text !== "-") file(out, "write", target.word);
  // After `-i` or `-x`, `@` starts a list of patterns.
  if (
    optionsNamed(use, "names-stdin").some(
      ({ at }) => !/^-[a-zA-Z]*[ix]@/.test(out.argv[at]?.text ?? ""),
    )
  )
    noteListedFiles(out);
  const below = hasOption(use, "recurse-paths R");
  const follows = !hasOption(use, "symlinks");
  for (const { at, word } of rest)
    if (!isPattern(at, use, out))
      file(out, "read", word, { below, follows, ...(below && { prints: true }) });
}

// `-x` takes words up to the next option or `@`, as patterns for the files that it leaves out.
function isPattern(at: number, use: ParsedArgs, { argv }: Findings): boolean {
  const start = optionsNamed(use, "x").findLast((used) => used.at < at)?.at;
  if (start === undefined || argv[start]?.text !== "-x") return false;
  return argv.slice(start + 1, at).every(({ text }) => text !== undefined && !/^[-@]/.test(text));
}

function unzip(use: ParsedArgs, out: Findings): void {
  const [source, ...members] = use.operands;
  if (source !== undefined) file(out, "read", source.word);
  // A secret file stays secret inside an archive.
  if (hasOption(use, "p c")) for (const { word } of members) file(out, "read", word);
  if (hasOption(use, "l t v z Z p c h")) return;
  const folder = optionsNamed(use, "d")[0]?.value ?? known(".");
  file(out, "write", folder, { below: true });
}

// Replaces each file by a compressed or decompressed one.
function compress(use: ParsedArgs, out: Findings): void {
  const decompresses =
    hasOption(use, "decompress d") || /^[bg]?un/.test(baseName(out.argv[0]?.text ?? ""));
  const keeps = hasOption(use, "stdout list test to-stdout");
  if (hasOption(use, "files files0"))
    for (const kind of keeps ? (["read"] as const) : (["read", "write", "delete"] as const))
      noteListedFiles(out, kind);
  for (const { word } of use.operands) {
    if (word.text === "-") continue;
    const below = hasOption(use, "recursive");
    const prints = below && hasOption(use, "to-stdout");
    file(out, "read", word, prints ? { below, prints } : { below });
    if (keeps) continue;
    file(out, "write", word, { below });
    if (decompresses) file(out, "write", withoutEnding(word), { below });
    if (!hasOption(use, "keep")) file(out, "delete", word, { below });
  }
}

function withoutEnding({ text, pieces }: Word): Word {
  const trimmed = pieces.map((piece, at) =>
    typeof piece === "string" && at === pieces.length - 1 ? piece.replace(/\.\w*$/, "") : piece,
  );
  return text === undefined
    ? { text, pieces: trimmed, single: false }
    : known(text.replace(/(?<=[^/])\.\w*$/, ""));
}

function sevenZip(use: ParsedArgs, out: Findings): void {
  const [mode, target, ...rest] = use.operands;
  if (mode === undefined || target === undefined) return;
  const name = mode.word.text?.toLowerCase() ?? "";
  const writes = /^(a|u|d|rn)$/.test(name);
  file(out, writes ? "write" : "read", target.word);
  if (prefix(target.word).startsWith("@")) readList(target.word, 1, out);
  if (/^(x|e)$/.test(name))
    file(out, "write", outFolder(use.unknownOptions) ?? known("."), { below: true });
  const follows = !use.unknownOptions.some(({ word }) => /^-(?:snl|ol)(?!-)/.test(word.text ?? ""));
  if (writes) {
    for (const { word } of rest) {
      file(out, "read", word, { below: true, follows, prints: true });
      if (prefix(word).startsWith("@")) readList(word, 1, out);
    }
    for (const { word } of use.unknownOptions) included(word, follows, out);
  }
  if (name === "d") hazard(out, mode.at, "delete");
}

function readList(word: Word, from: number, out: Findings): void {
  file(out, "read", after(word, from));
  noteListedFiles(out);
}

// `-i@list` and `-i!name` add the files that they name.
function included(word: Word, follows: boolean, out: Findings): void {
  const start = prefix(word);
  const sign = /^-i[^@!]{0,8}[@!]/i.exec(start)?.[0];
  if (sign?.endsWith("@") === true) readList(word, sign.length, out);
  else if (sign !== undefined)
    file(out, "read", after(word, sign.length), { below: true, follows, prints: true });
  else if (word.text === undefined && /^(?:-(?:i[^@!]{0,8})?)?$/i.test(start)) noteListedFiles(out);
}

function outFolder(unknownOptions: readonly Operand[]): Word | undefined {
  const found = unknownOptions.find(({ word }) => word.text?.startsWith("-o") === true);
  return found?.word.text === undefined ? undefined : known(found.word.text.slice(2));
}

function cpio(use: ParsedArgs, out: Findings): void {
  // Reads the names of files to copy from standard input.
  if (hasOption(use, "create pass-through")) noteListedFiles(out);
  if (hasOption(use, "list")) return;
  if (hasOption(use, "extract")) file(out, "write", known("."), { below: true });
  for (const { word } of use.operands)
    if (hasOption(use, "pass-through")) file(out, "write", word, { below: true });
}

// Reads file names from standard input unless its words give them.
function pax(use: ParsedArgs, out: Findings): void {
  const [reads, writes] = [hasOption(use, "r"), hasOption(use, "w")];
  for (const used of optionsNamed(use, "f")) {
    if (!writes || hasOption(use, "a")) file(out, "read", valueOf(used));
    if (writes) file(out, "write", valueOf(used));
  }
  const sources = use.operands.map(({ word }) => word);
  const target = reads && writes ? (sources.pop() ?? known(".")) : known(".");
  if (reads) file(out, "write", target, { below: true });
  if (!writes) return;
  if (sources.length === 0) noteListedFiles(out);
  for (const word of sources)
    file(out, "read", word, { below: true, follows: hasOption(use, "L"), prints: true });
}

const GZIP: Spec = {
  options: options`-c,--stdout,--to-stdout -d,--decompress -f,--force -k,--keep -l,--list -L,--license -n,--no-name -q,--quiet
    -r,--recursive --rsyncable -t,--test -v,--verbose -1 -9 --fast --best -h,--help -V,--version --synchronous -z -s -e,--extreme --robot
    ${kind.value} -T,--threads -M,--memory -F,--format -C,--check ${kind.of("glued", { role: "read", does: "load" })} --files
    --files0 ${kind.flagThat("write")} -N,--name ${kind.valueThat("write")} -S,--suffix`,
  inert: "help version license",
  more: compress,
};
const ZCAT: Spec = { operands: [many("read")] };

export const ARCHIVES: Readonly<Record<string, Spec>> = {
  tar: TAR_READ,
  gtar: TAR_READ,
  bsdtar: TAR_READ,
  zip: {
    options: options`-r,--recurse-paths -u -f -F -FF -A -g -j -k -l -ll -o -e -q -v -x -i -X -y,--symlinks -z -sf -li -la -1
      -9 -0 -h --help ${kind.script} -TT --unzip-command ${kind.flagThat("delete")} -d,--delete -m,--move ${kind.value} -n -t -tt -P -s
      ${kind.write} -O,--out --output-file -b -lf ${kind.flagThat("load")} -@,--names-stdin ${kind.flagThat("run")} -T,--test
      ${kind.flagThat("unknown")} -R`,
    more: zip,
  },
  unzip: {
    options: options`-l -t -v -z -Z -p -c -f -u -o -n -j -q -qq -a -b -C -L -x -h -hh ${kind.value} -d -P`,
    more: unzip,
  },
  zipinfo: { operands: ["read", many("data")] },
  gzip: GZIP,
  gunzip: GZIP,
  bzip2: GZIP,
  bunzip2: GZIP,
  xz: GZIP,
  unxz: GZIP,
  lzma: GZIP,
  unlzma: GZIP,
  pigz: GZIP,
  lz4: {
    options: options`-d -c,--stdout -k,--keep -f -t,--test -l,--list -1 -9 -r,--recursive -m ${kind.flagThat("delete")} --rm`,
    more: compress,
  },
  zstd: reads`-d -c,--stdout -k,--keep -f -t,--test -l,--list -r,--recursive -q -v --train ${kind.write} -o --output-dir-flat
      --output-dir-mirror ${kind.read} -D ${kind.flagThat("delete")} --rm ${kind.takes("list", "load")} --filelist ${kind.value} -T`,
  unzstd: reads`-c,--stdout ${kind.write} -o ${kind.flagThat("delete")} --rm`,
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
  ar: { operands: ["data", "write", many("read")], more: argumentFiles },
  cpio: {
    options: options`-i,--extract -o,--create -p,--pass-through -t,--list -A,--append -d -m -u -v -0 -a -l -L -V -B -b -c -f -k -n -r -s
      -S --no-absolute-filenames --to-stdout --quiet ${kind.takes("rw")} -F,--file ${kind.read} -I -E,--pattern-file ${kind.write} -O
      ${kind.takes("dir")} -D,--directory ${kind.script} --rsh-command ${kind.value} -R,--owner -H,--format -C,--io-size -M,--message
      ${kind.flagThat("write")} --absolute-filenames`,
    more: cpio,
  },
  pax: {
    options: options`-r -w -a -c -d -i -j -k -l -n -t -u -v -z -0 -A -D -H -L -O -P -V -X -Y -Z --force-local ${kind.value} -b -f -o -p -s
      -x -B -E -G -M -N -T -U ${kind.script} --use-compress-program`,
    more: pax,
  },
};
