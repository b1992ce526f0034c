import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { GitFiles } from "../src/paths/git-files.ts";
import { createIgnoredPaths } from "../src/paths/ignored-paths.ts";
import { GlobLookup } from "../src/paths/real-globs.ts";

it("the limit of entries is for all ignored folders of a call together", () => {
  const top = realpathSync(temporaryFolder());
  execFileSync("git", ["init", "-q", top]);
  writeFileSync(join(top, ".gitignore"), "one\ntwo\n");
  for (const folder of ["one", "two"]) {
    mkdirSync(join(top, folder));
    for (let file = 0; file < 6; file++) writeFileSync(join(top, folder, `${file}`), "");
  }
  const ignores = (): ((name: string) => boolean) => {
    const isIgnored = createIgnoredPaths((path) => [path], new GitFiles(new GlobLookup()), 10);
    return (name) => isIgnored(join(top, name));
  };
  expect(["one", "two"].map(ignores())).toEqual([true, false]);
  expect(["two"].map(ignores())).toEqual([true]);
});
