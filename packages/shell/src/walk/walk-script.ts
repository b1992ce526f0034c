import type { Word } from "../analysis.ts";
import { markUntrusted, setName } from "../expand/assignments.ts";
import { emptyDraft, add, allOf, isSetting, readCommand, takeReasons } from "./read-command.ts";
import { visitArithmeticCommand, visitTest } from "../expand/conditions.ts";
import {
  inOwnProcess,
  noteUnknownLine,
  noteLimit,
  runsInOrder,
  quote,
  type CommandContext,
  type WalkState,
} from "./walk-state.ts";
import { anyFound, eachFound, type Listing } from "../programs/found-files.ts";
import { PIPE, type Input } from "../programs/program-reading.ts";
import { visitArithmetic, visitWord } from "../expand/expansions.ts";
import { ANYWHERE, eitherFolder, LATER, type Folder } from "../effects/working-folder.ts";
import { LIMITS } from "../limits.ts";
import { lateTime, missingCommand, refusedText, timedArray } from "../parse/refused-text.ts";
import { isLoop, inputOf, listOf, noteShared, readsList, withLists } from "./piped-files.ts";
import { readLoopWords, walkLoop, walkRounds, walkWhile } from "./loops.ts";
import { runCommand } from "./run-command.ts";
import { readFunction } from "./read-function.ts";
import { together, walkPending } from "./walk-pending.ts";
import { addRedirection, noneRedirected } from "../expand/redirections.ts";
import type {
  AndOr,
  CompoundNode,
  Node,
  ParsedScript,
  PipelineNode,
  Statement,
} from "../parse/syntax.ts";

