import type { Word } from "../analysis.ts";
import type { Input, ProgramReading } from "../program.ts";
import { apply } from "./apply.ts";
import { createOut, file, type Out } from "./out.ts";
import { specOf } from "./tables.ts";
import { pathOf } from "./paths.ts";
import { after, baseName, prefix } from "./words.ts";

/**
 * What the words of one simple command say that its program does. A program that is not known may run, read and write all that
 * its words name. Never throws.
 */
export function readProgram(argv: readonly Word[], input: Input): ProgramReading {
  return read(argv, input, 0);
}

const INHERITED: Input = { kind: "inherited" };
const readInside: Out["nested"] = (argv, depth) => read(argv, INHERITED, depth);

function read(argv: readonly Word[], input: Input, depth: number): Out {
  const out = createOut(argv, input, readInside, depth);
  const name = argv[0]?.text;
  if (name === undefined || name === "") {
    out.carries = argv.length > 0;
    return out;
  }
  if (name.includes("/")) file(out, "execute", argv[0] as Word);
  const spec = specOf(baseName(name));
  if (spec === undefined) readUnknown(out);
  else apply(spec, out, 1);
  return out;
}

function readUnknown(out: Out): void {
  out.carries = true;
  const { argv } = out;
  for (let at = 1; at < argv.length; at++) {
    const word = argv[at];
    if (word === undefined) continue;
    const start = prefix(word);
    const sign = start.indexOf("=");
    if (sign >= 0) both(out, after(word, sign + 1));
    if (!start.startsWith("-")) both(out, word);
    else if (sign < 0 && !start.startsWith("--") && start.length > 2) both(out, after(word, 2));
  }
}

function both(out: Out, word: Word): void {
  if (word.text === "") return;
  const path = pathOf(word, out.base);
  out.effects.push({ kind: "read", path }, { kind: "write", path });
}
