import { runArgv } from "./apply-spec.ts";
import { readCompleted } from "./completed-command.ts";
import type { Word } from "../analysis.ts";
import { file, hazard, type FileKind, type Findings } from "./findings.ts";
import { pathOf } from "./path-of-word.ts";
import { known, prefix, unknownWord } from "./word-text.ts";

const split = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const TAKES =
  split(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -maxdepth -mindepth
  -mtime -atime -ctime -Bmin -Bnewer -mmin -amin -cmin -Btime -user -group -uid -gid -perm -fstype -inum -links -used -regextype -printf
  -context -flags -depth-n -mnewer`);
const TESTS =
  split(`-print -print0 -ls -prune -quit -o -or -a -and -not -empty -true -false -readable -writable -executable -nouser -nogroup
  -mount -xdev -x -depth -d -daystart -noleaf -ignore_readdir_race -noignore_readdir_race -warn -nowarn -follow -help --help -version --version
  -X -H -L -P`);
const READS = split("-newer -anewer -cnewer -samefile");
const WRITES = split("-fprint -fprint0 -fls");
const NAMES = split("-name -iname -path -ipath -wholename -iwholename");
const MOST_NAMES = 8;
const RUNS = split("-exec -execdir -ok -okdir");

/** find: starting points, then an expression. */
export function readFind(out: Findings, from: number): void {
  const { argv } = out;
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
  const found: Found = {
    starts,
    follows,
    noted: new Set(),
    names: namesIn(argv, at),
    acted: new Set(),
  };
  note(out, found, "read");
  for (; at < argv.length; at++) at = readPrimary(out, at, found);
}

// The files that match, and the effects recorded for them.
interface Found {
  readonly starts: readonly Word[];
  /** It follows links. */
  readonly follows: boolean;
  /** The names that it searches for. */
  readonly names: readonly string[];
  readonly acted: Set<FileKind>;
  readonly noted: Set<FileKind>;
}

function note(out: Findings, { starts, follows, noted }: Found, kind: FileKind): void {
  if (noted.has(kind)) return;
  noted.add(kind);
  for (const start of starts) file(out, kind, start, { below: true, follows });
}

// Names that the expression requires and does not negate.
function namesIn(argv: readonly Word[], from: number): readonly string[] {
  const names = new Set<string>();
  for (let at = from; at < argv.length && names.size < MOST_NAMES; at++) {
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

// Records what happens to matching files, by the names searched for.
function act(out: Findings, found: Found, kind: FileKind): void {
  note(out, found, kind);
  if (found.acted.has(kind)) return;
  found.acted.add(kind);
  for (const start of found.starts) {
    const path = pathOf(start, out.base);
    if (path.text === undefined || path.pattern !== undefined) continue;
    const text = path.text.replace(/(?!^)\/+$/, "");
    const lead =
      text === "." ? "" : text === "/" ? "/" : `${text.replace(/[\\*?[\]{}()!]/g, "\\$&")}/`;
    for (const name of found.names)
      out.effects.push({ kind, path: { text, pattern: `${lead}**/${name}` } });
  }
}

function isLeading(word: Word | undefined): boolean {
  return (
    word?.text !== undefined &&
    (/^-[HLPEXdsx]+$/.test(word.text) || /^-O\d*$/.test(word.text) || word.text === "-D")
  );
}

function beginsExpression(word: Word | undefined): boolean {
  if (word === undefined) return true;
  const start = prefix(word);
  return (
    (start.startsWith("-") && word.text !== "-f" && word.text !== "--") ||
    start === "(" ||
    start === "!" ||
    start === ","
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
    act(out, found, "delete");
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
  hazard(out, at, "run");
  let end = at + 1;
  while (
    end < argv.length &&
    argv[end]?.text !== ";" &&
    !(argv[end]?.text === "+" && argv[end - 1]?.text === "{}")
  )
    end++;
  if (end > at + 1) {
    const plus = argv[end]?.text === "+";
    runArgv(out, at + 1, plus ? { until: end, open: true } : { until: end });
    const from = out.effects.length;
    const lead = argv[at]?.text?.endsWith("dir") === true ? "./" : leadOf(found.starts);
    const words = argv
      .slice(at + 1, end)
      .map((word) => (word.text?.includes("{}") === true ? completed(word, lead) : word));
    readCompleted(out, words);
    // An unnamed file of the command is one that matched.
    const added = out.effects.splice(from);
    for (const effect of added) if ("path" in effect) act(out, found, effect.kind);
  }
  return end;
}

// Inserted paths begin with the starting point, so they are no options.
function leadOf(starts: readonly Word[]): string {
  let lead = starts[0]?.text ?? "";
  for (const { text } of starts)
    while (text?.startsWith(lead) !== true && lead !== "") lead = lead.slice(0, -1);
  return lead;
}

function completed(word: Word, lead: string): Word {
  const { text } = word;
  if (text === "{}")
    return {
      text: undefined,
      pieces: lead === "" ? [{ hole: "any" }] : [lead, { hole: "any" }],
      single: true,
    };
  const parts = (text ?? "").split("{}");
  const pieces = parts.flatMap((part, index) => {
    const hole = { hole: "any" } as const;
    const rest = part === "" ? [] : [part];
    return index === 0 ? rest : [hole, ...rest];
  });
  return { text: undefined, pieces, single: true };
}
