import type { Analysis, Effect, Unknown } from "./analysis.ts";
import { hiddenCharacter } from "./characters.ts";
import { TOP, doubtLine, fill, type Outer, type Walk } from "./context.ts";
import { ANYWHERE, LATER, placed, START, type Folder } from "./folder.ts";
import { LIMITS } from "./limits.ts";
import { inPlainSight } from "./plain-sight.ts";
import { analyzePlain } from "./plain.ts";
import { parseScript } from "./syntax.ts";
import { walkScript } from "./walk.ts";
import type { Passage } from "./places.ts";
import { notePassages, passagesOf } from "./through.ts";
import { noteTrees } from "./trees.ts";
import { noteWritten } from "./written.ts";

// Set by bash itself, to text that came from elsewhere.
const FOREIGN: ReadonlySet<string> = new Set(
  "REPLY BASH_REMATCH MAPFILE OPTARG BASH_COMMAND BASH_ARGV BASH_EXECUTION_STRING READLINE_LINE COPROC PWD OLDPWD".split(" "),
);

/** Analyses a command line as bash would read it. Never throws. */
export function analyze(line: string): Analysis {
  return analyzePlain(line) ?? analyzeScript(line);
}

/** The analysis of any line, by its tree. */
export function analyzeScript(line: string): Analysis {
  if (line.length > LIMITS.length) {
    const reason: Unknown = { code: "limit", what: `line of ${line.length} characters` };
    return { commands: inPlainSight(line, reason), unknown: [reason] };
  }
  const walk = walkLine(line, true);
  if (!walk.home.used || !walk.home.changed) return finish(line, walk);
  return finish(line, walkLine(line, false));
}

function walkLine(line: string, home: boolean): Walk {
  const walk: Walk = {
    source: line,
    commands: [],
    folders: [],
    outers: [],
    steps: [],
    step: 1,
    unknown: [],
    pending: undefined,
    reasons: undefined,
    tildes: undefined,
    values: undefined,
    nodes: 0,
    depth: 0,
    braces: 0,
    length: 0,
    scripted: 0,
    full: false,
    folderChanges: 0,
    flowUnknown: false,
    yes: START,
    no: START,
    functions: undefined,
    home: { trusted: home, used: false, changed: false },
    tainted: undefined,
    arithmetic: undefined,
    sums: undefined,
    holes: false,
    aliases: undefined,
  };
  const hidden = hiddenCharacter(line);
  if (hidden !== undefined) doubtLine(walk, { code: "syntax", what: `character ${hidden}` });
  const script = parseScript(line);
  if (script === undefined) {
    fill(walk, "line beyond what can be parsed");
    return walk;
  }
  try {
    walkScript(walk, script, TOP, START);
  } catch {
    // Parts of the tree are made when they are looked at: they may be too deep for the stack.
    fill(walk, "line beyond what can be parsed");
  }
  return walk;
}

function finish(line: string, walk: Walk): Analysis {
  const { commands, unknown } = walk;
  noteSums(walk);
  noteAliases(walk);
  const around = new Map<Outer, readonly Effect[]>();
  const passages: Passage[] = [];
  for (let at = 0; at < commands.length; at++) {
    const draft = commands[at];
    if (draft === undefined) continue;
    const folder = walk.folders[at] ?? ANYWHERE;
    if (commands.length > 1) passages.push(...passagesOf(draft, actual(walk, folder)));
    if (draft.effects.length > 0) draft.effects = placed(draft.effects, actual(walk, folder));
    const outer = walk.outers[at];
    if (outer !== undefined) draft.effects = together(draft.effects, outerEffects(walk, outer, around));
  }
  notePassages(commands, passages);
  noteTrees(walk, around);
  noteWritten(commands);
  const [reason] = unknown;
  if (reason !== undefined) for (const draft of inPlainSight(line, reason)) commands.push(draft);
  return { commands, unknown };
}

function actual(walk: Walk, folder: Folder): Folder {
  if (walk.folderChanges === 0) return folder === LATER ? START : folder;
  return walk.flowUnknown || folder === LATER ? ANYWHERE : folder;
}

// What the groups around a command do: the same for each command in them.
function outerEffects(walk: Walk, outer: Outer, known: Map<Outer, readonly Effect[]>): readonly Effect[] {
  let effects = known.get(outer);
  if (effects === undefined) {
    effects = placed(outer.effects, walk.folderChanges > 0 && !outer.once ? ANYWHERE : actual(walk, outer.folder));
    if (outer.around !== undefined) effects = together(effects, outerEffects(walk, outer.around, known));
    known.set(outer, effects);
  }
  return effects;
}

function together<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  return first.length === 0 ? second : second.length === 0 ? first : first.concat(second);
}

// Only a line of nothing but aliases has no command that they could change.
function noteAliases({ aliases, commands }: Walk): void {
  if (aliases === undefined || commands.every((draft) => draft.origin === "script" || aliases.includes(draft))) return;
  const reason: Unknown = { code: "state", what: "alias, which changes what a name runs" };
  for (const draft of aliases) draft.unknown = [...draft.unknown, reason];
}

// Bash evaluates the text in a variable that arithmetic names.
function noteSums({ arithmetic, tainted, unknown }: Walk): void {
  for (const { text, command } of arithmetic ?? []) {
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
      if (!FOREIGN.has(name) && tainted?.has(name) !== true) continue;
      const reason: Unknown = { code: "dynamic_script", what: `arithmetic with \`${name}\`, whose text bash evaluates` };
      if (command === undefined) unknown.push(reason);
      else command.unknown = [...command.unknown, reason];
      break;
    }
  }
}
