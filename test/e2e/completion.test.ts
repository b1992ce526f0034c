import { spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { bylawHere, scratch, workplace } from "./bylaw.ts";

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;
const scripts: Record<string, string> = {};
beforeAll(async () => {
  for (const shell of ["bash", "zsh", "fish"])
    scripts[shell] = (await bylawHere(`completion ${shell}`, { cwd: process.cwd() })).stdout;
});

/** What a shell offers for the last of these words. */
function offered(shell: string, words: readonly string[]): readonly string[] {
  const cwd = scratch({ script: scripts[shell] ?? "", "notes.txt": "" });
  const line = words.map((word) => `'${word}'`).join(" ");
  const asking = {
    bash: `source ./script; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _bylaw; printf '%s\\n' "\${COMPREPLY[@]}"`,
    // Outside of a terminal zsh has neither of the three.
    zsh: `compdef() {}; compadd() { print -rl -- "\${(@P)2}" }; _files() {}; source ./script; words=(${line}); CURRENT=${words.length}; _bylaw`,
    fish: `source ./script; complete -C '${words.join(" ")}'`,
  }[shell];
  const { stdout, stderr, status } = spawnSync(shell, ["-c", asking ?? ""], {
    cwd,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout
    .split("\n")
    .map((row) => row.split("\t")[0] ?? "")
    .filter((word) => word !== "")
    .toSorted();
}

describe.each(["bash", "zsh", "fish"].filter(has))("%s", (shell) => {
  const starting = (word: string, found: readonly string[]) =>
    found.filter((one) => one.startsWith(word));
  test.each([
    [
      ["bylaw", "rep"],
      ["replay", "report"],
    ],
    [["bylaw", "approve", "wai"], ["waive"]],
    [["bylaw", "approve", "--wa"], ["--watch"]],
    [["bylaw", "check", "--app"], ["--approval-mode"]],
    [["bylaw", "check", "--approval-mode", "au"], ["autoEdit"]],
    [
      ["bylaw", "import", "c"],
      ["claude", "codex"],
    ],
    [["bylaw", "init", "--format", "yaml", "--ruleset", "rec"], ["recommended"]],
    // The value of an option is no command.
    [["bylaw", "check", "--tool", "log", "--jso"], ["--json"]],
  ])("%j", (words, expected) => {
    expect(starting(words.at(-1) ?? "", offered(shell, words))).toEqual(expected);
  });
});

test("bash goes on with the names of files where nothing else is known", () => {
  expect(offered("bash", ["bylaw", "lint", ""])).toEqual([]);
  expect(scripts["bash"]).toContain("complete -o bashdefault -o default -F _bylaw bylaw\n");
});

test("a shell that it does not know", async () => {
  const ran = await workplace().run("completion tcsh");
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toContain("`<shell>` must be bash, zsh or fish, not `tcsh`");
});
