import { readFileSync } from "node:fs";
import type { Response } from "@bylaw/kernel";
import { recordResponse, showAnswers } from "@bylaw/plugin-consensus";
import { REASONS } from "@bylaw/plugin-reasons";
import { describe, expect, it } from "vitest";
import { answer, begin } from "./host.ts";

interface Case {
  readonly id: string;
  /** What was recorded before: answers, and that an agent was shown all of them. */
  readonly before: readonly (
    | { readonly agent: string; readonly answer: string }
    | { readonly show: string }
  )[];
  readonly agent: string;
  readonly response: Omit<Response, "hook">;
  /** `accept`, or the code of the reason for a rejection. */
  readonly expect: string;
}

const text = readFileSync(new URL("../cases.jsonl", import.meta.url), "utf8");
const cases = text
  .trimEnd()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

describe("cases.jsonl", () => {
  it.each(cases)("$id", async ({ before, agent, response, expect: wanted }) => {
    const run = await begin({ agents: ["ann", "bob", "cem"], max_answers_per_agent: 2 });
    for (const step of before) {
      if ("show" in step) await showAnswers(run, step.show);
      else {
        expect((await run.respond({ agent: step.agent, ...answer(step.answer) })).applied).toBe(
          "allow",
        );
        await recordResponse(run, step.agent);
      }
    }
    const { decision } = await run.respond({ agent, ...response });
    expect([decision.effect, decision.code]).toEqual(
      wanted === "accept" ? ["allow", "fallback"] : ["deny", wanted],
    );
  });

  it("has each case once, and every reason except those that need options or an ended turn", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
    const reached = new Set(cases.map((one) => one.expect));
    expect(Object.keys(REASONS).filter((code) => !reached.has(code))).toEqual([
      "turn_over",
      "answer_novelty",
    ]);
  });
});
