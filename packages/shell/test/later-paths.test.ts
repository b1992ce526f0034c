import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { does } from "./kit.ts";

const bash = (text: string, cwd: string): unknown =>
  execFileSync("bash", ["-c", text], { cwd, stdio: "ignore" });

describe("a path is unknown after a command that may make a link", () => {
  it.each<string>([
    ...readCases<string>(import.meta, "unknown-paths"),
    Array.from({ length: 9 }, () => "mv a b").join("; ") + "; cat b",
  ])("%s", (line) => {
    expect(does(line)).toContain("unknown");
  });

  it.each(readCases<string>(import.meta, "known-paths"))("but not in %s", (line) => {
    expect(does(line)).not.toContain("unknown");
  });

  // Real paths are resolved before the line runs, and a path that doubles a name does not resolve if the name is a link.
  it.each(readCases<[string, string]>(import.meta, "moved-or-copied"))(
    "what was moved or copied to exactly this path must be no link: %s",
    (line, effect) => {
      expect(does(line)).toContain(effect);
    },
  );

  it("matches what bash does", () => {
    for (const line of readCases<string>(import.meta, "run-by-bash")) {
      const root = temporaryFolder();
      mkdirSync(join(root, "a/work/src/in"), { recursive: true });
      const file = join(root, line.includes("/out d/e") ? "out" : "a/none");
      writeFileSync(file, "");
      for (const link of ["there", "in/in"])
        execFileSync("ln", ["-s", "../..", join(root, "a/work/src", link)]);
      bash(line, join(root, "a/work"));
      const outside = ["out", "a/out", "a/work/out"].some(
        (path) => existsSync(join(root, path)) && readFileSync(join(root, path), "utf8") === "x\n",
      );
      expect([line, outside]).toEqual([line, true]);
      expect(does(line), line).toContain("unknown");
    }
  });

  it("matches what bash does with links that are put into a folder", () => {
    for (const line of readCases<string>(import.meta, "linked")) {
      const root = temporaryFolder();
      for (const name of ["src/lib", "src/x", "from"])
        mkdirSync(join(root, name), { recursive: true });
      bash(
        "git init . && ln -s ../.git src/l && git add src && git -c user.name=a -c user.email=a commit -m l && rm src/l",
        root,
      );
      bash("git show --format= HEAD > a.diff", root);
      // In some places these links lead out of the folder.
      bash("ln -s ../../.git src/up && ln -s ../../.git from/up && tar -C src -cf a.tar up", root);
      bash(line, root);
      expect([line, existsSync(join(root, ".git/evil"))]).toEqual([line, true]);
      expect(does(line), line).toContain("unknown");
    }
  });

  it("matches what bash does with paths that go up and come back", () => {
    for (const line of readCases<string>(import.meta, "upwards")) {
      const root = temporaryFolder();
      for (const name of ["ws/.git", "ws/src", "ws/from"])
        mkdirSync(join(root, name), { recursive: true });
      execFileSync("ln", ["-s", ".git", join(root, "ws/from/up")]);
      bash(line, join(root, "ws"));
      expect([line, existsSync(join(root, "ws/.git/evil"))]).toEqual([line, true]);
      expect(does(line), line).toContain("unknown");
    }
  });
});
