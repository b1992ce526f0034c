import type { Effect } from "@bylaw/kernel";
import { Draft, type Candidate } from "./draft.ts";
import type { ImportedPolicy, ImportInput, SourcePlace } from "./finding.ts";
import { coveringPrefix, literal, plainWords, SHELL_TOOLS } from "./literal.ts";
import { readStarlark, type Literal, type Statement } from "./starlark.ts";

type Call = Extract<Statement, { readonly kind: "call" }>;

/** The programs that `host_executable` binds to paths, by name. */
type Pinned = Map<string, { readonly paths: readonly string[]; readonly place: SourcePlace }>;

const DECISIONS: Readonly<Record<string, Effect>> = {
  allow: "allow",
  prompt: "ask_user",
  forbidden: "deny",
};
const KEYS = ["pattern", "decision", "match", "not_match", "justification"];
const SYSTEM = ["/bin/", "/usr/bin/", "/usr/local/bin/"];
const MAX_COMMANDS = 256;

/** Translates Codex's rules files into a policy. In both, the strictest matching rule decides, whatever the order. */
export function importCodex(inputs: readonly ImportInput[]): ImportedPolicy {
  const draft = new Draft();
  const calls: { readonly call: Call; readonly place: SourcePlace }[] = [];
  const pinned: Pinned = new Map();
  for (const { file, text } of inputs) {
    for (const statement of readStarlark(text)) {
      const { line, column } = statement;
      if (statement.kind === "other") {
        draft.doubt(
          { file, line, column, source: statement.text },
          `${statement.message}; the import reads only calls with literal strings and lists, and runs nothing`,
        );
        continue;
      }
      const place = { file, line, column, source: sourceOf(statement), label: labelOf(statement) };
      if (statement.name === "prefix_rule") calls.push({ call: statement, place });
      else if (statement.name === "host_executable") pin(statement, place, pinned, draft);
      else unknownCall(statement, place, draft);
    }
  }
  const allowed = new Set<string>();
  for (const { call, place } of calls) readRule(call, place, pinned, allowed, draft);
  const first = calls.find(({ call }) => decisionOf(call) === "allow");
  if (allowed.size > 0 && first !== undefined) askBesidesPlain(first.place, draft);
  for (const [name, { paths, place }] of pinned)
    if (allowed.has(name)) askElsewhere(name, paths, place, draft);
  return draft.finish(`Imported from Codex's rules: ${inputs.map(({ file }) => file).join(", ")}`);
}

function unknownCall({ name, args }: Call, place: SourcePlace, draft: Draft): void {
  const decision = args.get("decision");
  const message = `\`${name}\` cannot be carried over: only \`prefix_rule\` and \`host_executable\` can`;
  draft.lose(decision?.kind === "text" ? decision.text : undefined, place, message);
}

function decisionOf({ args }: Call): Effect | undefined {
  const given = args.get("decision");
  if (given === undefined) return "allow";
  return given.kind === "text" && Object.hasOwn(DECISIONS, given.text)
    ? DECISIONS[given.text]
    : undefined;
}

function readRule(
  call: Call,
  place: SourcePlace,
  pinned: Pinned,
  allowed: Set<string>,
  draft: Draft,
): void {
  const { args } = call;
  const effect = decisionOf(call);
  const lose = (why: string): void => draft.lose(effect, place, why);
  if (effect === undefined) return lose('`decision` must be "allow", "prompt" or "forbidden"');
  const strange = [...args.keys()].find((key) => !KEYS.includes(key));
  if (strange !== undefined) return lose(`\`prefix_rule\` has no argument \`${strange}\``);
  const tokens = patternOf(args.get("pattern"));
  if (tokens === undefined)
    return lose("`pattern` must be a list of strings, or of lists of strings");
  const justification = args.get("justification");
  const match = casesOf(args.get("match"));
  const not_match = casesOf(args.get("not_match"));
  if (match === undefined || not_match === undefined)
    return lose("`match` and `not_match` must be lists of strings, or of lists of strings");

  const reason =
    justification?.kind === "text" && justification.text.trim() !== ""
      ? { reason: oneLine(justification.text) }
      : {};
  const { commands, whole } = commandsOf(tokens, pinned, effect, place, draft);
  const exact: Candidate[] = whole
    ? [{ keys: { command: commands, ...reason }, match, not_match }]
    : [];
  if (effect === "allow") {
    if (!whole) return lose("a pattern cannot contain a word with spaces or shell syntax");
    if (draft.add(effect, place, exact)) for (const name of tokens[0] ?? []) allowed.add(name);
    return;
  }
  const first = tokens.findIndex((words) => words.some((word) => !isPlain(word)));
  const lead = first < 0 ? tokens : tokens.slice(0, first);
  const wider = product(lead).flatMap((words) => coveringPrefix(words.join(" ")).slice(0, 1));
  const keys = wider.flatMap((candidate) =>
    typeof candidate.keys["command"] === "string" ? [candidate.keys["command"]] : [],
  );
  const covering: Candidate[] =
    keys.length > 0 && keys.length === wider.length
      ? [
          {
            keys: { command: keys, ...reason },
            note: "a pattern cannot contain one of the words, so the rule holds for every command that begins with the words before it",
          },
        ]
      : [];
  draft.add(effect, place, [...exact, ...covering, ...coveringPrefix("")]);
}

