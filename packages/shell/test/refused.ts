import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PARTS = [
  "ls", "a", "b.c", "x=1", "x=(", "x=(a)", "x[0]=1", "-n", "$x", "${x}", "${x:-a}", "${x", "$(", "$(id)", "`id`", "`", "$((", "$((1))", "$((1+", "))", "$[", "$[1]",
  "$[1", "(", ")", "((", "[[", "]]", "[", "]", "{", "}", "{a,b}", "|", "||", "&", "&&", "|&", ";", ";;", ";&", ";;&", "<", ">", "<<", "<<<", ">>", "<&", ">&", "&>",
  "&>>", "<>", ">|", "2>", "2>&1", "<(", ">(", "<(id)", "'", '"', "'a'", '"a"', '"$x"', '"$(id)"', "$'a'", "$'", '$"a"', "\\", "\\ ", "#", "#a", "a#", "!", "if",
  "then", "else", "elif", "fi", "for", "in", "do", "done", "while", "until", "case", "esac", "select", "function", "f()", '"$[', '"${', '"$(', "f", "time", "coproc", "*", "?", "@(a)",
  "+(", "!(a)", "~", "\n", "<<E", "E", "{x}>", "=~", "-eq", "$", "$$", "a$(", "a$[", "a(", "a)", "1", "&>f", ">f", "<f",
]; // prettier-ignore

/** Generates lines from all characters with a meaning in the shell. The same seed gives the same lines; bash rejects most of them. */
export function soup(count: number, seed: number): readonly string[] {
  let state = seed;
  const next = (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
  return Array.from({ length: count }, () => {
    let line = next(10) < 6 ? "ls " : "";
    for (let left = 1 + next(6); left > 0; left--)
      line += (PARTS[next(PARTS.length)] ?? "") + (next(10) < 7 ? " " : "");
    return line;
  });
}

// Only a check: with `-n`, bash runs nothing.
const CHECK = `for ((i = 0; i < $1; i++)); do if bash -n "$i" 2>/dev/null </dev/null; then printf 0; else printf 1; fi; done`;

/** Returns for each line whether bash rejects it, without running any of it. */
export function refused(lines: readonly string[]): boolean[] {
  const cwd = mkdtempSync(join(tmpdir(), "bylaw-refused-"));
  try {
    for (const [index, line] of lines.entries()) writeFileSync(join(cwd, String(index)), line);
    const { stdout, status } = spawnSync(
      "bash",
      ["--norc", "--noprofile", "-c", CHECK, "bash", String(lines.length)],
      {
        cwd,
        encoding: "utf8",
        env: { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
        maxBuffer: 1 << 26,
      },
    );
    if (stdout.length !== lines.length)
      throw new Error(
        `Unexpected ${stdout.length} answers of bash (${status}), expected ${lines.length}`,
      );
    return Array.from(stdout, (answer) => answer === "1");
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}
