import { spawnSync } from "node:child_process";
import { temporaryFolder } from "@bylaw/testing";

// `pwned` is a function that reports its call on a separate channel. No program can be found, and there is no input.
const PROBE = String.raw`
pwned() { printf RAN >&9; return 0; }
PATH=/nonexistent HOME=/home/dev
unset u x
while IFS= read -r -d '' line <&8; do
  said=$( (eval "$line") 9>&1 >/dev/null 2>/dev/null </dev/null )
  case $said in *RAN*) printf 1 ;; *) printf 0 ;; esac
done`;

// Runs a script of bash, in an empty folder by default. It reads the lines from descriptor 8.
function answersOf(script: string, lines: readonly string[], cwd = temporaryFolder()): string {
  const { stdout } = spawnSync(
    "bash",
    ["--norc", "--noprofile", "-c", `exec 8<&0 </dev/null\n${script}`],
    {
      cwd,
      input: lines.map((line) => `${line}\0`).join(""),
      encoding: "utf8",
      env: { LC_ALL: "C.UTF-8" },
      maxBuffer: 1 << 26,
    },
  );
  return stdout;
}

// Every line has an answer, which ends with this character.
function answersIn(script: string, lines: readonly string[], cwd?: string): readonly string[] {
  const answers = answersOf(script, lines, cwd).split("\u0003").slice(0, -1);
  if (answers.length !== lines.length)
    throw new Error(`bash answered ${answers.length} of ${lines.length} lines`);
  return answers;
}

/** Returns for each line whether real bash ran `pwned` from it. */
export function ran(lines: readonly string[]): boolean[] {
  const answers = answersOf(PROBE, lines);
  if (answers.length !== lines.length)
    throw new Error(`bash answered ${answers.length} of ${lines.length} lines`);
  return Array.from(answers, (answer) => answer === "1");
}

// A restricted shell without programs prints the words, each in brackets.
const WORDS = String.raw`
PATH=/nonexistent HOME=/home/dev
while IFS= read -r -d '' line <&8; do
  said=$( (set -r; eval "printf '<%s>\1' $line"; printf '\2%s' $?) 2>/dev/null </dev/null )
  printf '%s\3' "$said"
done`;

/** Returns for each line of words the words that bash makes of it. Undefined if bash rejects the line. */
export function wordsOf(lines: readonly string[]): (readonly string[] | undefined)[] {
  return answersIn(WORDS, lines).map((answer) => {
    const [words = "", status] = answer.split("\u0002");
    return status === "0" ? bracketed(words) : undefined;
  });
}

// `pwned` is a function that reports its arguments, each in brackets, on a separate channel.
const CALLS = String.raw`
pwned() { printf '<%s>\1' "$@" >&9; printf '\2' >&9; }
PATH=/nonexistent HOME=/home/dev FUNCNEST=3
while IFS= read -r -d '' line <&8; do
  said=$( (eval "$line") 9>&1 >/dev/null 2>/dev/null </dev/null )
  printf '%s\3' "$said"
done`;

/** Returns for each line the arguments of each call of `pwned` that real bash makes in a folder. */
export function callsOf(
  lines: readonly string[],
  cwd?: string,
): (readonly (readonly string[])[])[] {
  return answersIn(CALLS, lines, cwd).map((answer) =>
    answer.split("\u0002").slice(0, -1).map(bracketed),
  );
}

const bracketed = (words: string): readonly string[] =>
  words
    .split("\u0001")
    .slice(0, -1)
    .map((word) => word.slice(1, -1));
