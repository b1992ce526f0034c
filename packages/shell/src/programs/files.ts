import type { Word } from "../analysis.ts";
import { file, hazard, network, runScript, type Findings } from "./findings.ts";
import { hostOf } from "./hosts.ts";
import { optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { after, concat, known, prefix } from "./word-text.ts";
import { writeInto, writeNumbered, writeTemplate } from "./written-files.ts";
import { kind, many, options, reads } from "./option-groups.ts";
import { toTarget } from "./to-target.ts";
import { READS, FILE_READERS } from "./file-readers.ts";

const COPY = options`-a,--archive --attributes-only --copy-contents -d --debug -f,--force -i,--interactive -H
  -L,--dereference -n,--no-clobber -P,--no-dereference -p -R,-r,--recursive --remove-destination -T,--no-target-directory -u -v,--verbose
  --keep-directory-symlink -x,--one-file-system -Z -c -X --help --version --exchange --no-copy ${kind.optional} --preserve
  --reflink --update --context ${kind.value} --no-preserve --sparse -t,--target-directory ${kind.flag} --parents
  --strip-trailing-slashes ${kind.flagThat("write")} -b -l,--link -s,--symbolic-link ${kind.valueThat("write")} -S,--suffix
  ${kind.of("glued", { does: "write" })} --backup`;

function link(use: ParsedArgs, out: Findings): void {
  const targets = optionsNamed(use, "target-directory").map(valueOf);
  const words = use.operands.map(({ word }) => word);
  const last = targets.length === 0 && words.length > 1 ? words.pop() : undefined;
  // The link gives access to its target.
  for (const word of words) file(out, "read", word, { below: hasOption(use, "symbolic") });
  for (const target of [...targets, ...(last === undefined ? [] : [last])])
    writeInto(target, words, out);
  if (last === undefined && targets.length === 0) writeInto(known("."), words, out);
}

// `lsof -i @host` asks a name server.
function lookups(_: ParsedArgs, out: Findings): void {
  for (const word of out.argv) {
    const sign = prefix(word).indexOf("@");
    if (sign >= 0) network(out, hostOf(after(word, sign + 1)));
  }
}

function dd(use: ParsedArgs, out: Findings): void {
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

// What a glob or a search finds was there before, and is replaced by the input, which `xargs` leaves empty.
function replace(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "append")) return;
  for (const { at, word } of use.operands)
    if (word.pieces.some((piece) => typeof piece === "object" && piece.hole !== "number"))
      hazard(out, at, "write");
}

// A mode or owner, then files.
function change(use: ParsedArgs, out: Findings): void {
  const below = hasOption(use, "recursive R");
  // A mode such as `-x` looks like an option.
  const modes = hasOption(use, "reference") || use.unknownOptions.length > 0 ? 0 : 1;
  const words = use.operands.slice(modes);
  for (const { word } of words) file(out, "write", word, { below, follows: hasOption(use, "L") });
}

function install(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "directory")) for (const { word } of use.operands) file(out, "write", word);
  else toTarget("read")(use, out);
}

// `split` and `csplit` write files with a common prefix.
function split(use: ParsedArgs, out: Findings): void {
  const [source, start] = use.operands;
  if (source !== undefined && source.word.text !== "-") file(out, "read", source.word);
  writeNumbered(start?.word ?? known("x"), out);
}

function temporary(use: ParsedArgs, out: Findings): void {
  const folder = [...optionsNamed(use, "p"), ...optionsNamed(use, "tmpdir")][0]?.value;
  const template = use.operands[0]?.word ?? known("tmp.XXXXXXXXXX");
  if (use.operands.length === 0 && folder === undefined) return;
  const suffix = optionsNamed(use, "suffix")[0]?.value;
  writeTemplate(suffix === undefined ? template : concat([template, suffix]), folder, out);
}

function patch(use: ParsedArgs, out: Findings): void {
  const [original, changes] = use.operands;
  if (hasOption(use, "dry-run check")) return;
  if (original !== undefined) {
    file(out, "read", original.word);
    file(out, "write", original.word);
  } else file(out, "write", known("."), { below: true });
  if (changes !== undefined) file(out, "read", changes.word);
}

