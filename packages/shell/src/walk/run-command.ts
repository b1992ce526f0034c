import type { Assignment, Effect, PathText, Word } from "../analysis.ts";
import { classifyAssignment } from "../expand/assignments.ts";
import { add, emptyDraft, takeReasons } from "./read-command.ts";
import {
  noteUnknown,
  noteUnknownLine,
  noteLimit,
  HOLE,
  quote,
  type Draft,
  type CommandContext,
  type WalkState,
} from "./walk-state.ts";
import {
  ANYWHERE,
  folderAfterCd,
  isCdWithoutOperand,
  LATER,
  NOWHERE,
  type Folder,
} from "../effects/working-folder.ts";
import { hiddenCharacter, isAscii } from "../parse/characters.ts";
import { LIMITS } from "../limits.ts";
import { PIPE, type Run } from "../programs/program-reading.ts";
import { suspect, suspects } from "./suspects.ts";
import { variableEffects } from "../effects/variable-effects.ts";
import { readProgram } from "../programs/index.ts";
import { noteState } from "./shell-state.ts";
import { parseScript, type ParsedScript } from "../parse/syntax.ts";

type WalkScript = (
  walk: WalkState,
  script: ParsedScript,
  place: CommandContext,
  folder: Folder,
) => void;

// Wrappers that run their command in their own working directory.
const STAYS =
  /^(env|sudo|doas|command|builtin|exec|nohup|timeout|nice|ionice|chrt|stdbuf|setsid|time|xargs|find|watch|flock|script|strace|ltrace|bash|sh|dash|zsh|ksh|ash|eval|busybox|setpriv|taskset|unbuffer|npx|caffeinate|python3?)$/;
// Wrappers that end together with their command.
const WAITS =
  /^(env|command|builtin|exec|nohup|timeout|nice|ionice|chrt|stdbuf|bash|sh|dash|zsh|ksh|ash|eval|npx|bunx|pnpx|uvx|npm|pnpm|yarn|bun|uv|poetry|pipenv|bundle)$/;
const REPEATS = /^(xargs|find)$/;
// Options of wrappers that change the working directory, or may.
const MOVES: ReadonlyMap<string, RegExp> = new Map([
  ["env", /^-[^-]*C|^--c/],
  ["sudo", /^-[^-]*[DRi]|^--(ch|l)/],
  ["doas", /^-[^-]*[sL]/],
  ["find", /^-(exec|ok)dir$/],
]);

/** Adds what a command does, and the commands that it runs. */
export function runCommand(
  walk: WalkState,
  at: number,
  place: CommandContext,
  folder: Folder,
  script: WalkScript,
): void {
  const draft = walk.commands[at];
  walk.onSuccess = walk.onFailure = folder;
  if (draft === undefined) return;
  const { argv } = draft;
  const [first] = argv;
  const { tildes } = walk;
  walk.tildes = undefined;
  const reached = variableEffects(draft);
  if (reached.length > 0) draft.effects = draft.effects.concat(reached);
  if (first === undefined) return runValues(walk, place, folder, script);
  if (argv.length > LIMITS.argv) {
    noteUnknownLine(walk, { code: "limit", what: `more than ${LIMITS.argv} words of one command` });
    draft.carries = true;
    return takeReasons(walk, draft);
  }
  const reading = readProgram(argv, place.input);
  const { hazards, effects, unknown, runs } = reading;
  if (hazards.length > 0)
    draft.hazards = draft.hazards.length === 0 ? hazards : draft.hazards.concat(hazards);
  const home = first.text === "cd" && isCdWithoutOperand(argv);
  // Only at its end is it known whether the line sets HOME. If so, the line is analyzed again.
  if (home && walk.home.trusted) walk.home.used = true;
  if (effects.length > 0) {
    const told =
      home && !walk.home.trusted
        ? effects.map((effect) => ("path" in effect ? { ...effect, path: OTHER_HOME } : effect))
        : effects;
    const own = tildes === undefined ? told : withTildes(told, tildes, argv);
    draft.effects = draft.effects.length === 0 ? own : own.concat(draft.effects);
  }
  if (unknown.length > 0)
    draft.unknown = draft.unknown.length === 0 ? unknown : draft.unknown.concat(unknown);
  draft.carries ||= reading.carries;
  if (first.text === undefined) {
    takeReasons(walk, draft);
    return runValues(walk, place, folder, script);
  }
  noteState(walk, first.text, draft);
  // Letters of other alphabets can look like those of a known program.
  if (!isAscii(baseOf(first.text)))
    noteUnknown(walk, "syntax", `program ${quote(first.text)}, whose name is not plain ASCII`);
  if (!reading.carries && walk.functions?.has(first.text) === true) {
    noteUnknown(walk, "state", `function ${quote(first.text)}, which hides a program of that name`);
  }
  takeReasons(walk, draft);
  runValues(walk, place, folder, script);
  walk.onSuccess = walk.onFailure = folder;
  let until = 1;
  for (const run of runs) {
    if (walk.full) return;
    follow(walk, draft, run, place, folder, script, until);
    // The assignments of one command do not apply to the next.
    if (run.kind === "argv" && run.until !== undefined && run.until > until) until = run.until;
  }
  move(walk, draft, first.text, folder, runs.length > 0);
}

