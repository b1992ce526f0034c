import type { Word } from "../analysis.ts";
import { readInlineSetting, readSetting } from "./git-config.ts";
import { hostOf } from "./hosts.ts";
import { file, hazard, listed, network, runScript, unknown, type Out } from "./out.ts";
import { stands, uses, usedOf, valueOf, type Use } from "./use.ts";
import { after, joined, known, mayBeOption, prefix } from "./words.ts";

/** Another repository: a URL, a folder, `ext::command`, or the name of a remote. */
function repository(at: number, word: Word, out: Out): void {
  const start = prefix(word);
  if (start.startsWith("ext::")) runScript(out, at, after(word, 5));
  else if (/^[a-z0-9+.-]{1,32}::/i.test(start)) {
    hazard(out, at, "run");
    unknown(out, "dynamic_command", "helper program for a repository");
  } else if (start.startsWith("-")) hazard(out, at, "run");
  else if (start.startsWith("file://")) file(out, "read", after(word, 7), { below: true });
  else if (start.includes("://") || /^[^/]{1,512}:/.test(start)) network(out, hostOf(word));
  else if (/^[./~]/.test(start)) file(out, "read", word, { below: true });
  else network(out, undefined);
}

/** Connects to another repository. */
export function connect(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first === undefined) network(out, undefined);
  else repository(first.at, first.word, out);
}

/** Gets commits; a refspec with a target overwrites a branch. */
export function fetch(use: Use, out: Out): void {
  connect(use, out);
  const [, ...refs] = use.operands;
  for (const { at, word } of refs) if (word.text === undefined || /^\+|:/.test(word.text)) hazard(out, at, "write");
}

/** Sends commits; a refspec with `+` or `:` forces or deletes. */
export function push(use: Use, out: Out): void {
  const [, ...refs] = use.operands;
  for (const used of usedOf(use, "repo")) repository(used.at, valueOf(used), out);
  connect(use, out);
  for (const { at, word } of refs) if (/^[+:]/.test(prefix(word))) hazard(out, at, "delete");
}

/** Copies another repository. */
export function clone(use: Use, out: Out): void {
  const [source, folder] = use.operands;
  for (const used of usedOf(use, "config")) readInlineSetting(out, used.at, valueOf(used));
  if (source !== undefined) repository(source.at, source.word, out);
  if (folder !== undefined) file(out, "write", folder.word, { below: true });
  else if (source !== undefined) file(out, "write", known("."));
}

