import type { Analysis, Effect, Unknown } from "./analysis.ts";
import { countEqual } from "./equal-commands.ts";
import { hiddenCharacter } from "./parse/characters.ts";
import {
  TOP,
  actualFolder,
  noteUnknownLine,
  noteLimit,
  type Draft,
  type Group,
  type WalkState,
} from "./walk/walk-state.ts";
import { ANYWHERE, resolveEffects, START } from "./effects/working-folder.ts";
import { markInput } from "./effects/given-input.ts";
import { markLaterPaths } from "./effects/later-paths.ts";
import { checkListedNames } from "./effects/listed-names.ts";
import { KnownVariables } from "./expand/known-variables.ts";
import { LIMITS } from "./limits.ts";
import { commandsInText } from "./walk/suspects.ts";
import { parseScript } from "./parse/syntax.ts";
import { walkScript } from "./walk/walk-script.ts";
import { noteFilledSources } from "./effects/brought-files.ts";
import { noteProjectFolders } from "./effects/project-folders.ts";
import { noteWritten } from "./effects/written-programs.ts";

// Variables that bash sets to text from outside the line.
const FOREIGN: ReadonlySet<string> = new Set(
  "REPLY BASH_REMATCH MAPFILE OPTARG BASH_COMMAND BASH_ARGV BASH_EXECUTION_STRING READLINE_LINE COPROC PWD OLDPWD".split(
    " ",
  ),
);

/** Analyzes any line by its syntax tree. `cwd`: the working directory, if it is known. */
export function analyzeScript(line: string, cwd?: string): Analysis {
  if (line.length > LIMITS.length) {
    const reason: Unknown = { code: "limit", what: `line of ${line.length} characters` };
    const commands =
      line.length > LIMITS.sight ? undefined : commandsInText(line, reason, LIMITS.commands);
    return commands === undefined ? tooLarge(reason.what) : { commands, unknown: [reason] };
  }
  let walk = walkLine(line, { home: true, values: true, cwd });
  const { variables } = walk;
  const values =
    !variables.contradicted &&
    !(variables.used && (walk.full || walk.commands.length > LIMITS.different / 2));
  const earlier = values && !variables.missedNumber ? undefined : variables;
  if (earlier !== undefined) walk = walkLine(line, { home: true, values, earlier, cwd });
  const home = !(walk.home.used && walk.home.folderAfterCd);
  const isMoved = walk.cwd.used && (walk.flowUnknown || walk.cwd.changes);
  if (!home || isMoved)
    walk = walkLine(line, { home, values, earlier, cwd: isMoved ? undefined : cwd });
  return finish(line, walk);
}

// None of so many commands is analyzed, so none is reported.
const tooLarge = (what: string): Analysis => ({ commands: [], unknown: [{ code: "size", what }] });

/** Whether `~` is the home directory at the start of the line, and whether values of variables are used. */
interface Trusted {
  readonly home: boolean;
  readonly values: boolean;
  /** The variables of the first walk, which tell what is only ever a number. */
  readonly earlier?: KnownVariables | undefined;
  readonly cwd: string | undefined;
}

function walkLine(line: string, { home, values, earlier, cwd }: Trusted): WalkState {
  const walk: WalkState = {
    source: line,
    commands: [],
    folders: [],
    outers: [],
    steps: [],
    step: 1,
    unknown: [],
    pending: undefined,
    substituted: undefined,
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
    changesElsewhere: 0,
    flowUnknown: false,
    onSuccess: START,
    onFailure: START,
    previous: undefined,
    functions: undefined,
    home: { trusted: home, used: false, folderAfterCd: false },
    cwd: { path: cwd, used: false, changes: false },
    folder: START,
    variables: new KnownVariables({ hidden: !values, earlier }),
    untrusted: undefined,
    arithmetic: undefined,
    arithmeticTexts: undefined,
    holes: false,
    aliases: undefined,
  };
  const hidden = hiddenCharacter(line);
  if (hidden !== undefined) noteUnknownLine(walk, { code: "syntax", what: `character ${hidden}` });
  const script = parseScript(line);
  if (script === undefined) {
    noteLimit(walk, "a line nested too deeply to parse");
    return walk;
  }
  try {
    walkScript(walk, script, TOP);
  } catch {
    // The parser builds parts of the tree on access, and a deep tree may overflow the stack.
    noteLimit(walk, "a line nested too deeply to parse");
  }
  return walk;
}

function finish(line: string, walk: WalkState): Analysis {
  const { commands, unknown } = walk;
  noteArithmetic(walk);
  noteAliases(walk);
  const around = new Map<Group, readonly Effect[]>();
  for (let at = 0; at < commands.length; at++) {
    const draft = commands[at];
    if (draft === undefined) continue;
    const folder = walk.folders[at] ?? ANYWHERE;
    if (draft.effects.length > 0)
      draft.effects = resolveEffects(draft.effects, actualFolder(walk, folder));
    const outer = walk.outers[at];
    if (outer !== undefined)
      draft.effects = together(draft.effects, outerEffects(walk, outer, around));
  }
  markLaterPaths(walk, around);
  checkListedNames(walk);
  noteWritten(commands);
  noteProjectFolders(walk);
  noteFilledSources(walk);
  markInput(walk);
  const [reason] = unknown;
  const room = Math.max(LIMITS.seen, LIMITS.different - commands.length);
  const seen = reason === undefined ? [] : commandsInText(line, reason, room);
  if (seen === undefined || isTooMany(commands))
    return tooLarge(`more than ${LIMITS.different} different commands`);
  commands.push(...seen);
  return { commands, unknown };
}

// Equal commands are evaluated once, so only different ones count.
const isTooMany = (commands: readonly Draft[]): boolean =>
  commands.length > LIMITS.different && countEqual(commands).size > LIMITS.different;

// Effects of the groups around a command, computed once per group.
function outerEffects(
  walk: WalkState,
  outer: Group,
  known: Map<Group, readonly Effect[]>,
): readonly Effect[] {
  let effects = known.get(outer);
  if (effects === undefined) {
    effects = resolveEffects(
      outer.effects,
      walk.folderChanges > 0 && !outer.once ? ANYWHERE : actualFolder(walk, outer.folder),
    );
    if (outer.around !== undefined)
      effects = together(effects, outerEffects(walk, outer.around, known));
    known.set(outer, effects);
  }
  return effects;
}

function together<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  return first.length === 0 ? second : second.length === 0 ? first : first.concat(second);
}

// If a line has only aliases, no command of it can be changed by them.
function noteAliases({ aliases, commands }: WalkState): void {
  if (
    aliases === undefined ||
    commands.every((draft) => draft.origin === "script" || aliases.includes(draft))
  )
    return;
  const reason: Unknown = {
    code: "state",
    what: "an alias, which changes what a command name runs",
  };
  for (const draft of aliases) draft.unknown = [...draft.unknown, reason];
}

// Bash evaluates the text of every variable named in arithmetic, and `sh` may run that of one in `[[`.
function noteArithmetic({ arithmetic, untrusted, unknown }: WalkState): void {
  for (const { text, command } of arithmetic ?? []) {
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) {
      if (!FOREIGN.has(name) && untrusted?.has(name) !== true) continue;
      const reason: Unknown = {
        code: "dynamic_script",
        what: `\`${name}\` in arithmetic or \`[[\`, whose text a shell evaluates`,
      };
      if (command === undefined) unknown.push(reason);
      else command.unknown = [...command.unknown, reason];
      break;
    }
  }
}
