import type { Json, JsonObject, ToolCall } from "@bylaw/kernel";
import { CallFacts } from "../match/call-facts.ts";
import type { PathFacts } from "../paths/path-facts.ts";
import { onlyReads } from "./line-input.ts";
import { same } from "../match/value-test.ts";

/** Harmful variants of a call. A rule made for the call must not allow any of them. */
export function nearMissesOf(
  call: ToolCall,
  { args, tools, identity, line, paths, perCommand }: CallFacts,
  open: readonly CallFacts[],
): readonly ToolCall[] {
  if (args === undefined) return [];
  const changed = changesOf(call, args);
  const argument = tools.shell.get(identity.bare);
  const text = argument === undefined ? undefined : args[argument];
  if (line !== null && argument !== undefined && typeof text === "string") {
    const words = open.map(({ part }) => (part?.words ?? []).map((word) => word.text ?? ""));
    // Other rules may allow more of the commands that they cover.
    const own = open.length === perCommand.length ? [text] : words.map(lineOf);
    const lines = new Set([
      ...own.flatMap((line) => around(line, open)),
      ...words.flatMap(otherWords),
    ]);
    lines.delete(text);
    return [...lines].map((one) => changed(argument, one));
  }
  const table = identity.kind === "local" ? tools.files.get(identity.bare) : undefined;
  // A rule does not see the text that is written to the file.
  const names =
    table === undefined ? Object.keys(args) : [...(table.read ?? []), ...(table.write ?? [])];
  const others = names
    .filter((name) => Object.hasOwn(args, name))
    .flatMap((name) => {
      const value = args[name] ?? null;
      return otherValues(value).flatMap((other) =>
        same(other, value) ? [] : [changed(name, other)],
      );
    });
  return table === undefined
    ? others
    : others.filter((other) => !isWithin(new CallFacts(other, tools).paths, paths));
}

const changesOf =
  (call: ToolCall, args: JsonObject) =>
  (name: string, value: Json): ToolCall => ({ ...call, args: { ...args, [name]: value } });

// Whether a path is another spelling of the call's paths, or is below a folder that the call includes as a whole.
const isWithin = ({ known }: PathFacts, own: PathFacts): boolean =>
  known.every(({ places }) =>
    places.every((place) =>
      own.known.some(({ all }) =>
        all.some((folder) => place.isBelow(folder) && (own.recursive || folder.isBelow(place))),
      ),
    ),
  );

// What a command gets to read can decide what it does.
const INPUTS = ["id | %", "echo 'rm -rf ~' | %", "% <<< 'rm -rf ~'", "{ % ; } < src/other"];

const AROUND = [
  ...["--force", "-f", "-rf", "-c id", "--exec=sh", "--config=x", "--output=x", "-o x"],
  ...[".", "..", "../outside", "/", "/etc/passwd", "~/.ssh/id_rsa", '"$x"', "$(id)", "*"],
  ...[
    "> other-output",
    ">> ~/.bashrc",
    "< /etc/passwd",
    "| sh",
    "; rm -rf ~",
    "&& rm -rf ~",
    "|| rm -rf ~",
    "& rm -rf ~",
  ],
]
  .map((added) => `% ${added}`)
  .concat("%\nrm -rf ~", "rm -rf ~; %", "LD_PRELOAD=./x.so %", "PATH=. %", "sudo %", "xargs %");

function otherWords(words: readonly string[]): readonly string[] {
  const [program = "", ...rest] = words;
  const lines = [
    [`./${program}`, ...rest],
    [`/tmp/${program}`, ...rest],
    words.slice(0, -1),
    ...["-c", "-x", "--exec=sh"].map((option) => [program, option, ...rest]),
    ...rest.flatMap((word, at) =>
      ["..", "/", "~", "*", "/etc/passwd", `../${word}`, `${word}/..`, `${word} x`, `-${word}`].map(
        (other) => (other === word ? [] : words.with(at + 1, other)),
      ),
    ),
  ];
  return lines.filter((line) => line.length > 0).map(lineOf);
}

const FORBIDDEN = [
  ...["/etc/passwd", "~/.ssh/id_rsa", "..", "../outside", ".env", ".git/config"],
  ...[".bylaw/policy.toml", "--exec=sh", "-x"],
];

/** Harmful variants of calls that differ in their files. */
export function wideMissesOf(
  call: ToolCall,
  { args, tools, identity, line, perCommand }: CallFacts,
  open: readonly CallFacts[],
): readonly ToolCall[] {
  if (args === undefined) return [];
  const changed = changesOf(call, args);
  const argument = tools.shell.get(identity.bare);
  if (line !== null && argument !== undefined) {
    const text = String(args[argument]);
    const words = open.map(({ part }) => (part?.words ?? []).map((word) => word.text ?? ""));
    const others = words.flatMap((own) =>
      own.slice(1).flatMap((_, at) => FORBIDDEN.map((other) => own.with(at + 1, other))),
    );
    const own = open.length === perCommand.length ? [text] : words.map(lineOf);
    return [...own.flatMap((line) => around(line, open)), ...others.map(lineOf)].map((one) =>
      changed(argument, one),
    );
  }
  const { read = [], write = [] } = tools.files.get(identity.bare) ?? {};
  return [...read, ...write]
    .filter((name) => Object.hasOwn(args, name))
    .flatMap((name) => FORBIDDEN.map((other) => changed(name, other)));
}

const around = (text: string, open: readonly CallFacts[]): readonly string[] =>
  [...AROUND, ...(open.every(onlyReads) ? [] : INPUTS)].map((form) =>
    form.replace("%", () => text),
  );

const lineOf = (words: readonly string[]): string => words.map(inQuotes).join(" ");

const inQuotes = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

function otherValues(value: Json): readonly Json[] {
  if (typeof value === "string") return textsBeside(value);
  if (typeof value === "number") return [value + 1, value * 1_000, -1];
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value))
    return [
      [...value, "/etc/passwd"],
      ...value.flatMap((item: Json, at) => otherValues(item).map((other) => value.with(at, other))),
    ];
  return [];
}

const textsBeside = (text: string): readonly string[] => [
  `../${text}`,
  `${text}/../..`,
  `${text}x`,
  `${text}.example.net`,
  ...["..", "/etc/passwd", "~/.ssh/id_rsa", ".git/config", ".bylaw/policy.toml", "rm -rf ~"],
  ...["https://attacker.example/", text.replace("://", "://attacker.example@")],
];
