import type { Word } from "../analysis.ts";
import { runArgv } from "./apply-spec.ts";
import { readCompleted } from "./completed-command.ts";
import {
  beginsExpression,
  endOfCommand,
  readExpression,
  RUNS,
  TAKES,
  type FindExpression,
  type Matched,
} from "./find-expression.ts";
import { file, hazard, type FileKind, type Findings } from "./findings.ts";
import {
  isLoose,
  completeWord,
  findingAt,
  severalFound,
  some,
  type Finding,
  type Listing,
} from "./found-files.ts";
import { namedBelow, pathOf } from "./path-of-word.ts";
import { known, prefix, unknownWord } from "./word-text.ts";

const split = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const TESTS =
  split(`-print -print0 -ls -prune -quit -o -or -a -and -not -empty -true -false -readable -writable -executable -nouser -nogroup
  -mount -xdev -x -depth -d -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -follow -help --help -version --version
  -X -H -L -P`);
const READS = split("-newer -anewer -cnewer -samefile");
const WRITES = split("-fprint -fprint0 -fls");
const NAMES = split("-name -iname -path -ipath -wholename -iwholename");
const MAX_NAMES = 8;

/** find: starting points, then an expression. */
export function readFind(out: Findings, from: number): void {
  const { argv } = out;
  const { starts, follows, expression: at } = readStarts(argv, from);
  const found: Found = {
    starts,
    follows,
    noted: new Set(),
    names: namesIn(argv, at),
    acted: new Set(),
    expression: readExpression(argv, at),
  };
  note(out, found, "read");
  for (let next = at; next < argv.length; next++) next = readPrimary(out, next, found);
}

interface Starts {
  readonly starts: readonly Word[];
  readonly follows: boolean;
  /** The position at which the expression begins. */
  readonly expression: number;
}

function readStarts(argv: readonly Word[], from: number): Starts {
  let at = from;
  let follows = argv.some((word, index) => index >= from && word.text === "-follow");
  for (; isLeading(argv[at]); at += argv[at]?.text === "-D" ? 2 : 1)
    follows ||= /^-[HLPEXdsx]*L/.test(argv[at]?.text ?? "");
  const starts: Word[] = [];
  for (; at < argv.length && !beginsExpression(argv[at]); at++) {
    const word = argv[at];
    if (word !== undefined && word.text !== "-f" && word.text !== "--") starts.push(word);
  }
  if (starts.length === 0) starts.push(known("."));
  return { starts, follows, expression: at };
}

/**
 * The files that `find` prints, if it prints nothing but paths. `prints`: whether a command that it runs prints the paths of some of its
 * files, marked by `{}`, and nothing else.
 */
export function listedByFind(
  argv: readonly Word[],
  from: number,
  prints: (command: readonly Word[]) => boolean,
): Listing | undefined {
  const { starts, follows, expression: at } = readStarts(argv, from);
  // What lies behind links is not looked for.
  if (follows) return undefined;
  const { actions, result } = readExpression(argv, at);
  const words = argv.slice(at).map(({ text }) => text);
  if (words.some((text) => text === undefined || text.startsWith("-files0"))) return undefined;
  const printed = [...actions].map(([position, matched]) => {
    const end = endOfCommand(argv, position);
    const name = argv[position]?.text;
    const runs = name === "-exec" && prints(argv.slice(position + 1, end));
    return { name, position, runs, matched };
  });
  if (printed.some(({ name, runs }) => !runs && name !== "-print" && name !== "-print0"))
    return undefined;
  const zero = printed.some(({ name }) => name === "-print0");
  if (zero && printed.some(({ name }) => name !== "-print0")) return undefined;
  const read = new Set(printed.flatMap(({ runs, position }) => (runs ? [position] : [])));
  if (words.some((text, index) => UNSURE.test(text ?? "") && !read.has(at + index)))
    return undefined;
  const all = printed.length === 0 ? [result] : printed.map(({ matched }) => matched);
  const files = filesAt({ starts, follows, names: namesIn(argv, at) }, all, { splits: true });
  const listing = { files, zero };
  return read.size > 0 ? some(listing) : listing;
}

// Actions that run or print something, in an expression that could not be read.
const UNSURE = /^-(exec|ok|printf|ls|delete)/;

function filesAt(
  { starts, follows, names }: Pick<Found, "starts" | "follows" | "names">,
  matches: readonly Matched[],
  { splits }: { readonly splits: boolean },
): readonly Finding[] {
  return starts.flatMap((start) =>
    matches.map(({ only, plain }) =>
      findingAt(start, {
        ...(only === undefined ? {} : { only }),
        ...(follows ? { follows } : {}),
        names,
        links: !plain,
        splits,
      }),
    ),
  );
}

// The files that match, with the effects recorded for them.
interface Found {
  readonly starts: readonly Word[];
  /** Whether the search follows links. */
  readonly follows: boolean;
  /** The names that the search is for. */
  readonly names: readonly string[];
  readonly acted: Set<FileKind>;
  readonly noted: Set<FileKind>;
  readonly expression: FindExpression;
}

function note(out: Findings, { starts, follows, noted }: Found, kind: FileKind): void {
  if (noted.has(kind)) return;
  noted.add(kind);
  for (const start of starts) file(out, kind, start, { below: true, follows });
}

