import type { Word } from "../analysis.ts";
import { isAscii } from "../parse/characters.ts";
import { abbreviates } from "./gnu-names.ts";
import { hostOf } from "./hosts.ts";
import {
  file,
  FORMATTED,
  hazard,
  inlineCode,
  isInput,
  noteListedFiles,
  network,
  runScript,
  unknown,
  type Findings,
  type FolderScope,
} from "./findings.ts";
import { grammarOf } from "./grammar.ts";
import { noteOptionNames, UNIVERSAL } from "./option-names.ts";
import { parseArgs, isInEffect, hasOption } from "./parsed-args.ts";
import type { OperandRole, Role } from "./option-groups.ts";
import type { Option, Spec, ParsedArgs } from "./program-spec.ts";
import { after, baseName, known, mayBeOption, printsAnyWords, prefix, seen } from "./word-text.ts";
import { isSubstitution } from "./perl-code.ts";
import { pathOf } from "./path-of-word.ts";
import { fullSubcommandName } from "./subcommand-name.ts";
import { walkOf } from "./folder-scope.ts";

/** Reads argv from a position on, according to the spec. */
export function apply(spec: Spec, out: Findings, from: number): void {
  if (spec.read !== undefined) {
    spec.read(out, from);
    return;
  }
  const posix = spec.posix === true || spec.subs !== undefined || spec.wrap !== undefined;
  const use = parseArgs(spec, out.argv, from, { posix });
  if (spec.inert !== undefined && isInEffect(use, spec.inert)) return;
  if (spec.network === true) network(out, undefined);
  if (spec.privilege === true) out.effects.push({ kind: "privilege" });
  if (spec.carries === true) out.carries = true;
  readOptions(use, out);
  if (spec.subs !== undefined) readSub(spec.subs, spec, use, out);
  else if (spec.wrap !== undefined) readWrapped(spec.wrap, use, out);
  else readOperands(use, out);
  spec.more?.(use, out);
}

/** Records what the given options do. */
export function readOptions(use: ParsedArgs, out: Findings): void {
  const quiet = use.spec.quiet !== undefined && isInEffect(use, use.spec.quiet);
  const short = abbreviates(out.argv[0]?.text ?? "");
  for (const { option, at, value } of use.options) {
    if (!short && isAbbreviation(option, out.argv[at])) hazard(out, at, "unknown");
    if (option.role === "write" && value?.text !== undefined && NOWHERE.has(value.text)) continue;
    if (option.does !== undefined && !(quiet && option.does === "write" && option.value === "none"))
      hazard(out, at, option.does);
    if (value !== undefined && option.role === "dir" && option.does === "load")
      file(out, "project", value);
    if (value !== undefined && option.role !== "data")
      applyRole(option.role, value, at, use.spec, out, undefined);
  }
  for (const { at, word } of use.unknownOptions) readStrange(at, word, use.spec, out);
}

// The whole name may belong to another option, which the table does not list.
function isAbbreviation({ spelled }: Option, word: Word | undefined): boolean {
  const start = word === undefined ? "" : prefix(word);
  if (!start.startsWith("--") || !spelled.startsWith("--")) return false;
  return start !== spelled && start.split("=", 1)[0] !== spelled;
}

const NOWHERE: ReadonlySet<string> = new Set(["-", "/dev/null", "/dev/stdout", "/dev/stderr"]);

// Option names that mean, in many programs, that their value is run or written.
const RUNS =
  /^--?(exec|execute|eval|shell|command|rsh|pager|editor|preload|filter|hook|plugin|pre-?script|post-?script)/;
const WRITES = /^--?(out|output|outfile|save|write|in-?place|log-?file|dump|delete|remove)/;

function readStrange(at: number, word: Word, { prints }: Spec, out: Findings): void {
  const start = prefix(word);
  if (RUNS.test(start)) hazard(out, at, "run");
  else if (WRITES.test(start)) hazard(out, at, "write");
  else if (prints !== true && !UNIVERSAL.test(start)) hazard(out, at, "unknown");
  const sign = start.indexOf("=");
  if (sign < 0) return;
  const value = after(word, sign + 1);
  file(out, "read", value);
  file(out, "write", value);
}

