import { execFileSync } from "node:child_process";
import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { GitFiles } from "../src/paths/git-files.ts";
import { createIgnoredPaths } from "../src/paths/ignored-paths.ts";
import { GlobLookup } from "../src/paths/real-globs.ts";

it("the limit of entries is for all questions of a call together", () => {
  const top = realpathSync(temporaryFolder());
  execFileSync("git", ["init", "-q", top]);
  writeFileSync(join(top, ".gitignore"), "build\n");
  const folder = join(top, "build");
  mkdirSync(folder);
  for (let file = 0; file < 2_000; file++) writeFileSync(join(folder, `${file}`), "");
  const ignored = (times: number): readonly boolean[] => {
    const isIgnored = createIgnoredPaths((path) => [path], new GitFiles(new GlobLookup()));
    return Array.from({ length: times }, () => isIgnored(folder));
  };
  expect(ignored(51)).toEqual([...Array.from({ length: 50 }, () => true), false]);
});
