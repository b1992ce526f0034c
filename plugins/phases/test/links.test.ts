import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { beforeAll, expect, it } from "vitest";
import { CONTRACT, place, type Place } from "./kit.ts";

let here: Place;
beforeAll(() => {
  here = place();
});

it("a link that a line creates leads neither out of the workspace nor to protected files", async () => {
  symlinkSync("../..", join(here.folder, "src/up"));
  for (const line of [
    ...readCases<string>(import.meta, "hostile-lines"),
    `ln -s ../.. src/out; echo x > ${here.folder}/src/out/y`,
  ])
    expect(["allow", "rule_allowed"], line).not.toContain(await here.line("IMPL", line));
  for (const line of ["ln -s a.ts src/b.ts", "mv src/a.ts src/b.ts && echo x >> src/b.ts"])
    expect(await here.line("IMPL", line), line).toBe("rule_allowed");
  rmSync(join(here.folder, "src/up"));
});

it("no line is allowed that copies a link to a place where it leads elsewhere, or extracts one from an archive or from history", async () => {
  mkdirSync(join(here.folder, "src/lib"));
  mkdirSync(join(here.folder, "src/out"));
  mkdirSync(join(here.folder, "x/lib"), { recursive: true });
  symlinkSync("../../.git", join(here.folder, "src/up"));
  for (const line of readCases<string>(import.meta, "copies"))
    expect(["allow", "rule_allowed"], line).not.toContain(await here.line("IMPL", line));
  rmSync(join(here.folder, "src/up"));
});

it("no line is allowed that may use a link which git creates without naming it, even in a phase that lists git among its commands", async () => {
  const contract = readFileSync(CONTRACT, "utf8")
    .replace("[pytest, npm test, npm run test]", "[git switch, git stash pop, touch, cp, npm test]")
    .replace("[git, rm -rf, curl]", "[curl]");
  const listed = place({}, contract);
  for (const line of [
    "git switch other && touch tests/l/evil.ts",
    "git stash pop; cp tests/a.ts tests/b.ts",
    "git -C tests switch other; touch tests/l/evil.ts",
    "for i in 1 2; do touch tests/l/evil.ts; git switch other; done",
  ])
    expect(["allow", "rule_allowed"], line).not.toContain(await listed.line("TDD", line));
  for (const line of [
    "git switch other && npm test",
    "touch tests/a.ts && git switch other",
    "git switch -c x && touch tests/a.ts",
  ])
    expect(await listed.line("TDD", line), line).toBe("rule_allowed");
});

it("a folder that is a link by the time of the next call is treated as a link", async () => {
  mkdirSync(join(here.folder, "src/deep/er"), { recursive: true });
  const args = { path: "src/deep/er/new.ts" };
  for (const [folder, target] of [
    ["src/deep/er", "/etc"],
    ["src/deep", "/etc"],
    ["src/deep", "../.git"],
    ["src/deep/er", "../../.."],
  ] as const) {
    expect(await here.code("IMPL", "write_files", args)).toBe("rule_allowed");
    renameSync(join(here.folder, folder), join(here.folder, "aside"));
    symlinkSync(target, join(here.folder, folder));
    expect((await here.ask("IMPL", "write_files", args)).effect, folder).toBe("deny");
    expect(await here.line("IMPL", "echo x > src/deep/er/new.ts"), folder).not.toBe("rule_allowed");
    rmSync(join(here.folder, folder));
    renameSync(join(here.folder, "aside"), join(here.folder, folder));
  }
  expect(await here.code("IMPL", "write_files", args)).toBe("rule_allowed");
});