function readOperands(use: ParsedArgs, out: Findings): void {
  const { spec } = use;
  if (use.operands.length === 0 && spec.alone !== undefined) {
    readAlone(spec.alone, walkOf(use), out);
    return;
  }
  if (spec.operands === undefined) return;
  const quiet = spec.quiet !== undefined && isInEffect(use, spec.quiet);
  const walk = walkOf(use);
  const roles = rolesFor(use);
  for (let index = 0; index < use.operands.length; index++) {
    const operand = use.operands[index];
    const wanted = roles[index];
    if (operand === undefined || wanted === undefined) break;
    const { role, does } = wanted;
    if (does !== undefined && !quiet) hazard(out, operand.at, does);
    applyRole(quiet && role !== "data" ? "read" : role, operand.word, operand.at, spec, out, walk);
    if (role === "exec") out.carriesFrom ??= operand.at + 1;
  }
  // A glob may find several names, and the last one may be what the program writes.
  const last = roles.findLastIndex(({ role }) => role === "write");
  const does = roles[last]?.does;
  for (const { word, at } of use.operands.slice(0, Math.max(last, 0))) {
    if (word.globbed !== true) continue;
    if (does !== undefined) hazard(out, at, does);
    file(out, "write", word, walk);
  }
  if (
    spec.alone !== undefined &&
    roles.every(({ role, does }) => role === "data" && does === undefined)
  ) {
    readAlone(spec.alone, walk, out);
  }
}

function readAlone(
  alone: NonNullable<Spec["alone"]>,
  walk: FolderScope | undefined,
  out: Findings,
): void {
  if (alone !== "walked") file(out, alone, known("."), walk);
  else if (walk !== undefined) file(out, "read", known("."), walk);
}

// Assigns a role to each operand.
function rolesFor(use: ParsedArgs): readonly OperandRole[] {
  const { spec, operands } = use;
  let roles = grammarOf(spec).operands;
  if (spec.noFirst !== undefined && hasOption(use, spec.noFirst)) roles = roles.slice(1);
  if (spec.noLast !== undefined && hasOption(use, spec.noLast)) roles = roles.slice(0, -1);
  const star = roles.findIndex(({ repeats }) => repeats);
  const repeated = roles[star];
  if (repeated === undefined) return roles;
  const all = roles.slice(0, star);
  for (let count = operands.length - roles.length + 1; count > 0; count--) all.push(repeated);
  for (let at = star + 1; at < roles.length; at++) all.push(roles[at] ?? repeated);
  return all;
}

/** Records what the program does with a word of this role. */
export function applyRole(
  role: Role,
  word: Word,
  at: number,
  spec: Spec,
  out: Findings,
  more: FolderScope | undefined,
): void {
  switch (role) {
    case "data":
      return;
    case "read":
      if (word.text !== "-") file(out, "read", word, more);
      return;
    case "list":
      if (word.text !== "-") file(out, "read", word);
      noteListedFiles(out);
      return;
    case "write":
      if (word.text !== "-") file(out, "write", word, more);
      return;
    case "rw":
      file(out, "read", word, more);
      // Only formatters change everything below a directory.
      file(out, "write", word, more?.below === true ? FORMATTED : more);
      return;
    case "move":
      file(out, "read", word, { below: true });
      file(out, "delete", word, { below: true });
      return;
    case "delete":
      return file(out, "delete", word, more);
    case "exec":
      if (isInput(word))
        unknown(out, "inline_code", `input of \`${out.argv[0]?.text ?? "?"}\`, which runs as code`);
      file(out, "read", word);
      return file(out, "execute", word);
    case "load":
      hazard(out, at, "load");
      file(out, "read", word);
      return file(out, "execute", word);
    case "host":
      return network(out, word.text);
    case "url":
      return network(out, hostOf(word));
    case "remote":
      return readRemote(word, out);
    case "script":
      return runScript(out, at, word);
    case "code":
      if (word.text !== undefined && onlyPrints(baseName(out.argv[0]?.text ?? ""), word.text))
        return;
      return inlineCode(out, at, `code in the arguments of \`${out.argv[0]?.text ?? "?"}\``);
    case "dir":
      file(out, "read", word);
      out.base = pathOf(word, out.base);
  }
}

