import { readFileSync } from "node:fs";
import { createKernel, type ApprovalMode, type Effect, type JsonObject } from "@bylaw/kernel";
import { recommended } from "@bylaw/ruleset-recommended";
import { describe, expect, it } from "vitest";
import { everyday } from "../src/index.ts";

interface Case {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly cwd: string;
  readonly home: string;
  readonly must: Effect;
  readonly rule?: string;
  readonly code?: string;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const cases = read("../cases.jsonl")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);
const own = read("../policy.toml").matchAll(
  /^name = "(.+)"\n(?:priority = ".+"\n)?action = "(.+)"/gm,
);
const rules = [...own].map(([, name = "", action = ""]) => ({ name, action }));

const callOf = ({ tool, args, cwd, home }: Case) =>
  ({ hook: "beforeToolCall", tool, args, cwd, workspace: cwd, home }) as const;

async function effectsOf(calls: readonly Case[], mode: ApprovalMode = "ask"): Promise<string[]> {
  const kernel = createKernel({ extends: [everyday] });
  const effects: string[] = [];
  for (const one of calls) {
    const { effect, rule, code } = await kernel.decide({ ...callOf(one), approval_mode: mode });
    effects.push([effect, rule?.name ?? code].join(" by "));
  }
  return effects;
}

describe("cases.jsonl", () => {
  it("contains each case once", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    expect(new Set(cases.map(({ args }) => JSON.stringify(args))).size).toBe(cases.length);
  });

  it("is decided as it says", async () => {
    const found = (await effectsOf(cases)).map((effect, at) => [cases[at]?.id, effect]);
    const wanted = cases.map(({ id, must, rule, code }) => [id, `${must} by ${rule ?? code}`]);
    expect(found).toEqual(wanted);
  });

  // It depends on a repository: see ignored-outputs.test.ts.
  const judged = rules.filter(({ name }) => name !== "delete-ignored-outputs");

  it.each(judged)("needs the rule $name", async ({ name }) => {
    const without = [`@bylaw/plugin-policy/${name}`];
    const kernel = createKernel({ extends: [everyday], without });
    // Start with cases that the rule decides, which are most likely to change.
    const ordered = [...cases.filter(({ rule }) => rule === name), ...cases];
    for (const one of ordered) if ((await kernel.decide(callOf(one))).effect !== one.must) return;
    expect.fail("every case is decided as with it");
  });

  it("keeps every deny in every approval mode, and every ask of a rule", async () => {
    const held = cases.filter(({ must, rule }) => must !== "allow" && rule !== undefined);
    for (const mode of ["autoEdit", "yolo"] as const) {
      const effects = await effectsOf(held, mode);
      const changed = held.filter(({ must }, at) => effects[at]?.split(" ")[0] !== must);
      expect(changed).toEqual([]);
    }
  });
});

it("allows nothing that the recommended rules deny, except the outputs of builds", async () => {
  const kernel = createKernel({ extends: [recommended] });
  const lifted: (string | undefined)[] = [];
  for (const one of cases.filter(({ must }) => must === "allow")) {
    const { effect } = await kernel.decide(callOf(one));
    if (effect === "deny") lifted.push(one.rule);
  }
  expect(new Set(lifted)).toEqual(new Set(["delete-build-outputs"]));
});

it("the README lists exactly the rules of the policy, and counts the cases", () => {
  const readme = read("../README.md");
  const words: Readonly<Record<string, string>> = {
    allow: "allows",
    ask_user: "asks",
    deny: "denies",
  };
  const listed = [
    ...readme.matchAll(/^\| `([a-z-]+)` +\| (allows|asks|denies)(?:, exception)? +\|/gm),
  ];
  expect(listed.map(([, name, effect]) => [name, effect])).toEqual(
    rules.map(({ name, action }) => [name, words[action]]),
  );
  expect(readme).toContain(`${rules.length} rules in`);
  expect(readme).toContain(`of the ${cases.length} calls in`);
});
