import type { Word } from "../analysis.ts";
import { doubtStart, runArgv } from "./apply.ts";
import { readCompleted } from "./nested.ts";
import { file, hazard, runScript, unknown, type Out } from "./out.ts";
import type { Spec } from "./spec.ts";
import { readUse, uses, usedOf, type Use } from "./use.ts";
import { joined, known, unknownWord } from "./words.ts";

const XARGS: Spec = {
  options: `-0,--null -a,--arg-file=read -d,--delimiter= -E= -e,--eof? -I= -i,--replace? -L= -l,--max-lines? -n,--max-args= -o,--open-tty
    -P,--max-procs= -p,--interactive --process-slot-var= -r,--no-run-if-empty -s,--max-chars= --show-limits -t,--verbose -x,--exit
    -J= -R= -S= --help --version`,
  posix: true,
};

function readFiles(use: Use, out: Out): void {
  for (const used of use.options) if (used.option.role === "read" && used.value !== undefined) file(out, "read", used.value);
}

/** xargs: a command, completed by words of the input. */
export function readXargs(out: Out, from: number): void {
  const use = readUse(XARGS, out.argv, from, { posix: true });
  readFiles(use, out);
  const [first] = use.operands;
  if (first === undefined) return;
  runArgv(out, first.at, { open: true });
  doubtStart(use, out);
  const replaced = [...usedOf(use, "I"), ...usedOf(use, "replace"), ...usedOf(use, "J")].at(-1);
  const mark = replaced === undefined ? undefined : (replaced.value?.text ?? "{}");
  const words = use.operands.map(({ word }) => word);
  if (replaced !== undefined)
    readCompleted(
      out,
      words.map((word) => complete(word, mark === "" ? "{}" : (mark ?? "{}"))),
    );
  else readCompleted(out, [...words, unknownWord({ single: false })]);
}

function complete(word: Word, mark: string): Word {
  if (word.text?.includes(mark) !== true) return word;
  const pieces: Word["pieces"][number][] = [];
  word.text.split(mark).forEach((part, index) => {
    if (index > 0) pieces.push({ hole: "any" });
    if (part !== "") pieces.push(part);
  });
  return { text: undefined, pieces, single: true };
}

const PARALLEL: Spec = {
  options: `-0,--null -a,--arg-file=read -j,-P,--jobs,--max-procs= -I= -k,--keep-order -n,--max-args= -N,--max-replace-args= -L,-l= -m,--xargs -X
    -q,--quote -r,--no-run-if-empty -t,--verbose -u,--ungroup -v --dry-run --bar --eta --progress --halt,--halt-on-error= --joblog=write!w
    --results=write!w --tmpdir=write --tempdir=write -S,--sshlogin=host --sshloginfile=load --slf=load --retries= --delay= --timeout= --colsep,-C= -d,--delimiter=
    --tag --tagstring= --line-buffer --lb --pipe --pipepart --block= --recstart= --recend= --shebang --env= --workdir,--wd= --load= --memfree=
    --nice= --no-notice --will-cite --citation --resume --resume-failed --semaphore --id= --fg --bg --wait -i? --header= --plus --profile,-J=load`,
  posix: true,
};

/** GNU parallel: words joined to a script, completed by the words after `:::` or the input. */
export function readParallel(out: Out, from: number): void {
  const use = readUse(PARALLEL, out.argv, from, { posix: true });
  readFiles(use, out);
  for (const used of use.options) if (used.option.does !== undefined) hazard(out, used.at, used.option.does);
  const end = use.operands.findIndex(({ word }) => /^::::?\+?$/.test(word.text ?? ""));
  const words = end < 0 ? use.operands : use.operands.slice(0, end);
  const [first] = words;
  if (first === undefined) {
    // The lines of the input, or the words after `:::`, are the commands.
    out.carries = true;
    for (const { at, word } of use.operands.slice(end + 1)) if (end >= 0) runScript(out, at, word);
    if (end < 0 || use.operands.slice(end + 1).some(({ word }) => word.text?.startsWith(":::") === true)) {
      unknown(out, "dynamic_script", "commands in the input of `parallel`");
    }
    return;
  }
  const script = joined(words.map(({ word }) => word));
  const text = script.text === undefined ? undefined : script.text;
  runScript(out, first.at, text === undefined ? script : known(text));
  // Most marks are in braces; without one the words come last.
  const argv = words.map(({ word }) => completeBraces(word));
  readCompleted(out, argv.some((word, index) => word !== words[index]?.word) ? argv : [...argv, unknownWord({ single: false })]);
  if (end >= 0) out.carries = true;
}

function completeBraces(word: Word): Word {
  const { text } = word;
  if (text === undefined || !/\{[^{} ]*\}/.test(text)) return word;
  const [head = ""] = text.split("{");
  return { text: undefined, pieces: head === "" ? [{ hole: "any" }] : [head, { hole: "any" }], single: true };
}

const FD: Spec = {
  options: `-H,--hidden -I,--no-ignore -u,--unrestricted -s,--case-sensitive -i,--ignore-case -g,--glob -F,--fixed-strings -a,--absolute-path
    -l,--list-details -L,--follow -p,--full-path -d,--max-depth= --min-depth= --exact-depth= -t,--type= -e,--extension= -S,--size= -o,--owner=
    -E,--exclude= --ignore-file=read -c,--color= -j,--threads= -0,--print0 -q,--quiet -1 --max-results= -C,--base-directory=dir --search-path=read
    --changed-within= --changed-before= --format= --batch-size= --path-separator= --strip-cwd-prefix? --one-file-system --gen-completions? --and=
    --regex --prune --show-errors --no-ignore-vcs --no-require-git -h -V -x,--exec -X,--exec-batch`,
};

/** fd: a search, and after -x or -X a command. */
export function readFd(out: Out, from: number): void {
  const { argv } = out;
  const exec = argv.findIndex((word, at) => at >= from && isExec(word.text));
  const use = readUse(FD, exec < 0 ? argv : argv.slice(0, exec), from, { posix: false });
  readFiles(use, out);
  if (uses(use, "base-directory")) {
    for (const used of usedOf(use, "base-directory")) if (used.value !== undefined) file(out, "read", used.value, { below: true });
  }
  const paths = use.operands.slice(1);
  const walk = { below: true, follows: uses(use, "follow") };
  for (const { word } of paths) file(out, "read", word, walk);
  if (paths.length === 0) file(out, "read", known("."), walk);
  if (exec < 0) return;
  hazard(out, exec, "run");
  const end = argv.findIndex((word, at) => at > exec && word.text === ";");
  const until = end < 0 ? argv.length : end;
  const text = argv[exec]?.text ?? "";
  if (text.includes("=") || (!text.startsWith("--") && !/[xX]$/.test(text))) {
    const script = text.startsWith("--") ? text.slice(text.indexOf("=") + 1) : text.slice(text.search(/[xX]/) + 1);
    runScript(out, exec, joined([known(script), ...argv.slice(exec + 1, until)]));
    return;
  }
  if (exec + 1 >= until) return;
  runArgv(out, exec + 1, { until, open: true });
  const words = argv.slice(exec + 1, until);
  const completed = words.map(completeBraces);
  readCompleted(out, completed.some((word, index) => word !== words[index]) ? completed : [...words, unknownWord({ single: true })]);
}

function isExec(text: string | undefined): boolean {
  if (text === undefined) return false;
  if (/^--exec(-batch)?(=|$)/.test(text)) return true;
  return /^-[HIusiFgalLp0q1]*[xX]/.test(text);
}
