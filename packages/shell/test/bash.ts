import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// `pwned` is a function that reports its call on a separate channel. No program can be found, and there is no input.
const PROBE = String.raw`
pwned() { printf RAN >&9; return 0; }
PATH=/nonexistent HOME=/home/dev
unset u x
while IFS= read -r -d '' line <&8; do
  said=$( (eval "$line") 9>&1 >/dev/null 2>/dev/null </dev/null )
  case $said in *RAN*) printf 1 ;; *) printf 0 ;; esac
done`;

function inEmptyFolder<T>(run: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-shell-"));
  try {
    return run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns for each line whether real bash ran `pwned` from it. */
export function ran(lines: readonly string[]): boolean[] {
  return inEmptyFolder((cwd) => {
    const input = lines.map((line) => `${line}\0`).join("");
    const { stdout, status } = spawnSync(
      "bash",
      ["--norc", "--noprofile", "-c", `exec 8<&0 </dev/null\n${PROBE}`],
      { cwd, input, encoding: "utf8", env: { LC_ALL: "C.UTF-8" }, maxBuffer: 1 << 26 },
    );
    if (stdout.length !== lines.length)
      throw new Error(
        `Unexpected ${stdout.length} answers of bash (${status}), expected ${lines.length}`,
      );
    return Array.from(stdout, (answer) => answer === "1");
  });
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
  return inEmptyFolder((cwd) => {
    const { stdout } = spawnSync(
      "bash",
      ["--norc", "--noprofile", "-c", `exec 8<&0 </dev/null\n${WORDS}`],
      {
        cwd,
        input: lines.map((line) => `${line}\0`).join(""),
        encoding: "utf8",
        env: { LC_ALL: "C.UTF-8" },
        maxBuffer: 1 << 26,
      },
    );
    const answers = stdout.split("\u0003").slice(0, -1);
    if (answers.length !== lines.length)
      throw new Error(`Unexpected ${answers.length} answers of bash, expected ${lines.length}`);
    return answers.map((answer) => {
      const [words = "", status] = answer.split("\u0002");
      if (status !== "0") return undefined;
      return words
        .split("\u0001")
        .slice(0, -1)
        .map((word) => word.slice(1, -1));
    });
  });
}
