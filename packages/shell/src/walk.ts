import { setName, taint } from "./assignments.ts";
import { emptyDraft, add, allOf, readCommand, takeReasons } from "./command.ts";
import { visitTest } from "./conditions.ts";
import { doubtLine, fill, quote, type Place, type Walk } from "./context.ts";
import { PIPE } from "./program.ts";
import { visitArithmetic, visitWord } from "./expansions.ts";
import { ANYWHERE, either, LATER, type Folder } from "./folder.ts";
import { LIMITS } from "./limits.ts";
import { perform } from "./perform.ts";
import { addRedirection, type Redirected } from "./redirections.ts";
import type { AndOr, ParsedScript, PipelineNode, RedirectionNode, Statement, WordNode, WordPart } from "./syntax.ts";

/** Walks a script; `yes` and `no` of the walk say where it ends. */
export function walkScript(walk: Walk, script: ParsedScript, place: Place, folder: Folder): void {
  if (script.errors !== undefined && script.errors.length > 0) {
    doubtLine(walk, { code: "syntax", what: `shell syntax: ${(script.errors[0]?.message ?? "").replace(/[`\n\r]/g, "'")}` });
  }
  walkList(walk, script.commands, place, folder);
}

function walkList(walk: Walk, statements: readonly Statement[], place: Place, folder: Folder): void {
  let from = folder;
  walk.yes = walk.no = folder;
  for (const { command, background } of statements) {
    if (walk.full) return;
    const inside: Place = background === true ? { ...place, order: "later" } : place;
    step(walk, inside);
    if (command.type === "AndOr") walkAndOr(walk, command, inside, from);
    else walkPipeline(walk, command, inside, from);
    // What runs in the background changes only its own folder.
    if (background === true) walk.yes = walk.no = from;
    from = either(walk.yes, walk.no);
  }
}

function step(walk: Walk, { order }: Place): void {
  if (order === "after") walk.step++;
}

const together = (place: Place): Place => (place.order === "after" ? { ...place, order: "with" } : place);

function walkAndOr(walk: Walk, { commands, operators }: AndOr, place: Place, folder: Folder): void {
  let yes = folder;
  let no = folder;
  for (let at = 0; at < commands.length; at++) {
    const command = commands[at];
    if (command === undefined || walk.full) break;
    const operator = at === 0 ? undefined : operators[at - 1];
    if (at > 0) step(walk, place);
    walkPipeline(walk, command, place, operator === "||" ? no : yes);
    if (operator === "||") yes = either(yes, walk.yes);
    else yes = walk.yes;
    no = operator === "&&" ? either(no, walk.no) : walk.no;
  }
  walk.yes = yes;
  walk.no = no;
}

function walkPipeline(walk: Walk, node: PipelineNode, place: Place, folder: Folder): void {
  if (node.type !== "Pipeline") return walkNode(walk, node, place, folder);
  const { commands, prefixes } = node;
  const [first] = commands;
  if (first === undefined) {
    return doubtLine(walk, { code: "syntax", what: "`!` or `time` without a command" });
  }
  const several = commands.length > 1;
  walkNode(walk, first, several ? together(place) : place, folder);
  if (several) {
    const later: Place = { ...together(place), input: PIPE };
    for (let at = 1; at < commands.length && !walk.full; at++) {
      const command = commands[at];
      if (command !== undefined) walkNode(walk, command, later, folder);
    }
    walk.yes = walk.no = folder;
  }
  for (const { type } of prefixes) if (type === "Negation") [walk.yes, walk.no] = [walk.no, walk.yes];
}

type Node = Exclude<PipelineNode, { type: "Pipeline" }>;

function walkNode(walk: Walk, node: Node, place: Place, folder: Folder): void {
  if (++walk.nodes > LIMITS.nodes) return fill(walk, `more than ${LIMITS.nodes} parts`);
  if (node.type === "Command") {
    const input = readCommand(walk, node, place, folder);
    const at = walk.commands.length - 1;
    walkPending(walk, place, folder);
    if (!walk.full) perform(walk, at, { ...place, input }, folder, walkScript);
    return;
  }
  if (++walk.depth > LIMITS.depth) return fill(walk, `more than ${LIMITS.depth} levels`);
  walkCompound(walk, node, place, folder);
  walk.depth--;
}

function walkCompound(walk: Walk, node: Exclude<Node, { type: "Command" }>, place: Place, folder: Folder): void {
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
        walkList(walk, node.body.commands, inside, either(walk.yes, walk.no));
      });
    case "For":
    case "Select": {
      readNames(walk, node.name, node.wordlist ?? [], place, folder);
      if (node.type === "Select") taint(walk, "REPLY");
      return walkLoop(walk, place, folder, (inside) => walkList(walk, node.body.commands, inside, folder));
    }
    case "ArithmeticFor":
      for (const part of [node.initialize, node.test, node.update]) visitArithmetic(walk, undefined, part);
      finishWords(walk, place, folder);
      return walkLoop(walk, place, folder, (inside) => walkList(walk, node.body.commands, inside, folder));
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
      walkFunction(walk, node.name, () => walkBody(walk, node.body, { ...place, once: false, order: "later" }, LATER));
      break;
    case "Coproc":
      if (node.name !== undefined) setName(walk, node.name.text, { number: false });
      finishWords(walk, place, folder);
      walkBody(walk, node.body, { ...place, input: PIPE, order: "later" }, folder);
  }
  walk.yes = walk.no = folder;
}

type Body = Node | { readonly type: "CompoundList"; readonly commands: readonly Statement[] };

function walkBody(walk: Walk, body: Body, place: Place, folder: Folder): void {
  if (body.type === "CompoundList") walkList(walk, body.commands, place, folder);
  else walkNode(walk, body, place, folder);
}

const FLOW = /^(cd|pushd|popd|exit|return|break|continue|exec|eval|source|\.|command|builtin|unset|set|shopt|trap|:|\[|test)$/;

function walkFunction(walk: Walk, name: WordNode, body: () => void): void {
  const functions = (walk.functions ??= new Map<string, boolean>());
  if (FLOW.test(name.value)) walk.flowUnknown = true;
  if (!functions.has(name.value)) functions.set(name.value, false);
  const before = walk.folderChanges;
  body();
  if (walk.folderChanges > before) functions.set(name.value, true);
}

type If = Extract<Node, { type: "If" }>;

function walkIf(walk: Walk, node: If, place: Place, folder: Folder): void {
  walkList(walk, node.clause.commands, place, folder);
  let no = walk.no;
  walkList(walk, node.then.commands, place, walk.yes);
  let end = either(walk.yes, walk.no);
  for (const branch of node.elif) {
    walkList(walk, branch.clause.commands, place, no);
    no = walk.no;
    walkList(walk, branch.then.commands, place, walk.yes);
    end = either(end, either(walk.yes, walk.no));
  }
  if (node.else === undefined) end = either(end, no);
  else {
    walkList(walk, node.else.commands, place, no);
    end = either(end, either(walk.yes, walk.no));
  }
  walk.yes = walk.no = end;
}

function walkCase(walk: Walk, node: Extract<Node, { type: "Case" }>, place: Place, folder: Folder): void {
  visitWord(walk, node.word);
  for (const item of node.items) for (const pattern of item.pattern) visitWord(walk, pattern);
  finishWords(walk, place, folder);
  let end = folder;
  let from = folder;
  for (const item of node.items) {
    walkList(walk, item.body.commands, place, from);
    const after = either(walk.yes, walk.no);
    end = either(end, after);
    from = item.terminator === undefined || item.terminator === ";;" ? folder : either(folder, after);
  }
  walk.yes = walk.no = end;
}

// A loop that changes the folder starts its next round elsewhere.
function walkLoop(walk: Walk, place: Place, folder: Folder, body: (inside: Place) => void): void {
  const first = walk.commands.length;
  const before = walk.folderChanges;
  body(place.once ? { ...together(place), once: false } : place);
  walk.yes = walk.no = folder;
  if (walk.folderChanges === before) return;
  for (let at = first; at < walk.folders.length; at++) walk.folders[at] = ANYWHERE;
  walk.yes = walk.no = ANYWHERE;
}

function readNames(walk: Walk, name: WordNode, words: readonly WordNode[], place: Place, folder: Folder): void {
  let numbers = words.length > 0;
  for (const word of words) {
    visitWord(walk, word);
    numbers &&= /^(\d+|\{\d+\.\.\d+(\.\.\d+)?\})$/.test(word.text);
  }
  setName(walk, name.text, { number: numbers });
  finishWords(walk, place, folder);
}

function walkRedirected(walk: Walk, command: Node, redirects: readonly RedirectionNode[], place: Place, folder: Folder): void {
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
  if (allOf(outer).length > LIMITS.redirections) return fill(walk, `more than ${LIMITS.redirections} redirections around a command`);
  const inside: Place = { ...place, outer, input: redirected.input ?? place.input };
  const first = walk.commands.length;
  walkNode(walk, command, inside, folder);
  for (let at = first; at < walk.outers.length; at++) if (walk.outers[at] !== place.outer) return;
  // Nothing in it runs as a command of its own, yet the files are opened.
  const draft = emptyDraft(place);
  draft.redirections = redirected.redirections;
  add(walk, draft, inside, folder);
}

// The words of control flow belong to no command: what is doubtful in them is so for the line.
function finishWords(walk: Walk, place: Place, folder: Folder): void {
  takeReasons(walk, undefined);
  walkPending(walk, place, folder);
}

function walkPending(walk: Walk, place: Place, folder: Folder): void {
  const { pending } = walk;
  if (pending === undefined) return;
  walk.pending = undefined;
  const inside: Place = { ...together(place), origin: "substitution", outer: undefined };
  for (const part of pending) {
    if (walk.full) return;
    walkSubstitution(walk, part, inside, folder);
  }
}

function walkSubstitution(walk: Walk, part: WordPart, place: Place, folder: Folder): void {
  if (part.type !== "CommandExpansion" && part.type !== "ProcessSubstitution") return;
  if ((walk.length += part.text.length) > LIMITS.length * 8) return fill(walk, "nested substitutions beyond what is looked at");
  if (++walk.depth > LIMITS.depth) return fill(walk, `more than ${LIMITS.depth} levels`);
  const { script } = part;
  if (script === undefined) doubtLine(walk, { code: "syntax", what: `substitution ${quote(part.text)}` });
  else if (part.type === "CommandExpansion") walkScript(walk, script, place, folder);
  // Nobody waits for it.
  else walkScript(walk, script, { ...place, input: part.operator === ">" ? PIPE : place.input, order: "later" }, folder);
  walk.depth--;
}
