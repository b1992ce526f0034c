import type { Assignment, Word } from "../analysis.ts";
import { classifyAssignment } from "../expand/assignments.ts";
import { add, emptyDraft, takeReasons } from "./read-command.ts";
import {
  noteUnknown,
  noteUnknownLine,
  noteLimit,
  quote,
  runsInOrder,
  type Draft,
  type CommandContext,
  type WalkState,
} from "./walk-state.ts";
import { ANYWHERE, LATER } from "../effects/working-folder.ts";
import { baseName } from "../programs/word-text.ts";
import { isAscii } from "../parse/characters.ts";
import { LIMITS } from "../limits.ts";
import { leavesInput } from "../programs/leaves-input.ts";
import { PIPE, REST, type Run } from "../programs/program-reading.ts";
import { suspect, suspects } from "./suspects.ts";
import { variableEffects } from "../effects/variable-effects.ts";
import { readProgram } from "../programs/index.ts";
import { goesBack, recordFolder } from "./folder-after.ts";
import { noteState } from "./shell-state.ts";
import { shorterCommands } from "./shorter-commands.ts";
import { keepsFolder, staysUntil } from "./wrapper-folders.ts";
import type { WalkScript } from "./walk-pending.ts";
import { runScript, runValues, textWord } from "./run-script.ts";
import { effectsWithHome } from "./tildes.ts";

// Wrappers that end together with their command.
const WAITS =
  /^(env|command|builtin|exec|nohup|timeout|nice|ionice|chrt|stdbuf|bash|sh|dash|zsh|ksh|ash|eval|npx|bunx|pnpx|uvx|npm|pnpm|yarn|bun|uv|poetry|pipenv|bundle)$/;
const REPEATS = /^(xargs|find)$/;

/** Adds what a command does, and the commands that it runs. */
export function runCommand(
  walk: WalkState,
  at: number,
  place: CommandContext,
  script: WalkScript,
): void {
  const draft = walk.commands[at];
  walk.onSuccess = walk.onFailure = place.folder;
  if (draft === undefined) return;
  const { argv } = draft;
  const [first] = argv;
  const { tildes } = walk;
  walk.tildes = undefined;
  const reached = variableEffects(draft);
  if (reached.length > 0) draft.effects = draft.effects.concat(reached);
  if (first === undefined) return runValues(walk, place, script);
  if (argv.length > LIMITS.argv) {
    noteUnknownLine(walk, { code: "limit", what: `more than ${LIMITS.argv} words of one command` });
    draft.carries = true;
    return takeReasons(walk, draft);
  }
  const reading = readProgram(argv, place.input);
  const { hazards, effects, unknown, runs } = reading;
  // The next round would read the rest of a path.
  if (place.input === REST && !leavesInput(argv, effects)) walk.variables.contradicted = true;
  if (hazards.length > 0)
    draft.hazards = draft.hazards.length === 0 ? hazards : draft.hazards.concat(hazards);
  const added = effectsWithHome(walk, argv, effects, tildes);
  if (added.length > 0)
    draft.effects = draft.effects.length === 0 ? added : added.concat(draft.effects);
  if (unknown.length > 0)
    draft.unknown = draft.unknown.length === 0 ? unknown : draft.unknown.concat(unknown);
  draft.carries ||= reading.carries;
  if (first.text === undefined) {
    takeReasons(walk, draft);
    return runValues(walk, place, script);
  }
  noteState(walk, first.text, draft);
  // Letters of other alphabets can look like those of a known program.
  if (!isAscii(baseName(first.text)))
    noteUnknown(walk, "syntax", `program ${quote(first.text)}, whose name is not plain ASCII`);
  if (!reading.carries && walk.functions?.has(first.text) === true) {
    noteUnknown(walk, "state", `function ${quote(first.text)}, which hides a program of that name`);
  }
  takeReasons(walk, draft);
  runValues(walk, place, script);
  let until = 1;
  for (const run of runs) {
    if (walk.full) return;
    follow(walk, draft, run, place, script, until);
    // The assignments of one command do not apply to the next.
    if (run.kind === "argv" && run.until !== undefined && run.until > until) until = run.until;
  }
  for (const words of shorterCommands(draft)) runShorter(walk, draft, words, place, script);
  const inOrder = runsInOrder(walk, place);
  const back = inOrder && goesBack(walk, draft);
  if (back) walk.folders[at] = walk.previous ?? ANYWHERE;
  recordFolder(walk, draft, first.text, place.folder, { ran: runs.length > 0, back, inOrder });
}

// A policy judges the shorter command like any other of the line.
function runShorter(
  walk: WalkState,
  draft: Draft,
  argv: readonly Word[],
  place: CommandContext,
  script: WalkScript,
): void {
  if (walk.full) return;
  const { assignments, redirections, insteadOf = draft } = draft;
  add(walk, { ...emptyDraft(place), argv, assignments, redirections, insteadOf }, place);
  runCommand(walk, walk.commands.length - 1, place, script);
}

