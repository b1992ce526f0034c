import type { Effect, ShellCommand, Word } from "../analysis.ts";
import { EFFECT_NAMES, type EffectName } from "../effect-names.ts";
import { effectsOf } from "./effect-tables.ts";
import { findEffects } from "./effect-patterns.ts";
import { grammarOf } from "./grammar.ts";
import { isInstalled } from "./option-names.ts";
import { isInEffect, parseArgs } from "./parsed-args.ts";
import { INHERITED, type ProgramReading } from "./program-reading.ts";
import type { Spec } from "./program-spec.ts";
import { isFileTool, plainProgram, specOf } from "./program-table.ts";
import { readProgram } from "./read-program.ts";
import { activates } from "./virtual-environments.ts";
import { baseName, isNamedOption, known, mayBeOption } from "./word-text.ts";

/** The effects of a command, by name. */
export interface NamedEffects {
  /** The certain effects. If `unknown` is among them, the list may be incomplete. */
  readonly names: ReadonlySet<EffectName>;
  /** Further effects that it may have, depending on words that only bash can expand. */
  readonly possible: ReadonlySet<EffectName>;
}

interface Found {
  readonly names: Set<EffectName>;
  readonly possible: Set<EffectName>;
}

const ALL: ReadonlySet<EffectName> = new Set(Object.keys(EFFECT_NAMES) as EffectName[]);

// If one command names more known programs, or more words follow them in all, it counts as having every effect.
const MAX_STARTS = 64;
const MAX_WORDS = 8_192;

/**
 * Lists the effects of a command by name: those in its program's table, and those that follow from its effects, hazards and
 * unknown parts. Whether it writes outside a workspace is for the caller to decide. Never throws.
 */
export function namedEffects(command: ShellCommand): NamedEffects {
  const { argv, assignments, unknown, carries } = command;
  const found: Found = { names: new Set(), possible: new Set() };
  const { names } = found;
  for (const { code } of unknown) {
    names.add("unknown");
    if (code === "inline_code") names.add("runs-inline-code");
  }
  if (assignments.some(({ harmless }) => !harmless)) names.add("unknown");
  const [first] = argv;
  if (first === undefined) {
    addEffects(command.effects, found);
    return found;
  }
  if (first.text === undefined || !first.single) {
    names.add("unknown");
    return { names, possible: ALL };
  }
  if (emptiesFiles(command)) names.add("deletes");
  const covered = addTable(argv, 0, found);
  if (!covered || !isInstalled(first.text)) names.add("unknown");
  if (activates(argv) && names.delete("runs-inline-code")) names.add("runs-project");
  addReading(command, argv, found);
  addOptions(argv, found);
  if (isLimited(command.effects)) names.delete("delete-below");
  return !carries || addCarried(argv, found) ? found : { names: ALL, possible: ALL };
}

// Whether it deletes only files that a search below the working directory finds by their names.
function isLimited(effects: readonly Effect[]): boolean {
  const deleted = effects.flatMap((effect) => (effect.kind === "delete" ? [effect] : []));
  return (
    deleted.length > 0 &&
    deleted.every(
      ({ path: { text = "/" }, only, found }) =>
        (found && only) !== undefined && !/^[/~]|(^|\/)\.\.(\/|$)/.test(text),
    )
  );
}

// `: > file` deletes what was in the file.
function emptiesFiles({ argv, redirections }: ShellCommand): boolean {
  const words = argv.map(({ text }) => text);
  const silent =
    words.length === 1
      ? /^(?::|true|false|printf)$/.test(words[0] ?? "")
      : words.length === 2 && /^(?:cat \/dev\/null|echo -n|printf )$/.test(words.join(" "));
  return (
    silent && redirections.some(({ operator, writes }) => writes && /^(?:&?>|>\|)$/.test(operator))
  );
}

// A word known only to bash may be any option of the program. Found names may not, because the host refuses such a list.
function addOptions(argv: readonly Word[], { possible }: Found): void {
  const end = argv.findIndex(({ text }) => text === "--");
  const open = argv.some(
    (word, at) =>
      at > 0 &&
      (end < 0 || at < end) &&
      (word.text === undefined || !word.single) &&
      word.found?.splits !== true &&
      !isNamedOption(word) &&
      mayBeOption(word),
  );
  const spec = open ? specOf(baseName(argv[0]?.text ?? "")) : undefined;
  if (spec !== undefined) for (const name of effectsOfOptions(spec)) possible.add(name);
}

const byOptions = new WeakMap<Spec, ReadonlySet<EffectName>>();
const OF_OWN_PARSER: readonly EffectName[] = ["writes", "deletes", "delete-below", "runs-code"];

function effectsOfOptions(spec: Spec): ReadonlySet<EffectName> {
  const known = byOptions.get(spec);
  if (known !== undefined) return known;
  const { options = [], subs = {}, read } = spec;
  const names = new Set<EffectName>(read === undefined ? [] : OF_OWN_PARSER);
  byOptions.set(spec, names);
  for (const { does } of options)
    if (does !== undefined) names.add(does === "run" ? "runs-code" : OF_HAZARD[does]);
  for (const below of Object.values(subs))
    for (const name of effectsOfOptions(below)) names.add(name);
  return names;
}

// Adds the effects of programs that the later words may start.
function addCarried(argv: readonly Word[], found: Found): boolean {
  let starts = 0;
  let words = 0;
  for (let at = 1; at < argv.length; at++) {
    const text = argv[at]?.text;
    if (text === undefined || !isKnown(text) || isHere(argv, at)) continue;
    words += argv.length - at;
    if (++starts > MAX_STARTS || words > MAX_WORDS) return false;
    const carried: Found = { names: new Set(), possible: found.possible };
    addTable(argv, at, carried);
    addReading(readAt(argv, at), argv.slice(at), carried);
    // Words that may be data have no effect, unless a table lists one.
    for (const name of carried.names)
      if (name !== "unknown" && name !== "runs-code") found.names.add(name);
  }
  return true;
}

