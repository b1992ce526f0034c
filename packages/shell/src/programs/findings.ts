import type { Effect, Hazard, PathText, Unknown, Word } from "../analysis.ts";
import type { Input, Run } from "./program-reading.ts";
import { deletedBelow, findingOf, isLoose, recursiveOf } from "./found-files.ts";
import { below, namedBelow, pathOf } from "./path-of-word.ts";
import { known, prefix, seen } from "./word-text.ts";

export type FileKind = "read" | "write" | "delete" | "execute" | "project";

/** Collects what a command does, according to its words. */
export interface Findings {
  readonly argv: readonly Word[];
  readonly input: Input;
  /** The directory to which the program changes before it resolves paths. */
  base: PathText | undefined;
  carries: boolean;
  /** The position from which words belong to a script or task, which may run them. */
  carriesFrom: number | undefined;
  /** The position from which words belong to a script of the project. */
  scriptFrom: number | undefined;
  readonly runs: Run[];
  readonly hazards: Hazard[];
  readonly effects: Effect[];
  readonly unknown: Unknown[];
  /** Reads a command inside this command. */
  readonly nested: (argv: readonly Word[], depth: number) => Findings;
  /** Nesting depth of programs that complete the words of each other. */
  readonly depth: number;
  /** Whether the inner command has already been read. */
  completed: boolean;
  /** The hazards that have already been recorded. */
  hazardKeys: Set<number> | undefined;
  hosts: Set<string | undefined> | undefined;
}

export function createFindings(
  argv: readonly Word[],
  input: Input,
  nested: Findings["nested"],
  depth: number,
): Findings {
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
    scriptFrom: undefined,
    runs: [],
    hazards: [],
    effects: [],
    unknown: [],
  };
}

const FEW = 16;
const DOES: readonly Hazard["does"][] = [
  "run",
  "write",
  "delete",
  "load",
  "send",
  "configure",
  "unknown",
];

const keyOf = ({ at, does }: Hazard): number => at * DOES.length + DOES.indexOf(does);

