import type { Word } from "../analysis.ts";
import { readInlineSetting, readSetting } from "./git-config.ts";
import { isLoose } from "./found-files.ts";
import { hostOf } from "./hosts.ts";
import {
  file,
  hazard,
  noteListedFiles,
  network,
  runScript,
  unknown,
  type Findings,
} from "./findings.ts";
import { printsHunks } from "./git-prints.ts";
import { isInEffect, optionsNamed, hasOption, valueOf } from "./parsed-args.ts";
import type { Operand, ParsedArgs } from "./program-spec.ts";
import { after, joined, known, mayBeOption, notListed, prefix } from "./word-text.ts";

/** A repository: a URL, a directory, `ext::command` or the name of a remote. */
function repository(at: number, word: Word, out: Findings): void {
  const start = prefix(word);
  if (start.startsWith("ext::")) runScript(out, at, after(word, 5));
  else if (/^[a-z0-9+.-]{1,32}::/i.test(start)) {
    hazard(out, at, "run");
    unknown(out, "dynamic_command", "a repository helper program");
  } else if (start.startsWith("-")) hazard(out, at, "run");
  else if (start.startsWith("file://")) file(out, "read", after(word, 7), { below: true });
  else if (start.includes("://") || /^[^/]{1,512}:/.test(start)) network(out, hostOf(word));
  else if (/^[./~]/.test(start)) file(out, "read", word, { below: true });
  else network(out, undefined);
}

export function connect(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first === undefined) network(out, undefined);
  else repository(first.at, first.word, out);
}

/** Fetches commits. A refspec with a target overwrites a branch. */
export function fetch(use: ParsedArgs, out: Findings): void {
  connect(use, out);
  const [remote, ...refs] = use.operands;
  // An address instead of the name of a remote.
  if (remote !== undefined && !/^[\w-][\w.-]*$/.test(remote.word.text ?? "/"))
    hazard(out, remote.at, "load");
  for (const { at, word } of refs)
    if (word.text === undefined || /^\+|:/.test(word.text)) hazard(out, at, "write");
}

/** Pushes commits. A refspec with `+` forces, one with `:` names another branch, and one without a source deletes it. */
export function push(use: ParsedArgs, out: Findings): void {
  const [, ...refs] = use.operands;
  for (const used of optionsNamed(use, "repo")) repository(used.at, valueOf(used), out);
  connect(use, out);
  for (const { at, word } of refs) {
    if (/^[+:]/.test(prefix(word))) hazard(out, at, "delete");
    else if (word.text === undefined || word.text.includes(":")) hazard(out, at, "write");
  }
}

export function clone(use: ParsedArgs, out: Findings): void {
  const [source, folder] = use.operands;
  for (const used of optionsNamed(use, "config")) readInlineSetting(out, used.at, valueOf(used));
  if (source !== undefined) repository(source.at, source.word, out);
  if (folder !== undefined) file(out, "write", folder.word, { below: true });
  else if (source !== undefined) file(out, "write", known("."));
}

// Placeholders for which git runs the signature checker.
const CHECKS = /%[-+ ]?G|%\(\*?signature/;

/** Records a format that checks signatures. */
export function formats(use: ParsedArgs, out: Findings): void {
  for (const used of [...optionsNamed(use, "format"), ...optionsNamed(use, "pretty")]) {
    if (used.value !== undefined && (used.value.text === undefined || CHECKS.test(used.value.text)))
      hazard(out, used.at, "run");
  }
}

/** Reads what a command shows: files of a revision, and lines of a file. */
export function shows(use: ParsedArgs, out: Findings): void {
  formats(use, out);
  showsObjects(use, out);
  // `-L` has the file after a range or the name of a function.
  for (const used of optionsNamed(use, "L")) {
    const value = valueOf(used);
    file(out, "read", after(value, prefix(value).lastIndexOf(":") + 1));
  }
}

/** Records that git reads the objects named by its input, one per line. */
export function showsListed(use: ParsedArgs, out: Findings): void {
  showsObjects(use, out);
  if (!hasOption(use, "batch batch-command")) return;
  const { input } = out;
  if (input.kind !== "text" || input.text === undefined) return noteListedFiles(out);
  for (const line of input.text.split("\n")) {
    const name = line.replace(/^(?:contents|info) +/, "");
    file(out, "read", known(name.slice(name.indexOf(":") + 1)));
  }
}

const STRATEGIES = /^(?:ort|recursive|resolve|octopus|ours|subtree)$/;

/** `git merge`, which runs a program for a custom strategy. */
export function merges(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "strategy"))
    if (!STRATEGIES.test(valueOf(used).text ?? "")) hazard(out, used.at, "run");
}

