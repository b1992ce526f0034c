import type { Assignment, Word } from "../analysis.ts";
import { isDigits, readAssignment } from "../expand/assignments.ts";
import { isOptionLookalike } from "../parse/characters.ts";
import {
  noteUnknown,
  noteUnknownLine,
  noteLimit,
  runsInOrder,
  NOTHING,
  quote,
  type Draft,
  type CommandContext,
  type WalkState,
} from "./walk-state.ts";
import { skippedText } from "../parse/skipped-text.ts";
import { LIMITS } from "../limits.ts";
import type { Input } from "../programs/program-reading.ts";
import { addRedirection, noneRedirected, type Redirected } from "../expand/redirections.ts";
import type { AssignmentNode, CommandNode, Statement } from "../parse/syntax.ts";
import { visitWord } from "../expand/expansions.ts";
import { appendWords, oneWord, printedBy } from "../expand/words.ts";

/** Reads a simple command, adds it to the result and returns its standard input. */
export function readCommand(walk: WalkState, node: CommandNode, place: CommandContext): Input {
  const { name, prefix, suffix } = node;
  const draft = emptyDraft(place);
  add(walk, draft, place);
  const words: Word[] = [];
  let redirected: Redirected | undefined;
  if (prefix.length > 0) {
    const assignments = [];
    const followed = onlyAssigns(node) && runsInOrder(walk, place);
    for (const item of prefix) {
      if (item.type !== "Assignment") addRedirection(walk, item, (redirected ??= noneRedirected()));
      else if (isSeparator(item, name)) assignments.push(separator(walk, item));
      else {
        const assignment = readAssignment(walk, item);
        assignments.push(assignment);
        const isNumber = isWhole(item) && item.value.type === "Word" && isDigits(item.value);
        walk.variables.noteValue(item.name, { isNumber });
        // A substitution earlier in the command still reads the old value.
        if (followed && (prefix.length === 1 || walk.pending === undefined))
          assign(walk, item, assignment);
        else if (place.sets === true && isWhole(item))
          walk.variables.setInList(item.name, assignment.value);
        else walk.variables.setElsewhere(item.name);
      }
    }
    draft.assignments = assignments;
  }
  if (name !== undefined) {
    appendWords(walk, name, words);
    if (words.length !== 1 || words[0]?.text === undefined || !words[0].single) {
      draft.carries = true;
      noteUnknown(walk, "dynamic_command", `command name ${quote(name.text)}`);
    }
  }
  const items = suffix.length > LIMITS.own ? fewOf(walk, suffix) : suffix;
  if (items.length < suffix.length) draft.carries = true;
  for (const item of items) {
    if (item.type === "Word") {
      if (isOptionLookalike(item.text))
        noteUnknown(walk, "syntax", `option ${quote(item.text)}, which is not plain ASCII`);
      appendWords(walk, item, words);
    } else if (item.type === "Assignment") words.push(assignmentWord(walk, item));
    else addRedirection(walk, item, (redirected ??= noneRedirected()));
  }
  draft.argv = words;
  const gap = skippedText(walk.source, node);
  if (gap !== undefined)
    noteUnknownLine(walk, { code: "syntax", what: `shell syntax at ${quote(gap.trim())}` });
  const { outer } = place;
  if (redirected !== undefined) {
    draft.redirections = redirected.redirections;
    draft.effects = redirected.effects;
  }
  if (outer !== undefined)
    draft.redirections =
      redirected === undefined ? allOf(outer) : draft.redirections.concat(allOf(outer));
  takeReasons(walk, draft);
  return redirected?.input ?? place.input;
}

function assign(walk: WalkState, item: AssignmentNode, { value }: Assignment): void {
  if (!isWhole(item)) return walk.variables.assign(item.name, undefined);
  const printed = item.value.type === "Word" ? printedBy(walk, item.value) : undefined;
  walk.variables.assign(item.name, value, printed);
}

/** Whether a statement of a list only sets a variable, before the next one runs. */
export const isSetting = ({ command, background }: Statement): boolean =>
  command.type === "Command" &&
  command.prefix.length === 1 &&
  onlyAssigns(command) &&
  background !== true;

function onlyAssigns({ name, prefix, suffix }: CommandNode): boolean {
  return name === undefined && [...prefix, ...suffix].every(({ type }) => type === "Assignment");
}