// Any file in the same folder.
function beside({ pieces }: Word): Word {
  const at = pieces.findLastIndex((piece) => typeof piece === "string" && piece.includes("/"));
  const last = pieces[at];
  const folder = typeof last === "string" ? [last.slice(0, last.lastIndexOf("/") + 1)] : [];
  return {
    text: undefined,
    pieces: [...pieces.slice(0, Math.max(at, 0)), ...folder, { hole: "name" }],
    single: false,
  };
}

function rename(use: ParsedArgs, out: Findings): void {
  const [expression, ...rest] = use.operands;
  for (const { word } of rest) {
    file(out, "write", word);
    file(out, "delete", word, { below: true });
    file(out, "write", beside(word), { below: true });
  }
  // One program of this name runs its first operand as Perl code.
  if (expression !== undefined && !/^[\w.-]*$/.test(expression.word.text ?? "$")) {
    hazard(out, expression.at, "run");
    runScript(out, expression.at, { text: undefined, pieces: [{ hole: "any" }], single: true });
  }
}
const CHANGE = options`-c,--changes -f,--silent,--quiet -v,--verbose -h,--no-dereference --dereference -H -L -P --no-preserve-root
  --preserve-root --help --version ${kind.value} --from ${kind.read} --reference ${kind.flag} -R,--recursive`;

