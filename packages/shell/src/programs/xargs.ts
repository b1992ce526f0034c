import type { Word } from "../analysis.ts";
import { LIMITS } from "../limits.ts";
import { anyFound, completeWord, type Finding } from "./found-files.ts";
import { noteUnclearStart, runArgv } from "./apply-spec.ts";
import { readCompleted } from "./completed-command.ts";
import { file, hazard, runScript, unknown, type Findings, noteUnlisted } from "./findings.ts";
import { parseArgs, optionsNamed, hasOption } from "./parsed-args.ts";
import type { Spec, ParsedArgs } from "./program-spec.ts";
import { joined, known, unknownWord } from "./word-text.ts";
import { kind, options } from "./option-groups.ts";

const XARGS: Spec = {
  options: options`-0,--null -o,--open-tty -p,--interactive -r,--no-run-if-empty --show-limits -t,--verbose --help --version ${kind.read}
    -a,--arg-file ${kind.value} -d,--delimiter -E -I -L -J -R -S ${kind.optional} -e,--eof -i,--replace -l,--max-lines
    ${kind.value} -n,--max-args -P,--max-procs -s,--max-chars ${kind.flag} -x,--exit ${kind.valueThat("configure")} --process-slot-var`,
  posix: true,
};

function readFiles(use: ParsedArgs, out: Findings): void {
  noteUnlisted(use, out);
  for (const used of use.options)
    if (used.option.role === "read" && used.value !== undefined) file(out, "read", used.value);
}

/** Reads xargs: a command that is completed by words from standard input. */
export function readXargs(out: Findings, from: number): void {
  const use = parseArgs(XARGS, out.argv, from, { posix: true });
  readFiles(use, out);
  // xargs sets this variable for the commands it runs, and it may be `PATH`.
  for (const { at } of optionsNamed(use, "process-slot-var")) hazard(out, at, "configure");
  const [first] = use.operands;
  if (first === undefined) return;
  const mark = markOf(use);
  const words = use.operands.map(({ word }) => word);
  const files = filesFor(use, out);
  if (files !== undefined) {
    for (const finding of files)
      out.runs.push({ kind: "argv", from: first.at, words: withFiles(words, mark, finding) });
    return;
  }
  runArgv(out, first.at, { open: true });
  noteUnclearStart(use, out);
  if (mark === undefined || !isClear(use))
    readCompleted(out, [...words, unknownWord({ single: false })]);
  if (mark !== undefined)
    readCompleted(
      out,
      words.map((word) => completeWord(word, mark, undefined)),
    );
}

const replacedBy = (use: ParsedArgs): ParsedArgs["options"] =>
  ["I", "replace", "J"].flatMap((name) => optionsNamed(use, name));

// Whether it is certain where the words from the input go: the last of several such options wins.
const isClear = (use: ParsedArgs): boolean =>
  replacedBy(use).length + (hasOption(use, "max-args max-lines L") ? 1 : 0) <= 1;

// The text that is replaced by words from the input. Undefined: they are appended.
function markOf(use: ParsedArgs): string | undefined {
  const replaced = replacedBy(use).at(-1);
  if (replaced === undefined) return undefined;
  const text = replaced.value === undefined ? "{}" : replaced.value.text;
  return text === undefined || text === "" ? "{}" : text;
}

// The files whose paths come through the pipe, if it is known how these are separated.
function filesFor(use: ParsedArgs, { input }: Findings): readonly Finding[] | undefined {
  if (input.kind !== "pipe" || input.files === undefined) return undefined;
  if (use.unknownOptions.length > 0 || hasOption(use, "arg-file J") || !isClear(use))
    return undefined;
  const delimiters = optionsNamed(use, "delimiter").map(({ value }) => value?.text ?? "");
  if (delimiters.some((text) => !/^(\n|\\n|\\0)$/.test(text))) return undefined;
  const { files, zero } = input.files;
  const byZero = hasOption(use, "null") || delimiters.includes("\\0");
  if ((zero && !byZero) || files.length > LIMITS.places) return undefined;
  // Without a folder, a name could still be an option.
  return byZero ? files.map((finding) => ({ ...finding, splits: finding.lead === "" })) : files;
}

function withFiles(
  words: readonly Word[],
  mark: string | undefined,
  finding: Finding,
): readonly Word[] {
  return mark === undefined
    ? [...words, ...anyFound(finding)]
    : words.map((word) => completeWord(word, mark, finding));
}

const PARALLEL: Spec = {
  options: options`-0,--null -k,--keep-order -m,--xargs -X -q,--quote -r,--no-run-if-empty -t,--verbose -u,--ungroup -v --dry-run --bar
    --eta --progress --line-buffer --lb --pipe --pipepart --no-notice --resume --resume-failed --fg --bg --plus ${kind.read} -a,--arg-file
    ${kind.value} -j,-P,--jobs,--max-procs -I -n,--max-args -N,--max-replace-args -L,-l --halt,--halt-on-error --retries --delay
    --colsep,-C -d,--delimiter --block --recstart --recend --env --workdir,--wd --load --memfree --nice --id --header ${kind.write}
    --joblog --results ${kind.takes("write")} --tmpdir --tempdir ${kind.takes("host")} -S,--sshlogin ${kind.takes("load")} --sshloginfile
    --slf --profile,-J ${kind.value} --timeout ${kind.flag} --tag --shebang --will-cite --citation --semaphore --wait ${kind.value}
    --tagstring ${kind.optional} -i`,
  posix: true,
};

