import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { ENTER, beginWalk } from "./workflow-walk-kit.ts";

interface Case {
  readonly id: string;
  readonly phase: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly must: "allow" | "deny";
  readonly code?: string;
}
const cases = readFileSync(new URL("../../rulesets/tdd/cases.jsonl", import.meta.url), "utf8")
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

it("the shipped contract decides each of its cases on the way from a plan to the end", async () => {
  const walk = await beginWalk();
  const seen: string[] = [];
  for (const [phase, enter] of Object.entries(ENTER)) {
    await enter(walk);
    expect(walk.phase()).toBe(phase);
    for (const { id, tool, args, must, code } of cases.filter((one) => one.phase === phase)) {
      const { decision } = await walk.ask(tool, args);
      const denied = decision.votes.filter(({ effect }) => effect === "deny");
      expect([id, decision.effect], decision.reason).toEqual([id, must]);
      if (code !== undefined)
        expect(
          denied.map((vote) => vote.code),
          `${id}: ${decision.reason}`,
        ).toContain(code);
      seen.push(id);
    }
  }
  expect(seen).toHaveLength(cases.length);
});

it("packages must not be written or installed in any phase", async () => {
  const walk = await beginWalk();
  for (const [phase, enter] of Object.entries(ENTER)) {
    await enter(walk);
    for (const [tool, args] of readCases<[string, JsonObject]>(import.meta, "packages")) {
      const { decision } = await walk.ask(tool, args);
      expect([phase, tool, args, decision.effect]).toEqual([phase, tool, args, "deny"]);
    }
  }
});
