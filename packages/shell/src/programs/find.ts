import { runArgv } from "./apply.ts";
import { readCompleted } from "./nested.ts";
import type { Word } from "../analysis.ts";
import { file, hazard, type FileKind, type Out } from "./out.ts";
import { known, prefix, unknownWord } from "./words.ts";

const split = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const TAKES = split(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -size -maxdepth -mindepth
  -mtime -atime -ctime -Bmin -Bnewer -mmin -amin -cmin -Btime -user -group -uid -gid -perm -fstype -inum -links -used -regextype -printf
  -context -flags -depth-n -mnewer`);
const READS = split("-newer -anewer -cnewer -samefile");
const WRITES = split("-fprint -fprint0 -fls");
const RUNS = split("-exec -execdir -ok -okdir");

/** find: starting points, then an expression. */
export function readFind(out: Out, from: number): void {
  const { argv } = out;
  let at = from;
  while (isLeading(argv[at])) at += argv[at]?.text === "-D" ? 2 : 1;
  const starts: Word[] = [];
  for (; at < argv.length && !beginsExpression(argv[at]); at++) {
    const word = argv[at];
    if (word !== undefined && word.text !== "-f" && word.text !== "--") starts.push(word);
  }
  if (starts.length === 0) starts.push(known("."));
  const found: Found = { starts, noted: new Set() };
  note(out, found, "read");
  for (; at < argv.length; at++) at = readPrimary(out, at, found);
}

// The files that find finds, and what is said about them already.
interface Found {
  readonly starts: readonly Word[];
  readonly noted: Set<FileKind>;
}

function note(out: Out, { starts, noted }: Found, kind: FileKind): void {
  if (noted.has(kind)) return;
  noted.add(kind);
  for (const start of starts) file(out, kind, start, { below: true });
}

function isLeading(word: Word | undefined): boolean {
  return word?.text !== undefined && (/^-[HLPEXdsx]+$/.test(word.text) || /^-O\d*$/.test(word.text) || word.text === "-D");
}

function beginsExpression(word: Word | undefined): boolean {
  if (word === undefined) return true;
  const start = prefix(word);
  return (start.startsWith("-") && word.text !== "-f" && word.text !== "--") || start === "(" || start === "!" || start === ",";
}

// Returns the position of the primary's last word.
function readPrimary(out: Out, at: number, found: Found): number {
  const { argv } = out;
  const word = argv[at];
  if (word === undefined) return at;
  const name = word.text;
  if (name === undefined) {
    // What it becomes could be any action.
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
    note(out, found, "delete");
    return at;
  }
  return RUNS.has(name) ? readExec(out, at, found) : at;
}

function readValue(out: Out, at: number, kind: "read" | "write"): void {
  const value = out.argv[at + 1];
  if (value !== undefined) file(out, kind, value);
}

function readExec(out: Out, at: number, found: Found): number {
  const { argv } = out;
  hazard(out, at, "run");
  let end = at + 1;
  while (end < argv.length && argv[end]?.text !== ";" && !(argv[end]?.text === "+" && argv[end - 1]?.text === "{}")) end++;
  if (end > at + 1) {
    const plus = argv[end]?.text === "+";
    runArgv(out, at + 1, plus ? { until: end, open: true } : { until: end });
    const from = out.effects.length;
    const words = argv.slice(at + 1, end).map((word) => (word.text?.includes("{}") === true ? completed(word) : word));
    readCompleted(out, words);
    // A file that the command cannot name is one that find found.
    const added = out.effects.splice(from);
    for (const effect of added) if ("path" in effect) note(out, found, effect.kind);
  }
  return end;
}

function completed(word: Word): Word {
  const { text } = word;
  // find puts a path that begins with the starting point, so the word is no option and stays one word.
  if (text === "{}") return { text: undefined, pieces: [{ hole: "any" }], single: true };
  const parts = (text ?? "").split("{}");
  const pieces = parts.flatMap((part, index) => {
    const hole = { hole: "any" } as const;
    const rest = part === "" ? [] : [part];
    return index === 0 ? rest : [hole, ...rest];
  });
  return { text: undefined, pieces, single: true };
}