// `.` without a file after it is the current directory, as is the package of `go run .`.
const isHere = (argv: readonly Word[], at: number): boolean =>
  argv[at]?.text === "." &&
  ((argv[at + 1]?.text ?? "-").startsWith("-") ||
    (at === 2 && argv[0]?.text === "go" && argv[1]?.text === "run"));

const isKnown = (text: string): boolean => {
  const name = baseName(text).toLowerCase();
  return specOf(name) !== undefined || effectsOf(plainProgram(name)) !== undefined;
};

// On file systems that ignore case, `RM` runs `rm`.
function readAt(argv: readonly Word[], at: number): ProgramReading {
  const name = baseName(argv[at]?.text ?? "").toLowerCase();
  return readProgram([known(name), ...argv.slice(at + 1)], INHERITED);
}

/** Adds the effects that the tables list for the command at a position. Returns whether the tables know the command. */
function addTable(argv: readonly Word[], at: number, { names, possible }: Found): boolean {
  const written = baseName(argv[at]?.text ?? "");
  const name = plainProgram(written.toLowerCase());
  const spec = specOf(name);
  const table = effectsOf(name);
  if (spec !== undefined && isInert(spec, argv, at)) return written === written.toLowerCase();
  const covered =
    table !== undefined &&
    findEffects(name, table, argv, at + 1, (effect, certainty) =>
      (certainty === 2 ? names : possible).add(effect),
    ).covered;
  if (spec === undefined && table === undefined) return false;
  // On other file systems, another spelling is another program.
  if (written !== written.toLowerCase()) {
    addReading(readAt(argv, at), argv.slice(at), { names, possible });
    return false;
  }
  return covered || isFileTool(name) || (spec !== undefined && isCoveredBySpec(spec, argv, at));
}

// Whether it only prints its version or its help.
const isInert = (spec: Spec, argv: readonly Word[], at: number): boolean =>
  spec.inert !== undefined &&
  isInEffect(parseArgs(spec, argv, at + 1, { posix: isPosix(spec) }), spec.inert);

const isPosix = ({ posix, subs, wrap }: Spec): boolean =>
  posix === true || subs !== undefined || wrap !== undefined;

function isCoveredBySpec(spec: Spec, argv: readonly Word[], at: number): boolean {
  if (spec.prints === true || spec.wrap !== undefined) return true;
  // With only options and no subcommand, a program prints its usage.
  return (
    spec.subs !== undefined && grammarOf(spec).long.size > 0 && argv.slice(at + 1).length === 0
  );
}

type Seen = Pick<ProgramReading, "effects" | "hazards">;

/** Adds the effects that follow from the files and hosts of a command, and from its hazards. */
function addReading({ effects, hazards }: Seen, argv: readonly Word[], found: Found): void {
  const { names } = found;
  const starts = hazards.flatMap(({ at, does }) => (does === "run" ? [at] : []));
  const runs = starts.length > 0 && isRead(argv, starts);
  if (starts.length > 0) names.add(runs ? "runs-command" : "runs-code");
  const deletes = hazards.some(({ does }) => does === "delete");
  // If it runs another command, the deletions are those of that command.
  addEffects(runs && !deletes ? effects.filter(({ kind }) => kind !== "delete") : effects, found);
  for (const { does } of hazards)
    if (does !== "run" && !(does === "delete" && names.has("moves"))) names.add(OF_HAZARD[does]);
}

function addEffects(effects: readonly Effect[], { names }: Found): void {
  const versioned = effects.some(({ kind }) => kind === "vcs");
  for (const effect of effects) {
    if ("needs" in effect && effect.needs === "anything") continue;
    switch (effect.kind) {
      case "read":
        names.add("reads");
        break;
      case "write":
        names.add("writes");
        break;
      case "delete":
        // A move removes the source file, which is no deletion. For version control, the tables list what is lost.
        if (names.has("moves") || versioned) break;
        names.add("deletes");
        if (
          effect.below === true &&
          effect.only === undefined &&
          (effect.found === undefined || effect.found.recursive === true)
        )
          names.add("delete-below");
        break;
      case "execute":
        if (!names.has("runs-project") && !names.has("runs-inline-code")) names.add("runs-code");
        break;
      case "network":
        if (isElsewhere(effect.host, names)) names.add("network");
        break;
      case "privilege":
        names.add("escalates");
        break;
      case "environment":
        names.add("handles-secrets");
        break;
      case "vcs":
        break;
    }
  }
}

const HERE = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

const isElsewhere = (host: string | undefined, names: ReadonlySet<EffectName>): boolean =>
  host === undefined ? !names.has("queries-registry") : !HERE.test(host);

const OF_HAZARD = {
  write: "writes",
  delete: "deletes",
  load: "runs-code",
  send: "network",
  configure: "configures",
  unknown: "unknown",
} as const;

// Whether it is evaluated separately as a command or script.
function isRead(argv: readonly Word[], starts: readonly number[]): boolean {
  const { runs } = readProgram(argv, INHERITED);
  const froms = runs.flatMap((run) => (run.kind === "argv" ? [run.from] : []));
  const others = starts.filter((at) => !froms.includes(at) && !froms.includes(at + 1));
  return others.length <= runs.filter(({ kind }) => kind === "script").length;
}