/** Records the files that git finds with a pattern, whose wildcards also match slashes and leading dots. */
export function readsPatterns(words: readonly Operand[], out: Findings): void {
  for (const { word } of words) {
    const text = word.text?.replace(/^:(?:\([^)]{0,256}\)|[/!^]{1,2}:?)/, "");
    if (text === undefined || !PATTERN.test(text)) continue;
    const folder = /^(?:[^*?[\\/]*\/)*/.exec(text)?.[0] ?? "";
    const name = text.slice(text.lastIndexOf("/") + 1);
    const only = [isLoose(name) ? "*" : name];
    file(out, "read", known(folder === "" ? "." : folder), { below: true, only });
  }
}

/** Records the file in `revision:path` as read. */
function showsObjects(use: ParsedArgs, out: Findings): void {
  readsPatterns(use.operands, out);
  for (const { word } of use.operands) readsObject(word, out);
}

function readsObject(word: Word, out: Findings): void {
  const colon = prefix(word).indexOf(":");
  file(out, "read", colon > 0 ? after(word, colon + 1) : word);
}

const SECRET_SETTING = /extraheader|token|passw|secret|api-?key/i;

/** Records a setting that is read or changed. */
export function config(use: ParsedArgs, out: Findings): void {
  for (const { value } of optionsNamed(use, "file"))
    if (value !== undefined && value.text !== "-") file(out, "read", value);
  for (const used of optionsNamed(use, "blob")) {
    const value = valueOf(used);
    readsObject(prefix(value).startsWith(":") ? after(value, 1) : value, out);
  }
  const [first, second, third] = use.operands;
  for (const { at, word } of use.operands)
    if (SECRET_SETTING.test(word.text ?? "")) hazard(out, at, "unknown");
  if (isInEffect(use, "get get-all get-regexp get-urlmatch get-color get-colorbool list")) return;
  // A write below `.git` counts as an effect on the repository.
  const target =
    optionsNamed(use, "file")[0]?.value ??
    (hasOption(use, "global")
      ? known("~/.gitconfig")
      : hasOption(use, "system")
        ? known("/etc/gitconfig")
        : undefined);
  if (hasOption(use, "edit") || first?.word.text === "edit") {
    hazard(out, first?.at ?? optionsNamed(use, "edit")[0]?.at ?? 0, "run");
    if (target !== undefined) file(out, "write", target);
    return;
  }
  if (first === undefined || /^(list|get)$/.test(first.word.text ?? "")) return;
  const changes =
    /^(unset|rename-section|remove-section)$/.test(first.word.text ?? "") ||
    hasOption(use, "unset unset-all rename-section remove-section");
  if (changes) hazard(out, first.at, "configure");
  else if (first.word.text === "set" && second !== undefined && third !== undefined)
    readSetting(out, second.at, second.word, third.word);
  else if (second !== undefined) readSetting(out, first.at, first.word, second.word);
  else return;
  if (target !== undefined) file(out, "write", target);
}

/** Records settings given before the subcommand. */
export function settings(use: ParsedArgs, out: Findings): void {
  for (const used of optionsNamed(use, "c")) readInlineSetting(out, used.at, valueOf(used));
  for (const used of optionsNamed(use, "config-env")) {
    hazard(out, used.at, "configure");
    unknown(out, "dynamic_script", "a git setting in the environment");
  }
  if (optionsNamed(use, "exec-path").some(({ value }) => value !== undefined))
    unknown(out, "dynamic_command", "a directory of git programs");
}