export function hazard(out: Findings, at: number, does: Hazard["does"]): void {
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

/** Records the options that the table of a program does not list. An allow must spell out each of them. */
export function noteUnlisted(
  { unknownOptions }: { readonly unknownOptions: readonly { readonly at: number }[] },
  out: Findings,
): void {
  for (const { at } of unknownOptions) hazard(out, at, "unknown");
}

/** Records why something is unknown. Only the first few reasons are kept. */
export function unknown(out: Pick<Findings, "unknown">, code: Unknown["code"], what: string): void {
  if (out.unknown.length >= FEW) return;
  for (const known of out.unknown) if (known.code === code && known.what === what) return;
  out.unknown.push({ code, what });
}

type FileEffect = Extract<Effect, { readonly path: PathText }>;

/** How a program treats a directory. */
export interface FolderScope extends Omit<
  Partial<FileEffect>,
  "kind" | "path" | "found" | "exact"
> {
  /** Whether it writes files that exist, and no others. */
  readonly inPlace?: boolean;
}

/** A formatter skips names with a leading dot below its directories. */
export const FORMATTED: FolderScope = { below: true, visible: true, inPlace: true };

/** The part of {@link Findings} that effects on files need. */
type FileFindings = Pick<Findings, "effects" | "unknown" | "base">;

/** Records an effect on a file. */
export function file(out: FileFindings, kind: FileKind, word: Word, more?: FolderScope): void {
  if (word.text === "") return;
  if (word.pipe === true) {
    if (kind === "execute") unknown(out, "inline_code", "code that another command prints");
    return;
  }
  if (word.found !== undefined) return fileFound(out, kind, word, more);
  const path = pathOf(word, out.base);
  const exact =
    more?.prints === true || (more?.inPlace === true && word.globbed === true)
      ? ({ exact: true } as const)
      : {};
  if (more?.below !== true) {
    out.effects.push({ kind, path, ...exact });
    return;
  }
  const { only, follows, visible, prints, except, adds, tracked, brings, ignores, needs } = more;
  const needed = needs === undefined || path.text === undefined ? {} : { needs };
  const brought = brings === undefined ? {} : { brings };
  const effect = { kind, path, below: true, ...exact, ...needed, ...brought } as const;
  if (only === undefined && follows !== true && visible !== true && prints !== true)
    out.effects.push(effect);
  else
    out.effects.push({
      ...effect,
      ...(only === undefined ? {} : { only }),
      ...(follows === true ? { follows } : {}),
      ...(visible === true ? { visible } : {}),
      ...(prints === true ? { prints } : {}),
      ...(except === undefined ? {} : { except }),
      ...(adds === undefined ? {} : { adds }),
      ...(tracked === undefined ? {} : { tracked }),
      ...(ignores === true ? { ignores } : {}),
    });
}

function fileFound(out: FileFindings, kind: FileKind, { found }: Word, more?: FolderScope): void {
  if (found === undefined) return;
  const whole = more?.below === true;
  const files = whole ? recursiveOf(found) : found;
  if (out.effects.some((effect) => effect.kind === kind && effect.found === files)) return;
  const { path, names = [], follows = false, below: inside, ...finding } = findingOf(found);
  const only = kind === "delete" && finding.only?.some(isLoose) ? undefined : finding.only;
  if (kind === "execute") unknown(out, "dynamic_script", "a script known only at run time");
  const named = out.base === undefined ? path : below(out.base, path);
  const exact =
    kind === "read" ||
    (kind === "write" && more?.inPlace === true) ||
    (kind === "delete" && !whole);
  const folders =
    kind === "delete" && whole && !follows ? deletedBelow(findingOf(found), named) : [];
  for (const one of folders) out.effects.push({ kind, ...one, below: true, found: files });
  if (folders.length > 0) return;
  out.effects.push({
    kind,
    path: named,
    found: files,
    ...(inside || whole ? { below: true } : {}),
    // A tracked path is no folder, or else the list is unknown.
    ...(only === undefined || (whole && found.tracked === undefined) ? {} : { only }),
    ...(follows || more?.follows === true ? { follows: true } : {}),
    ...(exact ? { exact } : {}),
  });
  if (named.text === undefined || named.pattern !== undefined) return;
  // A file extension alone does not name a file.
  for (const name of new Set([...(only ?? []), ...names].filter((glob) => !/^\*\.\w+$/.test(glob))))
    out.effects.push({
      kind,
      path: namedBelow(named.text, name),
      found,
      ...(only === undefined ? {} : { only }),
      ...(exact ? { exact } : {}),
    });
}

const LISTED: PathText = { why: "files named in a list" };

export function noteListedFiles(out: Findings, kind: FileKind = "read"): void {
  out.effects.push({ kind, path: LISTED });
}

/** Records a connection, once per host. */
export function network(out: Findings, host: string | undefined): void {
  const hosts = (out.hosts ??= new Set());
  if (hosts.has(host)) return;
  hosts.add(host);
  out.effects.push({ kind: "network", host });
}

/** Records text that a shell runs. */
export function runScript(
  out: Findings,
  at: number,
  script: Word,
  more: { readonly remote?: boolean } = {},
): void {
  hazard(out, at, "run");
  out.runs.push(
    more.remote === true ? { kind: "script", script, remote: true } : { kind: "script", script },
  );
  if (script.text === undefined) unknown(out, "dynamic_script", "a script known only at run time");
}

/** Records text that may be run. */
export function mayRun(out: Findings, at: number, word: Word): void {
  hazard(out, at, "run");
  out.runs.push({ kind: "sight", text: seen(word) });
}

/** The script on standard input. Undefined if it is completely unknown. */
export function inputScript({ input }: Findings): Word | undefined {
  if (input.kind !== "text") return undefined;
  return input.text === undefined ? input.word : known(input.text);
}

/** Whether a file name means standard input or an open file of a process. */
export function isInput(word: Word): boolean {
  const path = prefix(word)
    .replace(/^file:\/*(?=\/)/i, "")
    .replace(/\/(?:\.?\/)+/g, "/")
    .replace(/^(?:\.\/)+/, "");
  return (
    path === "-" ||
    OPEN_FILE.test(path) ||
    (word.text !== undefined && /^(?:stdin|\d{1,3})$/.test(path))
  );
}

// Devices and open files, by any path.
const OPEN_FILE =
  /^(?:.*\/)?(?:dev\/(?:std|tty|fd\/|tcp\/|udp\/)|proc\/[^/]*\/(?:task\/[^/]*\/)?fd\/)/s;

/** Records text on standard input as a last argument, for denies and asks. */
export function noteInput({ argv, input, runs }: Findings): void {
  if (input.kind !== "text" || input.text === undefined) return;
  let word = inputWords.get(input);
  if (word === undefined) inputWords.set(input, (word = known(input.text.trimEnd())));
  runs.push({ kind: "sight", words: [...argv, word] });
}

// Hundreds of commands of a script may share one input.
const inputWords = new WeakMap<Input, Word>();

/** Records code of another language. */
export function inlineCode(out: Findings, at: number, what: string): void {
  hazard(out, at, "run");
  unknown(out, "inline_code", what);
}