/** Walks a script. Sets `onSuccess` and `onFailure` of the walk to the working directories at its end. */
export function walkScript(walk: WalkState, script: ParsedScript, place: CommandContext): void {
  const [error] = script.errors ?? [];
  if (error !== undefined) {
    const what = `shell syntax: ${error.message.replace(/[`\n\r]/g, "'")}`;
    noteUnknownLine(walk, { code: "syntax", what });
  }
  walkList(walk, script.commands, place);
}

function walkList(walk: WalkState, statements: readonly Statement[], place: CommandContext): void {
  let from = place.folder;
  const { counts } = walk.variables;
  walk.onSuccess = walk.onFailure = from;
  for (const statement of statements) {
    if (walk.full) return;
    const { command, background } = statement;
    noteRefused(walk, missingCommand(walk.source, statement));
    walk.previous = undefined;
    const inside = inFolder(background === true ? { ...place, order: "later" } : place, from);
    if (inside.order === "after") walk.step++;
    if (command.type === "AndOr") walkAndOr(walk, command, inside);
    else walkPipeline(walk, command, isSetting(statement) ? { ...inside, sets: true } : inside);
    const end = eitherFolder(walk.onSuccess, walk.onFailure);
    // A background job changes only its own working directory. In zsh, only the last command of `a && b &` is a background job.
    if (background !== true) from = end;
    else if (command.type === "AndOr") from = eitherFolder(from, end);
    if (background === true) walk.onSuccess = walk.onFailure = from;
  }
  walk.variables.counts = counts;
}

const inFolder = (place: CommandContext, folder: Folder): CommandContext =>
  place.folder === folder ? place : { ...place, folder };

function walkAndOr(walk: WalkState, { commands, operators }: AndOr, place: CommandContext): void {
  let onSuccess = place.folder;
  let onFailure = place.folder;
  const inOrder = runsInOrder(walk, place);
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (command === undefined || walk.full) break;
    const operator = at === 0 ? undefined : operators[at - 1];
    if (at > 0 && place.order === "after") walk.step++;
    if (inOrder) walk.variables.follow(operator);
    if (operator === "||") walk.previous = undefined;
    walkPipeline(walk, command, inFolder(place, operator === "||" ? onFailure : onSuccess));
    if (operator === "||") onSuccess = eitherFolder(onSuccess, walk.onSuccess);
    else onSuccess = walk.onSuccess;
    onFailure = operator === "&&" ? eitherFolder(onFailure, walk.onFailure) : walk.onFailure;
  }
  if (inOrder) walk.variables.follow(undefined);
  walk.onSuccess = onSuccess;
  walk.onFailure = onFailure;
}

function walkPipeline(walk: WalkState, node: PipelineNode, place: CommandContext): void {
  if (node.type !== "Pipeline") return walkNode(walk, node, place);
  const { commands, prefixes } = node;
  const [first] = commands;
  if (first === undefined) {
    return noteUnknownLine(walk, { code: "syntax", what: "`!` or `time` without a command" });
  }
  noteRefused(walk, timedArray(node));
  noteRefused(walk, lateTime(walk.source, node));
  const several = commands.length > 1;
  let last = walk.commands.length;
  walkNode(walk, first, several ? together(place) : place);
  if (several) {
    const later: CommandContext = { ...together(place), input: PIPE };
    const lists = commands.some(readsList);
    let files: Listing | undefined;
    for (let at = 1; at < commands.length && !walk.full; at++) {
      const command = commands[at];
      if (command === undefined) continue;
      if (lists)
        files =
          node.operators[at - 1] === "|" ? listOf(walk, commands[at - 1], last, files) : undefined;
      last = walk.commands.length;
      const input: Input = files === undefined ? PIPE : { kind: "pipe", files };
      // A group may have read a part of the list already.
      const isFirst = command.type === "Command" || isLoop(command);
      walkNode(walk, command, isFirst ? { ...later, input } : later);
    }
    // In zsh, the last command runs in this shell.
    walk.onSuccess = eitherFolder(place.folder, walk.onSuccess);
    walk.onFailure = eitherFolder(place.folder, walk.onFailure);
  }
  for (const { type } of prefixes)
    if (type === "Negation") [walk.onSuccess, walk.onFailure] = [walk.onFailure, walk.onSuccess];
  if (prefixes.length > 0) walk.previous = undefined;
}

function noteRefused(walk: WalkState, text: string | undefined): void {
  if (text !== undefined)
    noteUnknownLine(walk, { code: "syntax", what: `shell syntax at ${quote(text.trim())}` });
}

function walkNode(walk: WalkState, node: Node, place: CommandContext): void {
  if (++walk.nodes > LIMITS.nodes) return noteLimit(walk, `more than ${LIMITS.nodes} syntax nodes`);
  walk.folder = place.remote ? ANYWHERE : place.folder;
  if (node.type === "Command") {
    const input = readCommand(walk, node, place);
    const at = walk.commands.length - 1;
    noteShared(walk, place, walk.commands[at]?.redirections ?? []);
    const lists = walkPending(walk, place, walkScript);
    const draft = walk.commands[at];
    if (draft !== undefined) draft.argv = withLists(draft.argv, lists, anyFound);
    if (!walk.full) runCommand(walk, at, { ...place, input }, walkScript);
    return;
  }
  if (++walk.depth > LIMITS.depth)
    return noteLimit(walk, `more than ${LIMITS.depth} nested levels`);
  walkCompound(walk, node, place);
  walk.depth--;
}

function walkCompound(walk: WalkState, node: CompoundNode, place: CommandContext): void {
  noteRefused(walk, refusedText(walk.source, node));
  switch (node.type) {
    case "Redirected":
      return walkRedirected(walk, node, place);
    case "Subshell":
      inOwnProcess(walk, () => walkList(walk, node.body.commands, place));
      break;
    case "BraceGroup":
      return walkList(walk, node.body.commands, place);
    case "If":
      return walkIf(walk, node, place);
    case "While":
      return walkWhile(walk, node, place, walkList);
    case "For":
    case "Select":
      return walkFor(walk, node, place);
    case "ArithmeticFor":
      for (const part of [node.initialize, node.test, node.update])
        visitArithmetic(walk, undefined, part);
      finishWords(walk, place);
      return walkLoop(walk, place, (inside) => walkList(walk, node.body.commands, inside));
    case "Case":
      return walkCase(walk, node, place);
    case "TestCommand":
      visitTest(walk, node.expression);
      finishWords(walk, place);
      break;
    case "ArithmeticCommand":
      visitArithmeticCommand(walk, node);
      finishWords(walk, place);
      break;
    case "Function":
      readFunction(walk, node.name, () =>
        walk.variables.hide(() =>
          walkBody(walk, node.body, { ...place, once: false, order: "later", folder: LATER }),
        ),
      );
      break;
    case "Coproc":
      if (node.name !== undefined) {
        setName(walk, node.name.text, { number: false });
        setName(walk, `${node.name.text}_PID`, { number: true });
      }
      finishWords(walk, place);
      walkBody(walk, node.body, { ...place, input: PIPE, order: "later" });
  }
  walk.onSuccess = walk.onFailure = place.folder;
}

function walkFor(
  walk: WalkState,
  node: Extract<Node, { type: "For" | "Select" }>,
  place: CommandContext,
): void {
  const read = readLoopWords(walk, node);
  const words = withLists(read, finishWords(walk, place), eachFound);
  if (node.type === "Select") markUntrusted(walk, "REPLY");
  const body = (inside: CommandContext): void =>
    walkRounds(walk, node, words, () => walkList(walk, node.body.commands, inside));
  walkLoop(walk, place, body, words);
}

type Body = Node | { readonly type: "CompoundList"; readonly commands: readonly Statement[] };

function walkBody(walk: WalkState, body: Body, place: CommandContext): void {
  if (body.type === "CompoundList") walkList(walk, body.commands, place);
  else walkNode(walk, body, place);
}

type If = Extract<Node, { type: "If" }>;

function walkIf(walk: WalkState, node: If, place: CommandContext): void {
  walkList(walk, node.clause.commands, place);
  let onFailure = walk.onFailure;
  walkList(walk, node.then.commands, inFolder(place, walk.onSuccess));
  let end = eitherFolder(walk.onSuccess, walk.onFailure);
  for (const branch of node.elif) {
    walkList(walk, branch.clause.commands, inFolder(place, onFailure));
    onFailure = walk.onFailure;
    walkList(walk, branch.then.commands, inFolder(place, walk.onSuccess));
    end = eitherFolder(end, eitherFolder(walk.onSuccess, walk.onFailure));
  }
  if (node.else === undefined) end = eitherFolder(end, onFailure);
  else {
    walkList(walk, node.else.commands, inFolder(place, onFailure));
    end = eitherFolder(end, eitherFolder(walk.onSuccess, walk.onFailure));
  }
  walk.onSuccess = walk.onFailure = end;
}

function walkCase(
  walk: WalkState,
  node: Extract<Node, { type: "Case" }>,
  place: CommandContext,
): void {
  visitWord(walk, node.word);
  for (const item of node.items) for (const pattern of item.pattern) visitWord(walk, pattern);
  finishWords(walk, place);
  const { folder } = place;
  let end = folder;
  let from = folder;
  for (const item of node.items) {
    walkList(walk, item.body.commands, inFolder(place, from));
    const after = eitherFolder(walk.onSuccess, walk.onFailure);
    end = eitherFolder(end, after);
    from =
      item.terminator === undefined || item.terminator === ";;"
        ? folder
        : eitherFolder(folder, after);
  }
  walk.onSuccess = walk.onFailure = end;
}

function walkRedirected(
  walk: WalkState,
  { command, redirects }: Extract<Node, { type: "Redirected" }>,
  place: CommandContext,
): void {
  const redirected = noneRedirected();
  for (const redirect of redirects) addRedirection(walk, redirect, redirected);
  const lists = finishWords(walk, place);
  const outer = {
    redirections: redirected.redirections,
    effects: redirected.effects,
    folder: place.folder,
    around: place.outer,
    once: place.once,
    step: place.order === "after" ? walk.step : undefined,
  };
  if (allOf(outer).length > LIMITS.redirections)
    return noteLimit(walk, `more than ${LIMITS.redirections} redirections around a command`);
  noteShared(walk, place, redirected.redirections);
  const input = inputOf(command, redirected, lists, place.input);
  const inside: CommandContext = { ...place, outer, input };
  const first = walk.commands.length;
  walkNode(walk, command, inside);
  for (let at = first; at < walk.outers.length; at++) if (walk.outers[at] !== place.outer) return;
  // The group runs no command, but its files are opened.
  const draft = emptyDraft(place);
  draft.redirections = redirected.redirections;
  add(walk, draft, inside);
}

// The words of control flow belong to no command, so their reasons are recorded for the line.
function finishWords(walk: WalkState, place: CommandContext): ReadonlyMap<Word, Listing> {
  takeReasons(walk, undefined);
  return walkPending(walk, place, walkScript);
}