export const FILES: Readonly<Record<string, Spec>> = {
  ...FILE_READERS,
  rm: {
    options: options`-f,--force -i -I --one-file-system --no-preserve-root -r,-R,--recursive -d,--dir -v,--verbose -P -W -x --help
      --version ${kind.optional} --interactive --preserve-root`,
    operands: [many("delete")],
    below: ["recursive"],
  },
  unlink: { operands: ["delete"] },
  rmdir: {
    options: options`-p,--parents -v,--verbose --ignore-fail-on-non-empty`,
    operands: [many("delete")],
  },
  shred: {
    options: options`-f,--force -u -v -x -z ${kind.value} -n,--iterations -s,--size ${kind.read} --random-source ${kind.optional} --remove`,
    operands: [many("write")],
  },
  srm: { options: options`-r,-R,--recursive`, operands: [many("delete")], below: ["recursive"] },
  trash: { operands: [many("delete")], below: "always" },
  "trash-put": { operands: [many("delete")], below: "always" },
  cp: { options: COPY, more: toTarget("read") },
  gcp: { options: COPY, more: toTarget("read") },
  mv: { options: COPY, more: toTarget("move") },
  ln: {
    options: options`-b -d,-F,--directory -f,--force -i,--interactive -L,--logical -n,--no-dereference -P,--physical -r,--relative
      -s,--symbolic -T,--no-target-directory -v,--verbose -h ${kind.optional} --backup ${kind.value} -S,--suffix -t,--target-directory`,
    more: link,
  },
  link: { operands: ["read", "write"] },
  symlink: { operands: ["read", "write"] },
  install: {
    options: options`-b -c -C,--compare -d,--directory -D -p,--preserve-timestamps -s,--strip -T,--no-target-directory -v,--verbose
      --preserve-context -Z ${kind.optional} --backup --context ${kind.value} -g,--group -m,--mode -o,--owner -S,--suffix
      -t,--target-directory ${kind.script} --strip-program`,
    more: install,
  },
  mkdir: {
    options: options`-p,--parents -v,--verbose -Z ${kind.value} -m,--mode ${kind.optional} --context`,
    operands: [many("write")],
  },
  mkfifo: {
    options: options`-Z ${kind.value} -m,--mode ${kind.optional} --context`,
    operands: [many("write")],
  },
  mknod: {
    options: options`-Z ${kind.value} -m,--mode ${kind.optional} --context`,
    operands: ["write", many("data")],
  },
  mktemp: {
    options: options`-d,--directory -u,--dry-run -q,--quiet -t ${kind.value} --suffix ${kind.takes("write")} -p
      ${kind.of("glued", { role: "write" })} --tmpdir`,
    more: temporary,
  },
  touch: {
    options: options`-a -c,--no-create -f -h,--no-dereference -m ${kind.value} -d,--date -t --time -A ${kind.read} -r,--reference`,
    operands: [many("write")],
  },
  truncate: {
    options: options`-c,--no-create -o,--io-blocks ${kind.read} -r,--reference ${kind.value} -s,--size`,
    operands: [many("write")],
  },
  fallocate: {
    options: options`-c -d -i -n -p -v -x -z ${kind.value} -l,--length -o,--offset`,
    operands: ["write"],
  },
  tee: {
    options: options`-a,--append -i,--ignore-interrupts -p ${kind.optional} --output-error`,
    operands: [many("write")],
    more: replace,
  },
  sponge: { options: options`-a,--append`, operands: [many("write")], more: replace },
  dd: { more: dd },
  chmod: { options: CHANGE, more: change },
  chown: { options: CHANGE, more: change },
  chgrp: { options: CHANGE, more: change },
  chattr: { options: options`-R,--recursive -V -f ${kind.value} -v -p`, more: change },
  setfacl: {
    options: options`-b -k -n -d -R,--recursive -L -P --test -b ${kind.value} -m -x --set ${kind.read} -M -X --restore --set-file`,
    operands: [many("write")],
    below: ["recursive"],
    follows: "L",
  },
  getfacl: { options: options`-R,--recursive`, operands: [many("read")], below: ["recursive"] },
  xattr: { options: options`-r -w -d -c -p -l -s -v -x`, operands: [many("data"), "write"] },
  split: {
    options: options`-d -x -e,--elide-empty-files -u,--unbuffered --verbose ${kind.value} -a,--suffix-length --additional-suffix
      -b,--bytes -C,--line-bytes -l,--lines -t,--separator -p ${kind.optional} --numeric-suffixes --hex-suffixes ${kind.script} --filter
      ${kind.value} -n,--number`,
    more: split,
  },
  csplit: {
    options: options`-k -m -s -z ${kind.value} -b,--suffix-format -f,--prefix -n,--digits`,
    operands: ["read", many("data")],
    more: (use, out) => writeNumbered(optionsNamed(use, "prefix")[0]?.value ?? known("xx"), out),
  },
  patch: {
    options: options`-b,--backup -c -E -f -l -n -N -R -s -t -T -u -v -Z -C,--check --verbose --binary ${kind.write} -B,--prefix
      -o,--output -r,--reject-file ${kind.takes("dir")} -d,--directory ${kind.value} -D -F -g -p,--strip -V -x -Y -z --reject-format
      ${kind.flagThat("run")} -e,--ed ${kind.read} -i,--input ${kind.flag} --dry-run --posix ${kind.optional} --merge`,
    more: patch,
  },
  rename: {
    options: options`-v,--verbose -s,--symlink -n,--no-act -f,--force -o,--no-overwrite -i -d -0 ${kind.code} -e -E ${kind.optional} -u`,
    more: rename,
  },
  prename: { options: options`-v -n -f ${kind.code} -e -E`, more: rename },
  sync: READS,
  realpath: reads`-e,--canonicalize-existing -m,--canonicalize-missing --no-symlinks -L -P -q -s -z ${kind.read} --relative-to --relative-base`,
  readlink: reads`-f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing -n,--no-newline -q -s -v -z`,
  basename: { options: options`-a,--multiple -z,--zero ${kind.value} -s,--suffix` },
  dirname: { prints: true },
  pathchk: {},
  namei: { operands: [many("read")] },
  lsof: {
    ...reads`-a -n -P -t ${kind.value} -p -u -c -d ${kind.optional} -i -F -g -r -s -S ${kind.read} +D +d`,
    more: lookups,
  },
  fuser: reads`-i -v -u ${kind.flagThat("delete")} -k ${kind.read} -m ${kind.value} -n`,
  vipw: { operands: [many("rw")] },
};
