import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { filesAt, root, textOf } from "./workspaces.ts";

// In pieces, so that this file does not match itself.
const FORBIDDEN: readonly RegExp[] = [
  new RegExp(["registry", "npmjs"].join("\\.")),
  new RegExp(["npmjs", "(org|com)"].join("\\.")),
  new RegExp(["unpkg", "com"].join("\\.")),
  new RegExp(["deb", "debian"].join("\\.")),
  new RegExp(["(^|[^\\w./-])", "work(?![\\w-])"].join("/"), "m"),
];

it("the repository names no host of a package registry and no folder of one machine", () => {
  const files = new Set([...filesAt("**/*"), ...filesAt(".*"), ...filesAt("{.ci,.changeset}/*")]);
  // In a worktree, .git is a file that points to the repository.
  files.delete(".git");
  const found = [...files].flatMap((file) => {
    const text = textOf(file);
    return FORBIDDEN.flatMap((pattern) => {
      const hit = pattern.exec(text);
      return hit === null
        ? []
        : [`${file}:${text.slice(0, hit.index).split("\n").length} ${hit[0].trim()}`];
    });
  });
  expect(found).toEqual([]);
});

it("no source contains a note for later", () => {
  const sources = filesAt("{packages,plugins,rulesets,test,tools}/**/*.ts").filter(
    (file) => !file.includes("/fixtures/"),
  );
  const mark = /\b(TOD[O]|FIXM[E]|XX[X])\b/;
  expect(sources.filter((file) => mark.test(textOf(file)))).toEqual([]);
});

it("the test script of a package finds its tests from its folder", () => {
  const list = "list --root ../.. --project packages/wording --filesOnly".split(" ");
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), ...list],
    { cwd: join(root, "packages/wording"), encoding: "utf8" },
  );
  expect(stdout).toContain("packages/wording/test/");
});