// When a command runs that another program starts.
function orderIn(name: string, { order }: CommandContext): CommandContext["order"] {
  return WAITS.test(name)
    ? order
    : !REPEATS.test(name)
      ? "later"
      : order === "after"
        ? "with"
        : order;
}

// Whoever takes a list of files from a pipe leaves nothing of it, and a script may read only a part.
function inputIn(name: string, { kind }: Run, { input }: CommandContext): CommandContext["input"] {
  if (input.kind !== "pipe" || input.files === undefined) return input;
  return kind === "argv" && !REPEATS.test(name) ? input : PIPE;
}

function follow(
  walk: WalkState,
  draft: Draft,
  run: Run,
  outside: CommandContext,
  folder: Folder,
  script: WalkScript,
  after: number,
): void {
  const name = baseOf(draft.argv[0]?.text ?? "");
  const place: CommandContext = {
    ...outside,
    input: inputIn(name, run, outside),
    order: orderIn(name, outside),
  };
  const remote = place.remote || run.remote === true;
  if (++walk.depth > LIMITS.depth)
    return noteLimit(walk, `more than ${LIMITS.depth} nested levels`);
  if (run.kind === "sight") {
    const drafts = "text" in run ? suspects(run.text) : [suspect(run.words)];
    for (const found of drafts) {
      found.remote = remote;
      if (!walk.full) add(walk, found, { ...place, outer: undefined }, ANYWHERE);
    }
  } else if (run.kind === "script") {
    const later = name === "trap" || name === "alias" || name === "complete" || name === "bind";
    const from = later ? LATER : name === "eval" || STAYS.test(name) ? folder : ANYWHERE;
    runScript(
      walk,
      run.script,
      { ...place, origin: "script", remote, once: place.once && !later },
      from,
      draft,
      script,
    );
    if (name !== "eval") walk.onSuccess = walk.onFailure = folder;
  } else {
    if (place.wrappers >= LIMITS.wrappers)
      return noteLimit(walk, `more than ${LIMITS.wrappers} wrappers around one command`);
    const child = childOf(walk, draft, run, { ...place, origin: "wrapper", remote }, after);
    add(walk, child, { ...place, outer: undefined }, folder);
    const index = walk.commands.length - 1;
    const [first] = child.argv;
    if (first !== undefined && (first.text === undefined || !first.single)) {
      noteUnknown(walk, "dynamic_command", `command name of ${quote(name)}`);
      child.carries = true;
    }
    takeReasons(walk, child);
    const from = STAYS.test(name) && staysUntil(draft.argv, name) >= run.from ? folder : ANYWHERE;
    walk.folders[index] = from;
    if (!walk.full) {
      runCommand(
        walk,
        index,
        { ...place, origin: "wrapper", remote, outer: undefined, wrappers: place.wrappers + 1 },
        from,
        script,
      );
    }
    if (name !== "command" && name !== "builtin") walk.onSuccess = walk.onFailure = folder;
  }
  walk.depth--;
}

const moving = new WeakMap<readonly Word[], number>();

// The position before which a wrapper has no option that changes the working directory.
function staysUntil(argv: readonly Word[], name: string): number {
  const options = MOVES.get(name);
  if (options === undefined) return argv.length;
  let found = moving.get(argv);
  if (found === undefined) {
    const first = argv.findIndex(
      ({ pieces: [start] }, at) => at > 0 && (typeof start !== "string" || options.test(start)),
    );
    moving.set(argv, (found = first < 0 ? argv.length : first));
  }
  return found;
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
  let named: Assignment[] | undefined;
  for (let at = after; at < run.from; at++) {
    const word = draft.argv[at];
    const [start] = word?.pieces ?? [];
    if (word === undefined || typeof start !== "string" || !/^[A-Za-z_]\w*=/.test(start)) continue;
    const sign = start.indexOf("=") + 1;
    const value =
      word.text === undefined
        ? { ...word, pieces: [start.slice(sign), ...word.pieces.slice(1)] }
        : textWord(word.text.slice(sign));
    (named ??= []).push(classifyAssignment(walk, start.slice(0, sign - 1), value));
  }
  if (named !== undefined) child.assignments = child.assignments.concat(named);
  return child;
}

function textWord(text: string): Word {
  return { text, pieces: [text], single: true };
}