/** Records a script that runs in each submodule. */
export function foreach(use: ParsedArgs, out: Findings): void {
  const [first] = use.operands;
  if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

// Git reads these as patterns or relative to the top of the tree, not as paths.
const PATTERN = /[*?[\\]/;
const UNKNOWN: Word = { text: undefined, pieces: [{ hole: "any" }], single: true };
// A glob that the shell leaves as it is finds files in any folder.
const pathspec = (word: Word): Word =>
  prefix(word).startsWith(":") || PATTERN.test(word.text ?? "") ? UNKNOWN : notListed(word);

/** Records which files are restored. Some options restore only the index. */
export function restore(use: ParsedArgs, out: Findings): void {
  const kind = isInEffect(use, "staged") && !hasOption(use, "worktree") ? "read" : "write";
  if (hasOption(use, "pathspec-from-file")) noteListedFiles(out, kind);
  for (const { word } of use.operands) file(out, kind, pathspec(word), { below: true });
}

// Operands that are usually not branch names. `release/1.x` is a branch.
const FILE_LIKE =
  /^[./~:]|\/$|[*?[\\]|(?<!\d)\.[A-Za-z]\w{0,9}$|^(?:[A-Z]\w*file|README|LICENSE|CHANGELOG)$|^(?:src|lib|libs|app|apps|packages|tests?|docs?|scripts|config|public|assets)(?:\/|$)/;

/**
 * Records the files that git checks out: the paths after `--`, or otherwise every operand that may be a path. Their uncommitted
 * work is lost.
 */
export function checkout(use: ParsedArgs, out: Findings): void {
  if (hasOption(use, "pathspec-from-file")) noteListedFiles(out, "write");
  const dash = out.argv.findIndex((word) => word.text === "--");
  const several = use.operands.length > 1;
  for (const [index, { at, word }] of use.operands.entries()) {
    const alone = hasOption(use, "ours theirs") || FILE_LIKE.test(prefix(word));
    if (dash >= 0 ? at > dash : index > 0 || alone) hazard(out, at, "delete");
    if (dash >= 0 ? at > dash : several || alone)
      file(out, "write", pathspec(word), { below: true });
    // Without a file of this name it is a branch.
    else if (dash < 0) file(out, "write", word, { below: true, needs: "anything" });
  }
}

/** Records that changes are removed from the named files, or from all. */
export function stash(use: ParsedArgs, out: Findings): void {
  printsHunks(use, out);
  const [first] = use.operands;
  // The subcommand before the paths has already been read.
  if (use.spec.subs !== undefined && first !== undefined && out.argv[first.at - 1]?.text !== "--")
    return;
  for (const { word } of use.operands) file(out, "write", pathspec(word), { below: true });
  // The repository can restore the other changes.
  if (first === undefined && hasOption(use, "include-untracked all"))
    file(out, "write", known("."), { below: true });
}

export function clean(use: ParsedArgs, out: Findings): void {
  if (isInEffect(use, "dry-run")) return;
  if (use.operands.length === 0) file(out, "delete", known("."), { below: true });
  for (const { word } of use.operands) file(out, "delete", pathspec(word), { below: true });
}

export function remove(use: ParsedArgs, out: Findings): void {
  if (isInEffect(use, "cached dry-run")) return;
  if (hasOption(use, "pathspec-from-file")) noteListedFiles(out, "delete");
  const below = hasOption(use, "r");
  for (const { word } of use.operands) file(out, "delete", pathspec(word), { below });
}

export function formatPatch(use: ParsedArgs, out: Findings): void {
  shows(use, out);
  if (!isInEffect(use, "stdout output-directory output")) file(out, "write", known("."));
}

const APPLIES_NOTHING = "check stat numstat summary cached";

/** Applies a patch in the working directory. With some options it only inspects the patch or changes the index. */
export function applyPatch(use: ParsedArgs, out: Findings): void {
  const open =
    use.unknownOptions.length > 0 ||
    use.operands.some(({ word }) => word.text === undefined && mayBeOption(word));
  if (!open && hasOption(use, APPLIES_NOTHING) && !hasOption(use, "apply reject")) return;
  writePatched(use, out);
}

export function applyMails(use: ParsedArgs, out: Findings): void {
  if (use.unknownOptions.length === 0 && hasOption(use, "quit show-current-patch")) return;
  writePatched(use, out);
}

// A directory prefix is relative to the top of the tree, or to the working directory if there is none.
function writePatched(use: ParsedArgs, out: Findings): void {
  file(out, "write", known("."), { below: true });
  for (const { value } of optionsNamed(use, "directory"))
    if (value !== undefined) file(out, "write", value, { below: true });
}
