import type { Effect, Hazard, PathText, Unknown, Word } from "../analysis.ts";
import type { Input, Run } from "../program.ts";
import { pathOf } from "./paths.ts";
import { known, prefix, seen } from "./words.ts";

/** What can happen to a file. */
export type FileKind = "read" | "write" | "delete" | "execute";

/** Collects what the words of a command say. */
export interface Out {
  readonly argv: readonly Word[];
  readonly input: Input;
  /** The folder that the program changes to before it looks at paths. */
  base: PathText | undefined;
  carries: boolean;
  /** From where on its words are for a script or a task, which may run them. */
  carriesFrom: number | undefined;
  readonly runs: Run[];
  readonly hazards: Hazard[];
  readonly effects: Effect[];
  readonly unknown: Unknown[];
  /** Reads a command inside this one. */
  readonly nested: (argv: readonly Word[], depth: number) => Out;
  /** How many programs this one is inside of, as far as their words are completed by each other. */
  readonly depth: number;
  /** The command inside this one is read already. */
  completed: boolean;
  /** What is noted already. */
  hazardKeys: Set<number> | undefined;
  hosts: Set<string | undefined> | undefined;
}

/** A collector for one command. */
export function createOut(argv: readonly Word[], input: Input, nested: Out["nested"], depth: number): Out {
  return {
    argv,
    input,
    nested,
    depth,
    completed: false,
    hazardKeys: undefined,
    hosts: undefined,
    base: undefined,
    carries: false,
    carriesFrom: undefined,
    runs: [],
    hazards: [],
    effects: [],
    unknown: [],
  };
}

const FEW = 16;
const DOES: readonly Hazard["does"][] = ["run", "write", "delete", "load", "send", "configure"];

const keyOf = ({ at, does }: Hazard): number => at * DOES.length + DOES.indexOf(does);

/** Notes that the word at a position makes the program do more than its name says. */
export function hazard(out: Out, at: number, does: Hazard["does"]): void {
  const { hazards } = out;
  const added = { at, does };
  if (hazards.length < FEW) {
    for (const known of hazards) if (known.at === at && known.does === does) return;
  } else {
    const keys = (out.hazardKeys ??= new Set(hazards.map(keyOf)));
    const key = keyOf(added);
    if (keys.has(key)) return;
    keys.add(key);
  }
  hazards.push(added);
}

/** Notes what is not known: the first few reasons. */
export function unknown(out: Out, code: Unknown["code"], what: string): void {
  if (out.unknown.length >= FEW) return;
  for (const known of out.unknown) if (known.code === code && known.what === what) return;
  out.unknown.push({ code, what });
}

/** How a program goes through a folder. */
export interface Walk {
  readonly below?: boolean;
  readonly only?: readonly string[];
  readonly follows?: boolean;
}

/** Notes what happens to a file. */
export function file(out: Out, kind: FileKind, word: Word, more?: Walk): void {
  if (word.text === "") return;
  const path = pathOf(word, out.base);
  if (more?.below !== true) {
    out.effects.push({ kind, path });
    return;
  }
  const { only, follows } = more;
  if (only === undefined) out.effects.push(follows === true ? { kind, path, below: true, follows } : { kind, path, below: true });
  else out.effects.push({ kind, path, below: true, only, ...(follows === true ? { follows } : {}) });
}

const LISTED: PathText = { why: "files that a list names" };

/** Notes what happens to files whose names are read from a list. */
export function listed(out: Out, kind: FileKind = "read"): void {
  out.effects.push({ kind, path: LISTED });
}

/** Notes a connection, once for each host. */
export function network(out: Out, host: string | undefined): void {
  const hosts = (out.hosts ??= new Set());
  if (hosts.has(host)) return;
  hosts.add(host);
  out.effects.push({ kind: "network", host });
}

/** Notes text that a shell runs. */
export function runScript(out: Out, at: number, script: Word, more: { readonly remote?: boolean } = {}): void {
  hazard(out, at, "run");
  out.runs.push(more.remote === true ? { kind: "script", script, remote: true } : { kind: "script", script });
  if (script.text === undefined) unknown(out, "dynamic_script", "script that is only known when it runs");
}

/** Notes text that may be run: a deny is about its commands. */
export function mayRun(out: Out, at: number, word: Word): void {
  hazard(out, at, "run");
  out.runs.push({ kind: "sight", text: seen(word) });
}

/** The script in the input of a program; undefined where nothing is known of it. */
export function inputScript({ input }: Out): Word | undefined {
  if (input.kind !== "text") return undefined;
  return input.text === undefined ? input.word : known(input.text);
}

/** Whether a file of this name is the input of the program, or of another process. */
export function isInput(word: Word): boolean {
  const path = prefix(word)
    .replace(/^file:\/*(?=\/)/i, "")
    .replace(/\/(?:\.?\/)+/g, "/")
    .replace(/^(?:\.\/)+/, "");
  return path === "-" || OPEN_FILE.test(path) || (word.text !== undefined && /^(?:stdin|\d{1,3})$/.test(path));
}

// Devices and open files, from wherever they are named.
const OPEN_FILE = /^(?:.*\/)?(?:dev\/(?:std|tty|fd\/|tcp\/|udp\/)|proc\/[^/]*\/(?:task\/[^/]*\/)?fd\/)/s;

/** Notes code of another language. */
export function inlineCode(out: Out, at: number, what: string): void {
  hazard(out, at, "run");
  unknown(out, "inline_code", what);
}