// When a command that another program starts will run.
function orderIn(name: string, { order }: CommandContext): CommandContext["order"] {
  return WAITS.test(name)
    ? order
    : !REPEATS.test(name)
      ? "later"
      : order === "after"
        ? "with"
        : order;
}

// A program that reads a list of files from a pipe leaves nothing of it. A script may read only a part.
function inputIn(name: string, { kind }: Run, { input }: CommandContext): CommandContext["input"] {
  if (input.kind !== "pipe" || input.files === undefined) return input;
  return kind === "argv" && !REPEATS.test(name) ? input : PIPE;
}

function follow(
  walk: WalkState,
  draft: Draft,
  run: Run,
  outside: CommandContext,
  script: WalkScript,
  after: number,
): void {
  if (++walk.depth > LIMITS.depth)
    return noteLimit(walk, `more than ${LIMITS.depth} nested levels`);
  const name = baseName(draft.argv[0]?.text ?? "");
  const place: CommandContext = {
    ...outside,
    input: inputIn(name, run, outside),
    order: orderIn(name, outside),
    remote: outside.remote || run.remote === true,
  };
  if (run.kind === "sight") {
    for (const found of "text" in run ? suspects(run.text) : [suspect(run.words)]) {
      found.remote = place.remote;
      if (!walk.full) add(walk, found, { ...place, outer: undefined, folder: ANYWHERE });
    }
  } else if (run.kind === "script") followScript(walk, draft, run.script, place, script);
  else if (place.wrappers < LIMITS.wrappers) followWrapped(walk, draft, run, place, script, after);
  else return noteLimit(walk, `more than ${LIMITS.wrappers} wrappers around one command`);
  walk.depth--;
}

function followScript(
  walk: WalkState,
  draft: Draft,
  text: Word,
  place: CommandContext,
  script: WalkScript,
): void {
  const name = baseName(draft.argv[0]?.text ?? "");
  const later = name === "trap" || name === "alias" || name === "complete" || name === "bind";
  const stays = keepsFolder(name);
  const folder = later ? LATER : stays ? place.folder : ANYWHERE;
  const inside = { ...place, origin: "script", once: place.once && !later, folder } as const;
  const { folderChanges } = walk;
  runScript(walk, text, inside, draft, script);
  // A trap may run between any two commands.
  if (later && walk.folderChanges > folderChanges) walk.flowUnknown = true;
  if (name !== "eval") walk.onSuccess = walk.onFailure = place.folder;
}

function followWrapped(
  walk: WalkState,
  draft: Draft,
  run: Extract<Run, { kind: "argv" }>,
  place: CommandContext,
  script: WalkScript,
  after: number,
): void {
  const name = baseName(draft.argv[0]?.text ?? "");
  const stays = staysUntil(draft.argv, name) >= run.from;
  const inside: CommandContext = {
    ...place,
    origin: "wrapper",
    outer: undefined,
    folder: stays ? place.folder : ANYWHERE,
    wrappers: place.wrappers + 1,
  };
  const child = childOf(walk, draft, run, inside, after);
  add(walk, child, inside);
  const index = walk.commands.length - 1;
  const [first] = child.argv;
  if (first !== undefined && (first.text === undefined || !first.single)) {
    noteUnknown(walk, "dynamic_command", `command name of ${quote(name)}`);
    child.carries = true;
  }
  takeReasons(walk, child);
  if (!walk.full) runCommand(walk, index, inside, script);
  if (name !== "command" && name !== "builtin") walk.onSuccess = walk.onFailure = place.folder;
}

function childOf(
  walk: WalkState,
  draft: Draft,
  run: Extract<Run, { kind: "argv" }>,
  place: CommandContext,
  after: number,
): Draft {
  const child = emptyDraft(place);
  const words = [...(run.words ?? draft.argv.slice(run.from, run.until))];
  if (run.open === true) words.push({ text: undefined, pieces: [{ hole: "any" }], single: false });
  child.argv = words;
  child.redirections = draft.redirections;
  child.assignments = draft.assignments;
  if (draft.insteadOf !== undefined) child.insteadOf = draft.insteadOf;
  let named: Assignment[] | undefined;
  for (let at = after; at < run.from; at++) {
    const word = draft.argv[at];
    const [start] = word?.pieces ?? [];
    if (word === undefined || typeof start !== "string" || !/^[A-Za-z_]\w*=/.test(start)) continue;
    const sign = start.indexOf("=") + 1;
    const value =
      word.text === undefined
        ? {
            text: undefined,
            pieces: [start.slice(sign), ...word.pieces.slice(1)],
            single: word.single,
          }
        : textWord(word.text.slice(sign));
    (named ??= []).push(classifyAssignment(walk, start.slice(0, sign - 1), value));
  }
  if (named !== undefined) child.assignments = child.assignments.concat(named);
  return child;
}
