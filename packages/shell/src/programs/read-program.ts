import type { Word } from "../analysis.ts";
import { INHERITED, type Input, type ProgramReading } from "../program.ts";
import { apply } from "./apply.ts";
import { createOut, file, hazard, runScript, type Out } from "./out.ts";
import { isGitCommand } from "./git.ts";
import { plainName, specOf } from "./tables.ts";
import { isInstalled, noteTelling } from "./telling.ts";
import { mayTouch } from "./touch.ts";
import { baseName, command, known, prefix, seen } from "./words.ts";

/**
 * What the words of one simple command say that its program does. A program that is not known may run, read and write all that
 * its words name. Never throws.
 */
export function readProgram(argv: readonly Word[], input: Input): ProgramReading {
  return read(argv, input, 0);
}

const FOUND = /^\/(?:usr\/(?:local\/)?)?bin\/[^/]+$/;

const readInside: Out["nested"] = (argv, depth) => read(argv, INHERITED, depth);

function read(argv: readonly Word[], input: Input, depth: number): Out {
  const out = createOut(argv, input, readInside, depth);
  const name = argv[0]?.text;
  if (name === undefined || name === "") {
    out.carries = argv.length > 0;
    return out;
  }
  // In the folders that bare names are found in, a path says no more than the name.
  if (name.includes("/") && !FOUND.test(name)) file(out, "execute", argv[0] as Word);
  const base = baseName(name);
  const spec = specOf(base);
  if (spec !== undefined) {
    apply(spec, out, 1);
    // Another program of that name: the table says the least that it could do.
    if (!isInstalled(name)) readUnknown(out);
    const plain = plainName(base);
    if (plain !== undefined) out.runs.push({ kind: "sight", words: [known(plain), ...argv.slice(1)] });
  } else if (base.startsWith("git-") && isGitCommand(base.slice(4))) {
    runScript(out, 0, command([known("git"), known(base.slice(4)), ...argv.slice(1)]));
  } else readUnknown(out);
  if (out.carries) readSuspects(out);
  else if (out.carriesFrom !== undefined && out.carriesFrom < argv.length) {
    out.carries = true;
    readTexts(out, out.carriesFrom);
  }
  return out;
}

/** Whether something is known of a program of this name. */
export function isProgram(name: string | undefined): boolean {
  return name !== undefined && specOf(baseName(name)) !== undefined;
}

// Whatever the program, options with these names run something.
const RUNS = /^--?(?:exec|eval|shell|to-command|rsh|use-compress-program|compress-program|pager|editor|preload|hook)/;
const MOST_TEXTS = 64;

// What a program may run that is not known to take its words as data.
function readSuspects(out: Out): void {
  const { argv } = out;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word !== undefined && RUNS.test(prefix(word))) hazard(out, at, "run");
  }
  readTexts(out, 1);
}

// Texts of several words, which may be scripts.
function readTexts(out: Out, from: number): void {
  const { argv, runs } = out;
  let texts = 0;
  for (let at = from; at < argv.length && texts < MOST_TEXTS; at++) {
    const word = argv[at];
    const text = word === undefined ? "" : seen(word);
    if (!/\S\s+\S/.test(text)) continue;
    texts++;
    const value = /^[^\s=]*=(.*)$/s.exec(text)?.[1];
    if (value !== undefined) runs.push({ kind: "sight", text: value });
    if (!text.startsWith("-")) runs.push({ kind: "sight", text });
  }
}

function readUnknown(out: Out): void {
  out.carries = true;
  noteTelling(out);
  mayTouch(out, 1);
}