/** GNU parallel: words joined to a script, completed by words after `:::` or from standard input. */
export function readParallel(out: Findings, from: number): void {
  const use = parseArgs(PARALLEL, out.argv, from, { posix: true });
  readFiles(use, out);
  for (const used of use.options)
    if (used.option.does !== undefined) hazard(out, used.at, used.option.does);
  const end = use.operands.findIndex(({ word }) => /^::::?\+?$/.test(word.text ?? ""));
  const words = end < 0 ? use.operands : use.operands.slice(0, end);
  const [first] = words;
  if (first === undefined) {
    // Each line of standard input, or each word after `:::`, is a command.
    out.carries = true;
    for (const { at, word } of use.operands.slice(end + 1)) if (end >= 0) runScript(out, at, word);
    if (
      end < 0 ||
      use.operands.slice(end + 1).some(({ word }) => word.text?.startsWith(":::") === true)
    ) {
      unknown(out, "dynamic_script", "commands in the input of `parallel`");
    }
    return;
  }
  const script = joined(words.map(({ word }) => word));
  const text = script.text === undefined ? undefined : script.text;
  runScript(out, first.at, text === undefined ? script : known(text));
  // Most placeholders have braces. Without one, the words are appended.
  const argv = words.map(({ word }) => completeBraces(word));
  readCompleted(
    out,
    argv.some((word, index) => word !== words[index]?.word)
      ? argv
      : [...argv, unknownWord({ single: false })],
  );
  if (end >= 0) out.carries = true;
}

function completeBraces(word: Word): Word {
  const { text } = word;
  if (text === undefined || !/\{[^{} ]*\}/.test(text)) return word;
  const [head = ""] = text.split("{");
  return {
    text: undefined,
    pieces: head === "" ? [{ hole: "any" }] : [head, { hole: "any" }],
    single: true,
  };
}

export const FD: Spec = {
  options: options`-H,--hidden -I,--no-ignore -u,--unrestricted -s,--case-sensitive -i,--ignore-case -g,--glob -F,--fixed-strings
    -a,--absolute-path -l,--list-details -L,--follow -p,--full-path -0,--print0 -q,--quiet -1 --regex --prune --no-ignore-vcs
    --no-require-git -h -V ${kind.value} -d,--max-depth --min-depth --exact-depth -t,--type -e,--extension -S,--size -o,--owner
    -E,--exclude -c,--color -j,--threads --max-results --changed-within --changed-before --format --path-separator --and ${kind.read}
    --ignore-file --search-path ${kind.takes("dir")} -C,--base-directory ${kind.value} --batch-size ${kind.optional} --strip-cwd-prefix
    --gen-completions ${kind.flag} --one-file-system --show-errors -x,--exec -X,--exec-batch`,
};

/** Reads fd: a search, with a command after `-x` or `-X`. */
export function readFd(out: Findings, from: number): void {
  const { argv } = out;
  const exec = argv.findIndex((word, at) => at >= from && isExec(word.text));
  const use = parseArgs(FD, exec < 0 ? argv : argv.slice(0, exec), from, { posix: false });
  readFiles(use, out);
  if (hasOption(use, "base-directory")) {
    for (const used of optionsNamed(use, "base-directory"))
      if (used.value !== undefined) file(out, "read", used.value, { below: true });
  }
  const paths = use.operands.slice(1);
  const walk = { below: true, follows: hasOption(use, "follow") };
  for (const { word } of paths) file(out, "read", word, walk);
  if (paths.length === 0) file(out, "read", known("."), walk);
  if (exec < 0) return;
  hazard(out, exec, "run");
  const end = argv.findIndex((word, at) => at > exec && word.text === ";");
  const until = end < 0 ? argv.length : end;
  const text = argv[exec]?.text ?? "";
  if (text.includes("=") || (!text.startsWith("--") && !/[xX]$/.test(text))) {
    const script = text.startsWith("--")
      ? text.slice(text.indexOf("=") + 1)
      : text.slice(text.search(/[xX]/) + 1);
    runScript(out, exec, joined([known(script), ...argv.slice(exec + 1, until)]));
    return;
  }
  if (exec + 1 >= until) return;
  runArgv(out, exec + 1, { until, open: true });
  const words = argv.slice(exec + 1, until);
  const completed = words.map(completeBraces);
  readCompleted(
    out,
    completed.some((word, index) => word !== words[index])
      ? completed
      : [...words, unknownWord({ single: true })],
  );
}

function isExec(text: string | undefined): boolean {
  if (text === undefined) return false;
  if (/^--exec(-batch)?(=|$)/.test(text)) return true;
  return /^-[HIusiFgalLp0q1]*[xX]/.test(text);
}
