import type { Effect, Redirection, Word } from "../analysis.ts";
import { setName } from "./assignments.ts";
import { oneWord, targetsOf } from "./words.ts";
import { noteSubscript, visitParts } from "./expansions.ts";
import { noteFlagged } from "./units.ts";
import type { WalkState } from "../walk/walk-state.ts";
import { noteUnknown, noteUnknownLine, quote } from "../walk/walk-state.ts";
import { PIPE, type Input } from "../programs/program-reading.ts";
import { file } from "../programs/findings.ts";
import { pathOf } from "../programs/path-of-word.ts";
import { concat, known } from "../programs/word-text.ts";
import type { HereDoc, RedirectionNode } from "../parse/syntax.ts";

export interface Redirected {
  readonly redirections: Redirection[];
  readonly effects: Effect[];
  /** The new standard input, if a redirection sets it. */
  input: Input | undefined;
}

export const noneRedirected = (): Redirected => ({
  redirections: [],
  effects: [],
  input: undefined,
});

const STANDARD = /^\/dev\/(null|stdin|stdout|stderr|fd\/[0-2])$/;
// Bash closes the descriptor and reads the text after the minus as the next word.
const MINUS_AND_MORE = /^(?:\\\n)*-./s;
// A delimiter without `$` outside quotes. After `<<$"E"`, bash ends at the line `E`, and zsh and dash at `$E`.
const PLAIN_DELIMITER = /^(?:[^'"\\$`]|`[^`]*`|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s;
// In zsh, `a<1-9>` is the names with such a number after `a`.
const NUMBERS = /^\d*-\d*(?:>|$)/;
const SOCKET = /^\/dev\/(?:tcp|udp)\/([^/]*)/;

/** Reads one redirection and adds its effects. */
export function addRedirection(walk: WalkState, node: RedirectionNode, to: Redirected): void {
  const descriptor = node.descriptor;
  if (descriptor?.type === "FileDescriptorVariable") {
    if (/[^\w]/.test(descriptor.name)) {
      noteUnknown(
        walk,
        "dynamic_script",
        `file descriptor ${quote(descriptor.name)}, whose subscript bash evaluates`,
      );
    }
    setName(walk, descriptor.name, { number: true });
  }
  const stdin =
    descriptor === undefined || (descriptor.type === "FileDescriptor" && descriptor.value === 0);
  if (node.type === "HereDoc") {
    to.redirections.push({ operator: node.operator, target: undefined, writes: false });
    const { delimiter: { text: end = "" } = {}, closing } = node;
    if (closing === undefined)
      noteUnknown(walk, "syntax", `an unterminated here-document ${quote(end)}`);
    if (!PLAIN_DELIMITER.test(end))
      noteUnknownLine(walk, { code: "syntax", what: `shell syntax at ${quote(end)}` });
    const body = bodyOf(walk, node);
    if (stdin) to.input = textInput(body, "");
    return;
  }
  if (node.target === undefined) return;
  if (node.type === "HereString") {
    const target = oneWord(walk, node.target);
    to.redirections.push({ operator: node.operator, target, writes: false });
    if (stdin) to.input = textInput(target, "\n");
    return;
  }
  const { operator } = node;
  noteMisread(walk, operator, node.target.text);
  const targets = targetsOf(walk, node.target);
  for (const target of targets) {
    const input = addTarget(operator, target, to);
    if (stdin && input !== undefined) to.input = targets.length === 1 ? input : UNKNOWN_TEXT;
  }
}

const UNKNOWN_TEXT: Input = { kind: "text", text: undefined };

// Adds the effects of a file that a redirection opens, and returns what can be read from it.
function addTarget(operator: string, target: Word, to: Redirected): Input | undefined {
  const duplication = operator === ">&" || operator === "<&";
  const duplicates = duplication && target.text !== undefined && /^(\d+-?|-)$/.test(target.text);
  const socket = target.text === undefined ? undefined : SOCKET.exec(target.text);
  const standard =
    target.pipe === true || (target.text !== undefined && STANDARD.test(target.text));
  const reads = operator === "<" || operator === "<&";
  to.redirections.push({
    operator,
    target,
    writes: socket != null || (!duplicates && !standard && !reads),
    ...(socket != null || mayBeSocket(target) ? { connects: true } : {}),
  });
  if (socket != null)
    to.effects.push({ kind: "network", host: socket[1] === "" ? undefined : socket[1] });
  else if (!duplicates && !standard) addFile(to.effects, operator, target);
  if (mayBeSocket(target)) to.effects.push({ kind: "network", host: undefined });
  if (!reads && operator !== "<>") return undefined;
  return duplicates ? UNKNOWN_TEXT : fileInput(target);
}

function noteMisread(walk: WalkState, operator: string, target: string): void {
  const what = `shell syntax at ${quote(operator + target)}`;
  if ((operator === ">&" || operator === "<&") && MINUS_AND_MORE.test(target))
    noteUnknownLine(walk, { code: "syntax", what });
  if (operator === "<" && NUMBERS.test(target)) noteUnknownLine(walk, { code: "syntax", what });
  // zsh reads `>!` as `>|`.
  if (operator.includes(">") && target.startsWith("!")) noteUnknown(walk, "syntax", what);
}

const fileInput = (target: Word): Input =>
  target.pipe === true ? PIPE : { kind: "file", path: target };

function addFile(effects: Effect[], operator: string, target: Word): void {
  const path = pathOf(target);
  if (operator === "<") file({ effects, unknown: [], base: undefined }, "read", target);
  else if (operator === "<&" || operator === "<>") effects.push({ kind: "read", path });
  if (operator !== "<" && operator !== "<&") effects.push({ kind: "write", path });
}

function mayBeSocket(target: Word): boolean {
  const [first] = target.pieces;
  return (
    target.pipe !== true &&
    target.text === undefined &&
    typeof first === "string" &&
    /^\/+dev\/(tcp|udp)?/.test(first)
  );
}

function textInput(word: Word, end: string): Input {
  if (word.text !== undefined) return { kind: "text", text: word.text + end };
  return { kind: "text", text: undefined, word };
}

function bodyOf(walk: WalkState, node: HereDoc): Word {
  const { body, delimiter } = node;
  const tabs = node.operator === "<<-";
  const plain = (text: string): string => (tabs ? text.replace(/^\t+/gm, "") : text);
  if (delimiter?.quoted === true) return known(plain(body.text));
  const { parts } = body;
  if (parts === undefined) {
    noteFlagged(walk, body.text);
    const doubtful = tabs || body.text.includes("\\");
    return doubtful
      ? { text: undefined, pieces: [plain(body.text), { hole: "any" }], single: true }
      : known(body.text);
  }
  visitParts(walk, parts);
  for (const [at, part] of parts.entries()) noteSubscript(walk, part, parts[at + 1]?.text);
  const word = concat(
    parts.map((part) => {
      if (part.type !== "Literal")
        return { text: undefined, pieces: [{ hole: "any" }], single: true };
      noteFlagged(walk, part.text);
      return known(part.value);
    }),
  );
  return word.text === undefined ? word : known(plain(word.text));
}