function runScript(
  walk: WalkState,
  script: Word,
  place: CommandContext,
  folder: Folder,
  draft: Draft | undefined,
  walkScript: WalkScript,
): void {
  const text = textOf(walk, script);
  if (script.text === undefined) {
    const reason = { code: "dynamic_script", what: "a script known only at run time" } as const;
    if (draft === undefined) noteUnknownLine(walk, reason);
    else if (!draft.unknown.some(({ code }) => code === reason.code))
      draft.unknown = [...draft.unknown, reason];
  }
  if (text === undefined) return;
  if (place.scripts >= LIMITS.scripts)
    return noteLimit(walk, `more than ${LIMITS.scripts} nested scripts`);
  if ((walk.scripted += text.length) > LIMITS.length * 3)
    return noteLimit(walk, "too much script text to analyze");
  const hidden = hiddenCharacter(
    script.text ?? script.pieces.filter((piece) => typeof piece === "string").join(""),
  );
  if (hidden !== undefined)
    noteUnknownLine(walk, { code: "syntax", what: `character ${hidden} in a script` });
  const parsed = parseScript(text);
  if (parsed === undefined)
    return noteUnknownLine(walk, { code: "syntax", what: `script ${quote(text)}` });
  const { source } = walk;
  walk.source = text;
  walkScript(walk, parsed, { ...place, outer: undefined, scripts: place.scripts + 1 }, folder);
  walk.source = source;
}

// The text of a script, with {@link HOLE} for unknown parts. Undefined if nothing is known.
function textOf(walk: WalkState, { text, pieces }: Word): string | undefined {
  if (text !== undefined) return text;
  if (!pieces.some((piece) => typeof piece === "string" && piece.trim() !== "")) return undefined;
  walk.holes = true;
  return pieces.map((piece) => (typeof piece === "string" ? piece : HOLE)).join("");
}

// Runs variables whose values are command lines: editors, pagers, prompts.
function runValues(
  walk: WalkState,
  place: CommandContext,
  folder: Folder,
  script: WalkScript,
): void {
  const { values } = walk;
  if (values === undefined) return;
  walk.values = undefined;
  for (const value of values) {
    const text = value.text?.replace(/^[|-]+/, "");
    const word = text === undefined ? value : textWord(text);
    runScript(
      walk,
      word,
      { ...place, origin: "script", once: false, order: "later" },
      LATER,
      undefined,
      script,
    );
  }
  walk.onSuccess = walk.onFailure = folder;
}

function move(walk: WalkState, draft: Draft, name: string, folder: Folder, ran: boolean): void {
  switch (name) {
    case "cd":
      walk.folderChanges++;
      walk.onSuccess =
        !walk.home.trusted && isCdWithoutOperand(draft.argv)
          ? ANYWHERE
          : folderAfterCd(folder, draft.argv);
      walk.onFailure = folder;
      return;
    case "pushd":
    case "popd":
    case "source":
    case ".":
      walk.folderChanges++;
      walk.onSuccess = walk.onFailure = ANYWHERE;
      return;
    case "exit":
    case "return":
    case "logout":
    case "break":
    case "continue":
      walk.onSuccess = walk.onFailure = NOWHERE;
      return;
    case "eval":
      if (!ran) walk.onSuccess = walk.onFailure = folder;
      return;
    case "exec":
      if (ran) walk.onSuccess = walk.onFailure = NOWHERE;
      return;
    default:
      if (walk.functions?.get(name) === true) {
        walk.folderChanges++;
        walk.onSuccess = walk.onFailure = ANYWHERE;
      }
  }
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

const OTHER_HOME: PathText = { why: "the home directory, which the line itself changes" };
const MOST_TILDES = 8;
const MOST_PAIRS = 250_000;
const TWO_WAYS: PathText = {
  why: "a path with `~`, which is the home directory in one place and a plain name in another",
};

// A `~` that bash does not expand is a file name, not the home directory.
function withTildes(
  effects: readonly Effect[],
  tildes: readonly Word[],
  argv: readonly Word[],
): readonly Effect[] {
  const large = effects.length * argv.length > MOST_PAIRS;
  return effects.map((effect) => {
    const text = "path" in effect ? effect.path.text : undefined;
    if (!("path" in effect) || text === undefined || !text.startsWith("~")) return effect;
    if (large) return { ...effect, path: TWO_WAYS };
    const many = tildes.length > MOST_TILDES;
    if (!many && !tildes.some((word) => word.text?.endsWith(text) === true)) return effect;
    const home =
      many || argv.some((word) => !tildes.includes(word) && (word.text ?? "").endsWith(text));
    const path: PathText = home ? TWO_WAYS : { ...effect.path, text: `./${text}` };
    return { ...effect, path };
  });
}
