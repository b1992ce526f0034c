import type { PathText, Word } from "../analysis.ts";
import { INHERITED, type Input, type ProgramReading } from "./program-reading.ts";
import { apply } from "./apply-spec.ts";
import { createFindings, file, hazard, noteInput, runScript, type Findings } from "./findings.ts";
import { isGitCommand } from "./git.ts";
import { otherName } from "./gnu-names.ts";
import { specOf } from "./program-table.ts";
import { isInstalled, noteOptionNames, RUNS_ANYWHERE } from "./option-names.ts";
import { noteAnyFiles } from "./any-files.ts";
import { noteQuotedGlobs } from "./glob-operands.ts";
import { noteProjects } from "./project-operands.ts";
import { noteTasks } from "./later-tasks.ts";
import { pathOf } from "./path-of-word.ts";
import { after, baseName, command, known, prefix, seen } from "./word-text.ts";

/**
 * Describes what a simple command does, according to its words. An unknown program may run, read and write everything that its
 * words name. Never throws.
 */
export function readProgram(argv: readonly Word[], input: Input): ProgramReading {
  return read(argv, input, 0);
}

const FOUND = /^\/(?:usr\/(?:local\/)?)?bin\/[^/]+$/;

const readInside: Findings["nested"] = (argv, depth) => read(argv, INHERITED, depth);

function read(argv: readonly Word[], input: Input, depth: number): Findings {
  const out = createFindings(argv, input, readInside, depth);
  const name = argv[0]?.text;
  if (name === undefined || name === "") {
    out.carries = argv.length > 0;
    return out;
  }
  // In the usual program directories, a path means the same as the bare name.
  if (name.includes("/") && !FOUND.test(name)) file(out, "execute", argv[0] as Word);
  const base = baseName(name);
  const spec = specOf(base);
  if (spec !== undefined) {
    apply(spec, out, 1);
    // A different program has this name, so the table is only a minimum.
    if (!isInstalled(name)) readUnknown(out);
  } else if (base.startsWith("git-") && isGitCommand(base.slice(4))) {
    runScript(out, 0, command([known("git"), known(base.slice(4)), ...argv.slice(1)]));
  } else readUnknown(out);
  const other = otherName(base);
  if (other !== undefined)
    out.runs.push({ kind: "sight", words: [known(other), ...argv.slice(1)] });
  if (depth === 0) noteProjects(out);
  if (depth === 0) noteQuotedGlobs(out);
  if (depth === 0) noteGlobs(out);
  if (out.carriesFrom !== undefined) noteOptionNames(out, out.carriesFrom);
  if (out.carries) readSuspects(out);
  else if (out.carriesFrom !== undefined && out.carriesFrom < argv.length) {
    out.carries = true;
    readTexts(out, out.carriesFrom);
  }
  return out;
}

// Any program may print the names that a glob finds in another folder, also behind other text: `echo "== $f"`.
function noteGlobs(out: Findings): void {
  for (const word of out.argv.slice(1)) {
    const [first, second] = word.pieces;
    if (word.pipe === true) continue;
    if (word.globbed === true) {
      if (
        word.splits === true ||
        word.pieces.some((piece) => typeof piece === "string" && piece.includes("/"))
      )
        noteGlob(word, out);
    } else if (typeof first === "string" && typeof second === "object" && second.hole === "name") {
      const start = first.search(BEHIND);
      if (start >= 0) noteGlob(after(word, start), out);
    }
  }
}

const BEHIND = /(?<![^\s=:;,'"([{<>])(?:\/|~|\.\.)\S*$/;

// An address with a `?` is looked up as a path too. Written as an address, it could not be read as one.
function noteGlob(word: Word, out: Findings): void {
  const path = withoutAddress(pathOf(word, undefined));
  const isKnown = out.effects.some(
    (effect) => "path" in effect && keyOf(effect.path) === keyOf(path),
  );
  if (!isKnown) out.effects.push({ kind: "read", path });
}

function withoutAddress(path: PathText): PathText {
  if (path.text === undefined || path.pattern === undefined || !ADDRESS.test(path.text))
    return path;
  const plain = (text: string): string => text.replace("://", ":/");
  return { ...path, text: plain(path.text), pattern: plain(path.pattern) };
}

const ADDRESS = /^[a-z][\w+.-]*:\/\//i;

const keyOf = (path: PathText): string | undefined =>
  path.text === undefined ? undefined : `${path.text}\n${path.pattern ?? ""}`;

/** Whether the tables know a program of this name. */
export function isProgram(name: string | undefined): boolean {
  return name !== undefined && specOf(baseName(name)) !== undefined;
}

const MAX_TEXTS = 64;

// Records what an unknown program may run.
function readSuspects(out: Findings): void {
  const { argv } = out;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word !== undefined && RUNS_ANYWHERE.test(prefix(word))) hazard(out, at, "run");
  }
  readTexts(out, 1);
  noteInput(out);
  if (out.input.kind === "text" && out.input.text !== undefined)
    out.runs.push({ kind: "sight", text: out.input.text });
}

// Arguments of several words may be scripts.
function readTexts(out: Findings, from: number): void {
  const { argv, runs } = out;
  let texts = 0;
  for (let at = from; at < argv.length && texts < MAX_TEXTS; at++) {
    const word = argv[at];
    const text = word === undefined ? "" : seen(word);
    if (!/\S\s+\S/.test(text)) continue;
    texts++;
    const value = /^[^\s=]*=(.*)$/s.exec(text)?.[1];
    if (value !== undefined) runs.push({ kind: "sight", text: value });
    if (!text.startsWith("-")) runs.push({ kind: "sight", text });
  }
}

function readUnknown(out: Findings): void {
  out.carries = true;
  noteOptionNames(out, 1);
  noteTasks(out);
  noteAnyFiles(out, 1);
}