// Names that the expression requires and does not negate.
function namesIn(argv: readonly Word[], from: number): readonly string[] {
  const names = new Set<string>();
  for (let at = from; at < argv.length && names.size < MAX_NAMES; at++) {
    const option = argv[at]?.text;
    if (option === undefined || !NAMES.has(option) || /^(?:!|-not)$/.test(argv[at - 1]?.text ?? ""))
      continue;
    const text = argv[++at]?.text;
    if (text === undefined || argv[at + 1]?.text === "-prune") continue;
    const name = text.slice(text.lastIndexOf("/") + 1).replace(/\[[^\]]*\]|\?/g, "*");
    names.add(name);
    if (option.startsWith("-i")) names.add(name.toLowerCase());
  }
  return [...names];
}

// Records an effect on the matching files, by the names searched for.
function act(out: Findings, found: Found, kind: FileKind): void {
  note(out, found, kind);
  actByName(out, found, kind);
}

function actByName(out: Findings, found: Found, kind: FileKind): void {
  if (found.acted.has(kind)) return;
  found.acted.add(kind);
  for (const start of found.starts) {
    const path = pathOf(start, out.base);
    if (path.text === undefined || path.pattern !== undefined) continue;
    for (const name of found.names) out.effects.push({ kind, path: namedBelow(path.text, name) });
  }
}

// Only files of the required names are deleted, or else everything that is found.
function deleteMatching(out: Findings, at: number, found: Found): void {
  const only = found.expression.actions.get(at)?.only;
  if (only === undefined || only.some(isLoose) || found.starts.length > MAX_STARTS)
    return act(out, found, "delete");
  for (const finding of filesAt(found, [{ only, plain: false }], { splits: false }))
    file(out, "delete", completeWord(known("{}"), "{}", finding));
}

function isLeading(word: Word | undefined): boolean {
  return (
    word?.text !== undefined &&
    (/^-[HLPEXdsx]+$/.test(word.text) || /^-O\d*$/.test(word.text) || word.text === "-D")
  );
}

// Returns the position of the primary's last word.
function readPrimary(out: Findings, at: number, found: Found): number {
  const { argv } = out;
  const word = argv[at];
  if (word === undefined) return at;
  const name = word.text;
  if (name === undefined) {
    // An unknown word could be any action.
    if (prefix(word).startsWith("-")) hazard(out, at, "run");
    return at;
  }
  if (TAKES.has(name) || (name.startsWith("-newer") && name.length === 8)) return at + 1;
  if (READS.has(name)) {
    readValue(out, at, "read");
    return at + 1;
  }
  if (name === "-files0-from") {
    hazard(out, at, "load");
    readValue(out, at, "read");
    file(out, "read", unknownWord({ single: true }), { below: true });
    return at + 1;
  }
  if (WRITES.has(name) || name === "-fprintf") {
    hazard(out, at, "write");
    readValue(out, at, "write");
    return name === "-fprintf" ? at + 2 : at + 1;
  }
  if (name === "-delete") {
    hazard(out, at, "delete");
    deleteMatching(out, at, found);
    return at;
  }
  if (RUNS.has(name)) return readExec(out, at, found);
  if (name.startsWith("-") && !TESTS.has(name)) hazard(out, at, "unknown");
  return at;
}

function readValue(out: Findings, at: number, kind: "read" | "write"): void {
  const value = out.argv[at + 1];
  if (value !== undefined) file(out, kind, value);
}

function readExec(out: Findings, at: number, found: Found): number {
  const { argv } = out;
  const end = endOfCommand(argv, at);
  // Without an end, the expression is wrong, or was misread.
  if (end >= argv.length) hazard(out, at, "run");
  if (end <= at + 1) return end;
  const matched = found.expression.actions.get(at) ?? { only: undefined, plain: false };
  const inFolder = argv[at]?.text?.endsWith("dir") === true;
  // A path in the command means something else in the folder of each file.
  if (inFolder || found.starts.length > MAX_STARTS) readUnnamed(out, at, end, found);
  else runOnFound(out, at + 1, end, filesAt(found, [matched], { splits: false }));
  return end;
}

const MAX_STARTS = 8;

// Reads a command whose words are unknown.
function readUnnamed(out: Findings, at: number, end: number, found: Found): void {
  const { argv } = out;
  hazard(out, at, "run");
  const plus = argv[end]?.text === "+";
  runArgv(out, at + 1, plus ? { until: end, open: true } : { until: end });
  const from = out.effects.length;
  readCompleted(
    out,
    argv
      .slice(at + 1, end)
      .map((word) =>
        word.text?.includes("{}") === true
          ? { text: undefined, pieces: ["./", { hole: "any" }], single: true }
          : word,
      ),
  );
  const added = out.effects.splice(from);
  for (const effect of added) if ("path" in effect) act(out, found, effect.kind);
}

function runOnFound(out: Findings, from: number, until: number, files: readonly Finding[]): void {
  const { argv } = out;
  const plus = argv[until]?.text === "+";
  for (const finding of files) {
    const words = argv
      .slice(from, until)
      .flatMap((word) =>
        plus && word.text === "{}" ? severalFound(finding) : [completeWord(word, "{}", finding)],
      );
    out.runs.push({ kind: "argv", from, until, words });
  }
}