function commandsOf(
  tokens: readonly (readonly string[])[],
  pinned: Pinned,
  effect: Effect,
  place: SourcePlace,
  draft: Draft,
): { readonly commands: readonly string[]; readonly whole: boolean } {
  const size = tokens.reduce((count, words) => count * words.length, 1);
  if (size > MAX_COMMANDS || !tokens.every((words) => words.every(isPlain)))
    return { commands: [], whole: false };
  const [programs = [], ...rest] = tokens;
  const named = programs.flatMap((program) => {
    const paths = effect === "allow" ? (pinned.get(program)?.paths ?? []) : [];
    const others = paths.filter((path) => !SYSTEM.some((folder) => path === `${folder}${program}`));
    for (const path of others.filter((one) => !isPlain(one) || !one.startsWith("/"))) {
      draft.find(
        "stricter",
        place,
        `a pattern cannot contain the program \`${path}\`; the rule covers only \`${program}\``,
      );
    }
    return [program, ...others.filter((one) => isPlain(one) && one.startsWith("/"))];
  });
  return {
    commands: product([named, ...rest]).map((words) => `${words.map(literal).join(" ")} *`),
    whole: true,
  };
}

function product(tokens: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let all: readonly (readonly string[])[] = [[]];
  for (const words of tokens) {
    if (all.length * words.length > MAX_COMMANDS) break;
    all = all.flatMap((lead) => words.map((word) => [...lead, word]));
  }
  return all;
}

// Codex splits a line only if it has nothing but plain words joined by `&&`, `||`, `;` and `|`. It allows no part of
// any other line.
function askBesidesPlain(place: SourcePlace, draft: Draft): void {
  const at = {
    ...place,
    source: `lines that Codex does not split, under ${place.source}`,
    label: "lines that are not plain",
  };
  const ask = (regex: Candidate["keys"]): void =>
    void draft.add("ask_user", at, [
      { keys: { tool: SHELL_TOOLS, args: { command: regex }, final: true } },
    ]);
  ask({ not: { regex: PLAIN_LINE } });
  ask({ regex: NOT_SPLIT });
}

const PLAIN_LINE = String.raw`(?:[A-Za-z0-9_@%+=:,./^ \t\n-]|'[^']*'|"[^"$\x60\\]*"|&&|\|\|?|;)*`;
const NOT_SPLIT = String.raw`(?:[^']*[;&|\n])?\s*(?:[A-Za-z_][A-Za-z0-9_]*=|(?:if|for|while|until|case|select|function|time|coproc)\b).*`;

// Here, a bare name also covers the program in a system folder. Codex accepts that path only if it is listed.
function askElsewhere(
  name: string,
  paths: readonly string[],
  place: SourcePlace,
  draft: Draft,
): void {
  const elsewhere = SYSTEM.map((folder) => `${folder}${name}`).filter(
    (path) => !paths.includes(path),
  );
  if (elsewhere.length === 0) return;
  const regex = `(?:${elsewhere.map((path) => path.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|")})( .*)?`;
  draft.add("ask_user", place, [{ keys: { command_regex: regex } }]);
}

function pin({ args }: Call, place: SourcePlace, pinned: Pinned, draft: Draft): void {
  const name = args.get("name");
  const paths = textsOf(args.get("paths"));
  if (name?.kind !== "text" || name.text === "" || paths === undefined || args.size !== 2) {
    draft.doubt(place, "`host_executable` must have `name` and a list `paths`, and nothing else");
    return;
  }
  pinned.set(name.text, { paths: [...(pinned.get(name.text)?.paths ?? []), ...paths], place });
}

const isPlain = (word: string): boolean =>
  plainWords(word).all && plainWords(word).words.length === 1;

function textsOf(value: Literal | undefined): readonly string[] | undefined {
  if (value?.kind !== "list") return undefined;
  const texts = value.items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
  return texts.length === value.items.length ? texts : undefined;
}

function patternOf(value: Literal | undefined): readonly (readonly string[])[] | undefined {
  if (value?.kind !== "list" || value.items.length === 0) return undefined;
  const tokens = value.items.map((item) => (item.kind === "text" ? [item.text] : textsOf(item)));
  return tokens.every((token) => token !== undefined && token.length > 0)
    ? tokens.flatMap((token) => (token === undefined ? [] : [token]))
    : undefined;
}

function casesOf(value: Literal | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  if (value.kind !== "list") return undefined;
  const cases = value.items.map((item) =>
    item.kind === "text" ? item.text : textsOf(item)?.map(shellWord).join(" "),
  );
  return cases.every((one) => one !== undefined)
    ? cases.flatMap((one) => (one === undefined ? [] : [one]))
    : undefined;
}

const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

const labelOf = ({ args }: Call): string =>
  ["pattern", "name"].flatMap((key) => wordsIn(args.get(key))).join(" ");

const wordsIn = (value: Literal | undefined): readonly string[] =>
  value === undefined ? [] : value.kind === "text" ? [value.text] : value.items.flatMap(wordsIn);

function sourceOf({ name, args }: Call): string {
  const show = (value: Literal): string =>
    value.kind === "text" ? JSON.stringify(value.text) : `[${value.items.map(show).join(", ")}]`;
  const shownKeys = name === "prefix_rule" ? ["pattern", "decision"] : [...args.keys()];
  const parts = shownKeys.flatMap((key) => {
    const value = args.get(key);
    return value === undefined ? [] : [`${key} = ${show(value)}`];
  });
  return `${name}(${parts.join(", ")})`;
}