const LITERAL =
  /^(?:-?\d{1,32}(?:\.\d{1,32})?|"[^"\\\n]*"|'[^'\\\n]*'|process\.(?:version|versions\.node|platform|arch))$/;

// Code that only prints a constant.
function onlyPrints(program: string, code: string): boolean {
  if (/^perl[\d.]*$/.test(program)) return isSubstitution(code);
  if (/^node(js)?$/.test(program))
    return LITERAL.test(/^\s*console\.log\((.*)\)\s*;?\s*$/.exec(code)?.[1] ?? code.trim());
  const printed = /^python[\d.]*$/.test(program)
    ? /^\s*print\((.*)\)\s*$/.exec(code)?.[1]
    : undefined;
  return printed !== undefined && LITERAL.test(printed) && !printed.startsWith("process");
}

// `host:path`, or a local path.
function readRemote(word: Word, out: Findings): void {
  const start = prefix(word);
  const colon = start.indexOf(":");
  const slash = start.indexOf("/");
  if (colon > 0 && (slash < 0 || colon < slash)) network(out, hostOf(word));
  else {
    file(out, "read", word, { below: true });
    file(out, "write", word, { below: true });
  }
}

function readSub(
  subs: Readonly<Record<string, Spec>>,
  spec: Spec,
  use: ParsedArgs,
  out: Findings,
): void {
  const [first] = use.operands;
  if (first === undefined) return;
  const written = first.word.text;
  const name = written === undefined ? undefined : fullSubcommandName(spec, written);
  const sub = name !== undefined && Object.hasOwn(subs, name) ? subs[name] : undefined;
  // Letters of other alphabets can look like those of a known subcommand.
  if (!isAscii(seen(first.word)))
    unknown(out, "syntax", `subcommand \`${seen(first.word)}\`, which is not plain ASCII`);
  if (spec.vcs === true) out.effects.push({ kind: "vcs", action: name ?? "?" });
  if (sub === undefined) {
    out.carries = true;
    if (spec.extensible === true) hazard(out, first.at, "run");
    const fallback = subs["*"];
    if (fallback !== undefined) apply(fallback, out, first.at + 1);
    else noteOptionNames(out, first.at + 1);
    return;
  }
  if (sub.does !== undefined) hazard(out, first.at, sub.does);
  apply(sub, out, first.at + 1);
}

/** Reads a command that begins at an operand of a wrapper. */
export function readWrapped(skip: number, use: ParsedArgs, out: Findings): void {
  const first = use.operands[skip];
  if (first === undefined) return;
  // What a transparent wrapper runs is decided as a command of its own.
  if (use.spec.transparent === true && first.word.text !== undefined)
    out.runs.push({ kind: "argv", from: first.at });
  else runArgv(out, first.at);
  noteUnclearStart(use, out);
}

/** Records that the start of a command is unclear, because an option before it is unknown. */
export function noteUnclearStart(use: ParsedArgs, out: Findings): void {
  if (use.unknownOptions.length === 0) return;
  out.carries = true;
  unknown(
    out,
    "dynamic_command",
    `a command after an unrecognized option of \`${out.argv[0]?.text ?? "?"}\``,
  );
}

/** Records that the words from a position on are a command. */
export function runArgv(
  out: Findings,
  from: number,
  more: { readonly until?: number; readonly open?: boolean; readonly remote?: boolean } = {},
): void {
  const word = out.argv[from];
  const prints = more.open === true && printsAnyWords(word);
  if (!prints) hazard(out, from, "run");
  out.runs.push({ kind: "argv", from, ...more, ...(prints && { open: false }) });
  if (word !== undefined && mayBeOption(word) && word.text === undefined) {
    out.unknown.push({ code: "dynamic_command", what: "a program known only at run time" });
  }
}