const isWhole = ({ index, append }: AssignmentNode): boolean =>
  index === undefined && append !== true;

type Suffix = CommandNode["suffix"];

// Cuts words and redirections off at the limits.
function fewOf(walk: WalkState, suffix: Suffix): Suffix {
  const redirected =
    suffix.filter(({ type }) => type !== "Word" && type !== "Assignment").length > LIMITS.own;
  if (redirected) noteLimit(walk, `more than ${LIMITS.own} redirections of one command`);
  else if (suffix.length > LIMITS.argv)
    noteLimit(walk, `more than ${LIMITS.argv} words of one command`);
  else return suffix;
  return suffix.slice(0, redirected ? LIMITS.own : LIMITS.argv);
}

// In `IFS= read x` only the built-in sees the assignment.
function isSeparator({ name, index }: AssignmentNode, program: CommandNode["name"]): boolean {
  return (
    name === "IFS" && index === undefined && /^(read|mapfile|readarray)$/.test(program?.text ?? "")
  );
}

function separator(walk: WalkState, { name, value }: AssignmentNode): Assignment {
  if (value.type === "ArrayValue") for (const element of value.elements) visitWord(walk, element);
  return {
    name,
    value: value.type === "ArrayValue" ? undefined : oneWord(walk, value),
    harmless: value.type !== "ArrayValue",
  };
}

export function emptyDraft(place: CommandContext): Draft {
  const draft: Draft = {
    argv: NOTHING,
    assignments: NOTHING,
    redirections: NOTHING,
    origin: place.origin,
    remote: place.remote,
    hazards: NOTHING,
    effects: NOTHING,
    carries: false,
    unknown: NOTHING,
  };
  if (place.input.kind !== "inherited") draft.hasInput = true;
  return draft;
}

export function add(walk: WalkState, draft: Draft, place: CommandContext): void {
  if (walk.commands.length >= LIMITS.commands)
    noteLimit(walk, `more than ${LIMITS.commands} commands`);
  walk.commands.push(draft);
  walk.folders.push(place.folder);
  walk.outers.push(place.outer);
  walk.steps.push(
    place.order === "after" ? walk.step : place.order === "with" ? walk.step + 0.5 : -walk.step,
  );
}

/** Moves the reasons found in the last words to a command, or to the line if there is none. */
export function takeReasons(walk: WalkState, draft: Draft | undefined): void {
  if (walk.reasons !== undefined) {
    if (draft === undefined) for (const reason of walk.reasons) noteUnknownLine(walk, reason);
    else
      draft.unknown =
        draft.unknown.length === 0 ? walk.reasons : draft.unknown.concat(walk.reasons);
    walk.reasons = undefined;
  }
  if (walk.arithmeticTexts !== undefined) {
    const arithmeticTexts = (walk.arithmetic ??= []);
    for (const text of walk.arithmeticTexts) arithmeticTexts.push({ text, command: draft });
    walk.arithmeticTexts = undefined;
  }
}

const collected = new WeakMap<NonNullable<CommandContext["outer"]>, Draft["redirections"]>();

/** The redirections of a group and of all groups around it. */
export function allOf(outer: NonNullable<CommandContext["outer"]>): Draft["redirections"] {
  // Shared by all commands of a group.
  let all = collected.get(outer);
  if (all === undefined) {
    all =
      outer.around === undefined
        ? outer.redirections
        : outer.redirections.concat(allOf(outer.around));
    collected.set(outer, all);
  }
  return all;
}

// `export A=1` is a word for the program and an assignment for the shell.
function assignmentWord(walk: WalkState, node: AssignmentNode): Word {
  const { name, index, append, value } = node;
  const assignment = readAssignment(walk, node);
  walk.variables.setElsewhere(name);
  const start = `${name}${index === undefined ? "" : `[${index.text}]`}${append === true ? "+=" : "="}`;
  const word = assignment.value;
  if (value.type === "ArrayValue" || word === undefined)
    return { text: undefined, pieces: [start, { hole: "any" }], single: true };
  const [first, ...rest] = word.pieces;
  const pieces = typeof first === "string" ? [start + first, ...rest] : [start, ...word.pieces];
  return { text: word.text === undefined ? undefined : start + word.text, pieces, single: true };
}
