import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { analyze } from "../src/index.ts";

/** Returns the programs of a line's commands that have unknown parts. */
const unknownOf = (line: string): readonly string[] =>
  analyze(line).commands.flatMap(({ argv, effects, unknown }) =>
    unknown.length > 0 ||
    effects.some((effect) => "path" in effect && effect.path.text === undefined)
      ? [argv[0]?.text ?? ""]
      : [],
  );

// Creates a repository next to another folder. Its branch `other` has a link to that folder where `plain` has a folder of files.
function repository(): { readonly out: string; readonly bash: (text: string) => string } {
  const root = temporaryFolder();
  const out = join(root, "out");
  const work = join(root, "work");
  for (const folder of [out, work]) mkdirSync(folder);
  writeFileSync(join(out, "secret"), "secret\n");
  writeFileSync(join(out, "gone"), "gone\n");
  const bash = (text: string): string =>
    execFileSync("bash", ["-c", text], {
      cwd: work,
      stdio: ["ignore", "pipe", "ignore"],
      encoding: "utf8",
    });
  bash(
    "git init -q . && git config user.name a && git config user.email a && git commit -q --allow-empty -m first && git switch -q -c other",
  );
  symlinkSync(out, join(work, "link"));
  symlinkSync(join(out, "secret"), join(work, "notes"));
  bash(
    "git add . && git commit -q -m links && git show --format= HEAD > .git/a.patch && git switch -q -c plain HEAD~1",
  );
  bash(
    "mkdir link && echo open > link/secret && git add . && git commit -q -m plain && git switch -q -c topic HEAD~1",
  );
  bash("mv .git/a.patch . && git checkout -q other -- . && git stash -q && test ! -e link");
  return { bash, out };
}

describe("a path that git may have replaced by a link is unknown for the rest of the line", () => {
  it.each(readCases<string>(import.meta, "written"))("written: %s", (line) => {
    expect(unknownOf(line)).not.toEqual([]);
  });

  it.each(readCases<string>(import.meta, "read"))("read: %s", (line) => {
    expect(unknownOf(line)).not.toEqual([]);
  });

  it.each(readCases<string>(import.meta, "plain-git"))("and nothing else: %s", (line) => {
    expect(unknownOf(line)).toEqual([]);
  });

  it.each(readCases<string>(import.meta, "deleted"))("deleted: %s", (line) => {
    expect(unknownOf(line)).not.toEqual([]);
  });

  it("keeps the path as the words name it", () => {
    const [, cat] = analyze("git pull && cat .env").commands;
    expect(cat?.effects).toContainEqual({ kind: "read", path: { text: ".env" } });
  });

  it("matches what git does", () => {
    for (const line of readCases<string>(import.meta, "git-agrees")) {
      const { bash, out } = repository();
      bash(line);
      expect([line, existsSync(join(out, "evil"))]).toEqual([line, true]);
      expect(readFileSync(join(out, "secret"), "utf8")).toBe("secret\n");
      expect([line, unknownOf(line).length > 0]).toEqual([line, true]);
    }
  });

  // git uses the names in its index, and a commit that is not checked out may have other names.
  it.each(readCases<string>(import.meta, "through-links"))("git goes behind a link: %s", (rest) => {
    const line = `git switch -q other; git reset -q plain; ${rest}`;
    expect(repository().bash(line)).toContain("secret");
    expect(unknownOf(line)).toContain("git");
  });

  it.each([
    "git add link/secret; git show :link/secret",
    "git stash push link/secret; git show stash:link/secret :link/secret",
    "git diff HEAD -- link/secret | grep '^+'",
  ])("and stays before it: %s", (rest) => {
    const line = `git switch -q other; git reset -q plain; ${rest}; true`;
    expect(repository().bash(line)).not.toContain("secret\n");
    expect(unknownOf(line)).toEqual([]);
  });
});
