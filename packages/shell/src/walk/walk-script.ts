import { setName, markUntrusted } from "../expand/assignments.ts";
import { emptyDraft, add, allOf, readCommand, takeReasons } from "./read-command.ts";
import { visitTest } from "../expand/conditions.ts";
import {
  noteUnknownLine,
  noteLimit,
  quote,
  type CommandContext,
  type WalkState,
} from "./walk-state.ts";
import type { Listing } from "../programs/found-files.ts";
import { listedFiles } from "../programs/listed-files.ts";
import { PIPE, type Input } from "../programs/program-reading.ts";
import { visitArithmetic, visitWord } from "../expand/expansions.ts";
import { ANYWHERE, eitherFolder, LATER, type Folder } from "../effects/working-folder.ts";
import { LIMITS } from "../limits.ts";
import {
  isRefused,
  lateTime,
  missingCommand,
  refusedText,
  timedArray,
} from "../parse/refused-text.ts";
import { runCommand } from "./run-command.ts";
import { addRedirection, type Redirected } from "../expand/redirections.ts";
import type {
  AndOr,
  CompoundNode,
  ParsedScript,
  PipelineNode,
  RedirectionNode,
  Statement,
  WordNode,
  WordPart,
} from "../parse/syntax.ts";

/** Walks a script. `onSuccess` and `onFailure` of the walk are the working directories at its end. */
export function walkScript(
  walk: WalkState,
  script: ParsedScript,
  place: CommandContext,
  folder: Folder,
): void {
  if (script.errors !== undefined && script.errors.length > 0) {
    noteUnknownLine(walk, {
      code: "syntax",
      what: `shell syntax: ${(script.errors[0]?.message ?? "").replace(/[`\n\r]/g, "'")}`,
    });
  }
  walkList(walk, script.commands, place, folder);
}

function walkList(
  walk: WalkState,
  statements: readonly Statement[],
  place: CommandContext,
  folder: Folder,
): void {
  let from = folder;
  walk.onSuccess = walk.onFailure = folder;
  for (const statement of statements) {
    if (walk.full) return;
    const { command, background } = statement;
    noteRefused(walk, missingCommand(walk.source, statement));
    const inside: CommandContext = background === true ? { ...place, order: "later" } : place;
    step(walk, inside);
    if (command.type === "AndOr") walkAndOr(walk, command, inside, from);
    else walkPipeline(walk, command, inside, from);
    // A background job changes only its own working directory.
    if (background === true) walk.onSuccess = walk.onFailure = from;
    from = eitherFolder(walk.onSuccess, walk.onFailure);
  }
}

function step(walk: WalkState, { order }: CommandContext): void {
  if (order === "after") walk.step++;
}

const together = (place: CommandContext): CommandContext =>
  place.order === "after" ? { ...place, order: "with" } : place;

function walkAndOr(
  walk: WalkState,
  { commands, operators }: AndOr,
  place: CommandContext,
  folder: Folder,
): void {
  let onSuccess = folder;
  let onFailure = folder;
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (command === undefined || walk.full) break;
    const operator = at === 0 ? undefined : operators[at - 1];
    if (at > 0) step(walk, place);
    walkPipeline(walk, command, place, operator === "||" ? onFailure : onSuccess);
    if (operator === "||") onSuccess = eitherFolder(onSuccess, walk.onSuccess);
    else onSuccess = walk.onSuccess;
    onFailure = operator === "&&" ? eitherFolder(onFailure, walk.onFailure) : walk.onFailure;
  }
  walk.onSuccess = onSuccess;
  walk.onFailure = onFailure;
}

function walkPipeline(
  walk: WalkState,
  node: PipelineNode,
  place: CommandContext,
  folder: Folder,
): void {
  if (node.type !== "Pipeline") return walkNode(walk, node, place, folder);
  const { commands, prefixes } = node;
  const [first] = commands;
  if (first === undefined) {
    return noteUnknownLine(walk, { code: "syntax", what: "`!` or `time` without a command" });
  }
  noteRefused(walk, timedArray(node));
  noteRefused(walk, lateTime(walk.source, node));
  const several = commands.length > 1;
  let last = walk.commands.length;
  walkNode(walk, first, several ? together(place) : place, folder);
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
      // A group may read a part of the list first.
      walkNode(walk, command, command.type === "Command" ? { ...later, input } : later, folder);
    }
    walk.onSuccess = walk.onFailure = folder;
  }
  for (const { type } of prefixes)
    if (type === "Negation") [walk.onSuccess, walk.onFailure] = [walk.onFailure, walk.onSuccess];
}

const readsList = (node: Node): boolean =>
  node.type === "Command" &&
  [node.name, ...node.suffix].some(
    (item) => item?.type === "Word" && /(^|\/)xargs$/.test(item.text),
  );

// The files that a command of a pipe prints, if it prints nothing else.
function listOf(
  walk: WalkState,
  node: Node | undefined,
  at: number,
  before: Listing | undefined,
): Listing | undefined {
  const draft = walk.commands[at];
  if (
    node?.type !== "Command" ||
    draft === undefined ||
    draft.argv.some(({ pipe }) => pipe === true)
  )
    return undefined;
  const quiet = draft.redirections.every(
    ({ operator, target }) => operator === ">" && target?.text === "/dev/null",
  );
  if (!quiet || draft.assignments.some(({ harmless }) => !harmless)) return undefined;
  return listedFiles(draft.argv, before);
}

function noteRefused(walk: WalkState, text: string | undefined): void {
  if (text !== undefined)
    noteUnknownLine(walk, { code: "syntax", what: `shell syntax at ${quote(text.trim())}` });
}

type Node = Exclude<PipelineNode, { type: "Pipeline" }>;

function walkNode(walk: WalkState, node: Node, place: CommandContext, folder: Folder): void {
  if (++walk.nodes > LIMITS.nodes) return noteLimit(walk, `more than ${LIMITS.nodes} syntax nodes`);
  if (node.type === "Command") {
    const input = readCommand(walk, node, place, folder);
    const at = walk.commands.length - 1;
    walkPending(walk, place, folder);
    if (!walk.full) runCommand(walk, at, { ...place, input }, folder, walkScript);
    return;
  }
  if (++walk.depth > LIMITS.depth)
    return noteLimit(walk, `more than ${LIMITS.depth} nested levels`);
  walkCompound(walk, node, place, folder);
  walk.depth--;
}

function walkCompound(
  walk: WalkState,
  node: CompoundNode,
  place: CommandContext,
  folder: Folder,
): void {
  noteRefused(walk, refusedText(walk.source, node));
  switch (node.type) {
    case "Redirected":
      return walkRedirected(walk, node.command, node.redirects, place, folder);
    case "Subshell":
      walkList(walk, node.body.commands, place, folder);
      break;
    case "BraceGroup":
      return walkList(walk, node.body.commands, place, folder);
    case "If":
      return walkIf(walk, node, place, folder);
    case "While":
      return walkLoop(walk, place, folder, (inside) => {
        walkList(walk, node.clause.commands, inside, folder);
        walkList(walk, node.body.commands, inside, eitherFolder(walk.onSuccess, walk.onFailure));
      });
    case "For":
    case "Select": {
      readNames(walk, node.name, node.wordlist ?? [], place, folder);
      if (node.type === "Select") markUntrusted(walk, "REPLY");
      return walkLoop(walk, place, folder, (inside) =>
        walkList(walk, node.body.commands, inside, folder),
      );
    }
    case "ArithmeticFor":
      for (const part of [node.initialize, node.test, node.update])
        visitArithmetic(walk, undefined, part);
      finishWords(walk, place, folder);
      return walkLoop(walk, place, folder, (inside) =>
        walkList(walk, node.body.commands, inside, folder),
      );
    case "Case":
      return walkCase(walk, node, place, folder);
    case "TestCommand":
      visitTest(walk, node.expression);
      finishWords(walk, place, folder);
      break;
    case "ArithmeticCommand":
      visitArithmetic(walk, node.body, node.expression);
      finishWords(walk, place, folder);
      break;
    case "Function":
      walkFunction(walk, node.name, () =>
        walkBody(walk, node.body, { ...place, once: false, order: "later" }, LATER),
      );
      break;
    case "Coproc":
      if (node.name !== undefined) setName(walk, node.name.text, { number: false });
      finishWords(walk, place, folder);
      walkBody(walk, node.body, { ...place, input: PIPE, order: "later" }, folder);
  }
  walk.onSuccess = walk.onFailure = folder;
}

type Body = Node | { readonly type: "CompoundList"; readonly commands: readonly Statement[] };

function walkBody(walk: WalkState, body: Body, place: CommandContext, folder: Folder): void {
  if (body.type === "CompoundList") walkList(walk, body.commands, place, folder);
  else walkNode(walk, body, place, folder);
}

const FLOW =
  /^(cd|pushd|popd|exit|return|break|continue|exec|eval|source|\.|command|builtin|unset|set|shopt|trap|:|\[|test)$/;

function walkFunction(walk: WalkState, name: WordNode, body: () => void): void {
  const functions = (walk.functions ??= new Map<string, boolean>());
  if (FLOW.test(name.value)) walk.flowUnknown = true;
  if (!functions.has(name.value)) functions.set(name.value, false);
  const before = walk.folderChanges;
  body();
  if (walk.folderChanges > before) functions.set(name.value, true);
}

type If = Extract<Node, { type: "If" }>;

function walkIf(walk: WalkState, node: If, place: CommandContext, folder: Folder): void {
  walkList(walk, node.clause.commands, place, folder);
  let onFailure = walk.onFailure;
  walkList(walk, node.then.commands, place, walk.onSuccess);
  let end = eitherFolder(walk.onSuccess, walk.onFailure);
  for (const branch of node.elif) {
    walkList(walk, branch.clause.commands, place, onFailure);
    onFailure = walk.onFailure;
    walkList(walk, branch.then.commands, place, walk.onSuccess);
    end = eitherFolder(end, eitherFolder(walk.onSuccess, walk.onFailure));
  }
  if (node.else === undefined) end = eitherFolder(end, onFailure);
  else {
    walkList(walk, node.else.commands, place, onFailure);
    end = eitherFolder(end, eitherFolder(walk.onSuccess, walk.onFailure));
  }
  walk.onSuccess = walk.onFailure = end;
}

function walkCase(
  walk: WalkState,
  node: Extract<Node, { type: "Case" }>,
  place: CommandContext,
  folder: Folder,
): void {
  visitWord(walk, node.word);
  for (const item of node.items) for (const pattern of item.pattern) visitWord(walk, pattern);
  finishWords(walk, place, folder);
  let end = folder;
  let from = folder;
  for (const item of node.items) {
    walkList(walk, item.body.commands, place, from);
    const after = eitherFolder(walk.onSuccess, walk.onFailure);
    end = eitherFolder(end, after);
    from =
      item.terminator === undefined || item.terminator === ";;"
        ? folder
        : eitherFolder(folder, after);
  }
  walk.onSuccess = walk.onFailure = end;
}

// A loop that changes the working directory starts its next round elsewhere.
function walkLoop(
  walk: WalkState,
  place: CommandContext,
  folder: Folder,
  body: (inside: CommandContext) => void,
): void {
  const first = walk.commands.length;
  const before = walk.folderChanges;
  body(place.once ? { ...together(place), once: false } : place);
  walk.onSuccess = walk.onFailure = folder;
  if (walk.folderChanges === before) return;
  for (let at = first; at < walk.folders.length; at++) walk.folders[at] = ANYWHERE;
  walk.onSuccess = walk.onFailure = ANYWHERE;
}

function readNames(
  walk: WalkState,
  name: WordNode,
  words: readonly WordNode[],
  place: CommandContext,
  folder: Folder,
): void {
  let numbers = words.length > 0;
  for (const word of words) {
    visitWord(walk, word);
    numbers &&= /^(\d+|\{\d+\.\.\d+(\.\.\d+)?\})$/.test(word.text);
  }
  setName(walk, name.text, { number: numbers });
  finishWords(walk, place, folder);
}

function walkRedirected(
  walk: WalkState,
  command: Node,
  redirects: readonly RedirectionNode[],
  place: CommandContext,
  folder: Folder,
): void {
  const redirected: Redirected = { redirections: [], effects: [], input: undefined };
  for (const redirect of redirects) addRedirection(walk, redirect, redirected);
  finishWords(walk, place, folder);
  const outer = {
    redirections: redirected.redirections,
    effects: redirected.effects,
    folder,
    around: place.outer,
    once: place.once,
    step: place.order === "after" ? walk.step : undefined,
  };
  if (allOf(outer).length > LIMITS.redirections)
    return noteLimit(walk, `more than ${LIMITS.redirections} redirections around a command`);
  const inside: CommandContext = { ...place, outer, input: redirected.input ?? place.input };
  const first = walk.commands.length;
  walkNode(walk, command, inside, folder);
  for (let at = first; at < walk.outers.length; at++) if (walk.outers[at] !== place.outer) return;
  // The group runs no command, but its files are opened.
  const draft = emptyDraft(place);
  draft.redirections = redirected.redirections;
  add(walk, draft, inside, folder);
}

// Words of control flow belong to no command, so their reasons count for the line.
function finishWords(walk: WalkState, place: CommandContext, folder: Folder): void {
  takeReasons(walk, undefined);
  walkPending(walk, place, folder);
}

function walkPending(walk: WalkState, place: CommandContext, folder: Folder): void {
  const { pending } = walk;
  if (pending === undefined) return;
  walk.pending = undefined;
  const inside: CommandContext = { ...together(place), origin: "substitution", outer: undefined };
  for (const part of pending) {
    if (walk.full) return;
    walkSubstitution(walk, part, inside, folder);
  }
}

function walkSubstitution(
  walk: WalkState,
  part: WordPart,
  place: CommandContext,
  folder: Folder,
): void {
  if (part.type !== "CommandExpansion" && part.type !== "ProcessSubstitution") return;
  if ((walk.length += part.text.length) > LIMITS.length * 8)
    return noteLimit(walk, "too much text in nested substitutions");
  if (++walk.depth > LIMITS.depth)
    return noteLimit(walk, `more than ${LIMITS.depth} nested levels`);
  const { script } = part;
  if (script === undefined || isRefused(part.text))
    noteUnknownLine(walk, { code: "syntax", what: `substitution ${quote(part.text)}` });
  else if (part.type === "CommandExpansion") walkScript(walk, script, place, folder);
  // The shell does not wait for a process substitution.
  else
    walkScript(
      walk,
      script,
      { ...place, input: part.operator === ">" ? PIPE : place.input, order: "later" },
      folder,
    );
  walk.depth--;
}