// With these placeholders git runs the program that checks signatures.
const CHECKS = /%[-+ ]?G|%\(\*?signature/;

/** A format that checks signatures. */
export function formats(use: Use, out: Out): void {
  for (const used of [...usedOf(use, "format"), ...usedOf(use, "pretty")]) {
    if (used.value !== undefined && (used.value.text === undefined || CHECKS.test(used.value.text))) hazard(out, used.at, "run");
  }
}

/** `revision:path` shows that file. */
export function shows(use: Use, out: Out): void {
  formats(use, out);
  for (const { word } of use.operands) {
    const colon = prefix(word).indexOf(":");
    file(out, "read", colon > 0 ? after(word, colon + 1) : word);
  }
}

/** Reads or changes settings. */
export function config(use: Use, out: Out): void {
  for (const { value } of usedOf(use, "file")) if (value !== undefined && value.text !== "-") file(out, "read", value);
  if (stands(use, "get get-all get-regexp get-urlmatch get-color get-colorbool list")) return;
  const [first, second, third] = use.operands;
  // What git writes below its own folder is an effect on the repository.
  const target =
    usedOf(use, "file")[0]?.value ??
    (uses(use, "global") ? known("~/.gitconfig") : uses(use, "system") ? known("/etc/gitconfig") : undefined);
  if (uses(use, "edit") || first?.word.text === "edit") {
    hazard(out, first?.at ?? usedOf(use, "edit")[0]?.at ?? 0, "run");
    if (target !== undefined) file(out, "write", target);
    return;
  }
  if (first === undefined || /^(list|get)$/.test(first.word.text ?? "")) return;
  const changes =
    /^(unset|rename-section|remove-section)$/.test(first.word.text ?? "") || uses(use, "unset unset-all rename-section remove-section");
  if (changes) hazard(out, first.at, "configure");
  else if (first.word.text === "set" && second !== undefined && third !== undefined) readSetting(out, second.at, second.word, third.word);
  else if (second !== undefined) readSetting(out, first.at, first.word, second.word);
  else return;
  if (target !== undefined) file(out, "write", target);
}

/** Settings before the subcommand. */
export function settings(use: Use, out: Out): void {
  for (const used of usedOf(use, "c")) readInlineSetting(out, used.at, valueOf(used));
  for (const used of usedOf(use, "config-env")) {
    hazard(out, used.at, "configure");
    unknown(out, "dynamic_script", "setting of git in the environment");
  }
  if (usedOf(use, "exec-path").some(({ value }) => value !== undefined)) unknown(out, "dynamic_command", "folder of programs for git");
}

/** A script for each submodule. */
export function foreach(use: Use, out: Out): void {
  const [first] = use.operands;
  if (first !== undefined) runScript(out, first.at, joined(use.operands.map(({ word }) => word)));
}

// Git reads these as patterns, or from its topmost folder, and not as paths.
const PATTERN = /[*?[\\]/;
const UNKNOWN: Word = { text: undefined, pieces: [{ hole: "any" }], single: true };
const pathspec = (word: Word): Word => (prefix(word).startsWith(":") || PATTERN.test(word.text ?? "") ? UNKNOWN : word);

/** Files are written as they were. */
export function restore(use: Use, out: Out): void {
  if (uses(use, "pathspec-from-file")) listed(out, "write");
  for (const { word } of use.operands) file(out, "write", pathspec(word), { below: true });
}

/** Paths after `--`, or without it every operand that is no branch for sure. */
export function checkout(use: Use, out: Out): void {
  if (uses(use, "pathspec-from-file")) listed(out, "write");
  const dash = out.argv.findIndex((word) => word.text === "--");
  for (const { at, word } of use.operands)
    if (dash >= 0 ? at > dash : use.operands.length > 1 || word.text === "." || pathspec(word) === UNKNOWN)
      file(out, "write", pathspec(word), { below: true });
}

/** Deletes what is not tracked. */
export function clean(use: Use, out: Out): void {
  if (stands(use, "dry-run")) return;
  if (use.operands.length === 0) file(out, "delete", known("."), { below: true });
  for (const { word } of use.operands) file(out, "delete", pathspec(word), { below: true });
}

/** Deletes files. */
export function remove(use: Use, out: Out): void {
  if (stands(use, "cached dry-run")) return;
  if (uses(use, "pathspec-from-file")) listed(out, "delete");
  const below = uses(use, "r");
  for (const { word } of use.operands) file(out, "delete", pathspec(word), { below });
}

/** Writes patches into the folder. */
export function formatPatch(use: Use, out: Out): void {
  if (!stands(use, "stdout output-directory output")) file(out, "write", known("."));
}

const APPLIES_NOTHING = "check stat numstat summary cached";

/** Applies a patch to the folder it is started in; with some options it only looks at the patch, or changes the index alone. */
export function applyPatch(use: Use, out: Out): void {
  const open = use.strange.length > 0 || use.operands.some(({ word }) => word.text === undefined && mayBeOption(word));
  if (!open && uses(use, APPLIES_NOTHING) && !uses(use, "apply reject")) return;
  writePatched(use, out);
}

/** Applies the patches of mails. */
export function applyMails(use: Use, out: Out): void {
  if (use.strange.length === 0 && uses(use, "quit show-current-patch")) return;
  writePatched(use, out);
}

// A folder that stands before all names is below the topmost one or, where there is none, below this one.
function writePatched(use: Use, out: Out): void {
  file(out, "write", known("."), { below: true });
  for (const { value } of usedOf(use, "directory")) if (value !== undefined) file(out, "write", value, { below: true });
}
