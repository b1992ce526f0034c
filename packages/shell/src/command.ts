import type { Assignment, Word } from "./analysis.ts";
import { readAssignment } from "./assignments.ts";
import { isOptionLookalike } from "./characters.ts";
import { doubt, doubtLine, fill, NOTHING, quote, type Draft, type Place, type Walk } from "./context.ts";
import type { Folder } from "./folder.ts";
import { gapOf } from "./gaps.ts";
import { LIMITS } from "./limits.ts";
import type { Input } from "./program.ts";
import { addRedirection, type Redirected } from "./redirections.ts";
import type { AssignmentNode, CommandNode } from "./syntax.ts";
import { visitWord } from "./expansions.ts";
import { appendWords, oneWord } from "./words.ts";

/** Reads a simple command of the line, adds it to those found, and says what its standard input is. */
export function readCommand(walk: Walk, node: CommandNode, place: Place, folder: Folder): Input {
  const { name, prefix, suffix } = node;
  const draft = emptyDraft(place);
  add(walk, draft, place, folder);
  const words: Word[] = [];
  let redirected: Redirected | undefined;
  if (prefix.length > 0) {
    const assignments = [];
    for (const item of prefix) {
      if (item.type === "Assignment") assignments.push(isSeparator(item, name) ? separator(walk, item) : readAssignment(walk, item));
      else addRedirection(walk, item, (redirected ??= { redirections: [], effects: [], input: undefined }));
    }
    draft.assignments = assignments;
  }
  if (name !== undefined) {
    appendWords(walk, name, words);
    if (words.length !== 1 || words[0]?.text === undefined || !words[0].single) {
      draft.carries = true;
      doubt(walk, "dynamic_command", `command name ${quote(name.text)}`);
    }
  }
  const items = suffix.length > LIMITS.own ? fewOf(walk, suffix) : suffix;
  if (items.length < suffix.length) draft.carries = true;
  for (const item of items) {
    if (item.type === "Word") {
      if (isOptionLookalike(item.text)) doubt(walk, "syntax", `option ${quote(item.text)}, which is not plain ASCII`);
      appendWords(walk, item, words);
    } else if (item.type === "Assignment") words.push(assignmentWord(walk, item));
    else addRedirection(walk, item, (redirected ??= { redirections: [], effects: [], input: undefined }));
  }
  draft.argv = words;
  const gap = gapOf(walk.source, node);
  if (gap !== undefined) doubtLine(walk, { code: "syntax", what: `shell syntax at ${quote(gap.trim())}` });
  const { outer } = place;
  if (redirected !== undefined) {
    draft.redirections = redirected.redirections;
    draft.effects = redirected.effects;
  }
  if (outer !== undefined) draft.redirections = redirected === undefined ? allOf(outer) : draft.redirections.concat(allOf(outer));
  takeReasons(walk, draft);
  return redirected?.input ?? place.input;
}

type Suffix = CommandNode["suffix"];

// As many words and redirections as are looked at.
function fewOf(walk: Walk, suffix: Suffix): Suffix {
  const redirected = suffix.filter(({ type }) => type !== "Word" && type !== "Assignment").length > LIMITS.own;
  if (redirected) fill(walk, `more than ${LIMITS.own} redirections of one command`);
  else if (suffix.length > LIMITS.argv) fill(walk, `more than ${LIMITS.argv} words of one command`);
  else return suffix;
  return suffix.slice(0, redirected ? LIMITS.own : LIMITS.argv);
}

// `IFS= read x`: the built-in is all that sees it.
function isSeparator({ name, index }: AssignmentNode, program: CommandNode["name"]): boolean {
  return name === "IFS" && index === undefined && /^(read|mapfile|readarray)$/.test(program?.text ?? "");
}

function separator(walk: Walk, { name, value }: AssignmentNode): Assignment {
  if (value.type === "ArrayValue") for (const element of value.elements) visitWord(walk, element);
  return { name, value: value.type === "ArrayValue" ? undefined : oneWord(walk, value), harmless: value.type !== "ArrayValue" };
}

/** A command without anything yet. */
export function emptyDraft(place: Place): Draft {
  return {
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
}

/** Adds a command to those found. */
export function add(walk: Walk, draft: Draft, place: Place, folder: Folder): void {
  if (walk.commands.length >= LIMITS.commands) fill(walk, `more than ${LIMITS.commands} commands`);
  walk.commands.push(draft);
  walk.folders.push(folder);
  walk.outers.push(place.outer);
  walk.steps.push(place.order === "after" ? walk.step : place.order === "with" ? walk.step + 0.5 : -walk.step);
}

/** Gives a command the reasons found in its words, or the line where there is no command. */
export function takeReasons(walk: Walk, draft: Draft | undefined): void {
  if (walk.reasons !== undefined) {
    if (draft === undefined) for (const reason of walk.reasons) doubtLine(walk, reason);
    else draft.unknown = draft.unknown.length === 0 ? walk.reasons : draft.unknown.concat(walk.reasons);
    walk.reasons = undefined;
  }
  if (walk.sums !== undefined) {
    const sums = (walk.arithmetic ??= []);
    for (const text of walk.sums) sums.push({ text, command: draft });
    walk.sums = undefined;
  }
}

const collected = new WeakMap<NonNullable<Place["outer"]>, Draft["redirections"]>();

/** The redirections of a group and of all around it. */
export function allOf(outer: NonNullable<Place["outer"]>): Draft["redirections"] {
  // The same for all commands of a group.
  let all = collected.get(outer);
  if (all === undefined) {
    all = outer.around === undefined ? outer.redirections : outer.redirections.concat(allOf(outer.around));
    collected.set(outer, all);
  }
  return all;
}

// `export A=1`: a word for the program, and an assignment for the shell.
function assignmentWord(walk: Walk, node: AssignmentNode): Word {
  const { name, index, append, value } = node;
  const assignment = readAssignment(walk, node);
  const start = `${name}${index === undefined ? "" : `[${index.text}]`}${append === true ? "+=" : "="}`;
  const word = assignment.value;
  if (value.type === "ArrayValue" || word === undefined) return { text: undefined, pieces: [start, { hole: "any" }], single: true };
  const [first, ...rest] = word.pieces;
  const pieces = typeof first === "string" ? [start + first, ...rest] : [start, ...word.pieces];
  return { text: word.text === undefined ? undefined : start + word.text, pieces, single: true };
}
