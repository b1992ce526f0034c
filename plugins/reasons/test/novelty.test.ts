import { createKernel, type Decision, type Kernel } from "@bylaw/kernel";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reasons } from "../src/index.ts";
import { answer, answered, workflow_tools, type Options } from "./kit.ts";

const kernelOf = (novelty: Options["novelty"]): Kernel =>
  createKernel({ plugins: [reasons({ workflow_tools, novelty })] });
const kernels = {
  lenient: kernelOf("lenient"),
  balanced: kernelOf("balanced"),
  strict: kernelOf("strict"),
};

const codeOf = (novelty: keyof typeof kernels, mine: string, theirs: string): string =>
  (
    kernels[novelty].decide({
      ...{ hook: "onEnforcement", agent: "a", tool_calls: [answer(mine)] },
      ...answered({ answers: [{ agent: "b", content: theirs }] }),
    }) as Decision
  ).code;

const word = fc.constantFrom(..."red green blue white black. Über ñandú, 42 (x) привет".split(" "));
const words = fc.array(word, { maxLength: 14 });

describe("novelty", () => {
  it("is the overlap of the sets of words, whatever their order, case and number", () => {
    fc.assert(
      fc.property(words, words, (mine, theirs) => {
        const [a, b] = [
          new Set(mine.map((one) => one.toLowerCase())),
          new Set(theirs.map((one) => one.toLowerCase())),
        ];
        const all = new Set([...a, ...b]).size;
        const overlap = all === 0 ? 1 : [...a].filter((one) => b.has(one)).length / all;
        const spaced = mine
          .toReversed()
          .map((one, index) => (index % 2 === 0 ? one.toUpperCase().toLowerCase() : one))
          .join(" \n\t");
        expect(codeOf("balanced", spaced, theirs.join(" ")) === "answer_novelty").toBe(
          overlap > 0.7,
        );
        expect(codeOf("strict", spaced, theirs.join(" ")) === "answer_novelty").toBe(overlap > 0.5);
        expect(codeOf("lenient", spaced, theirs.join(" "))).not.toBe("answer_novelty");
      }),
    );
  });

  it("refuses with strict everything that balanced refuses, and is symmetric", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        (mine, theirs) => {
          if (codeOf("balanced", mine, theirs) === "answer_novelty")
            expect(codeOf("strict", mine, theirs)).toBe("answer_novelty");
          expect(codeOf("strict", mine, theirs) === "answer_novelty").toBe(
            codeOf("strict", theirs, mine) === "answer_novelty",
          );
        },
      ),
    );
  });
});

it("any response at all gets a decision with at most one reason from the list", () => {
  const call = fc.record(
    {
      tool: fc.oneof(fc.constantFrom("vote", "new_answer", "read_file"), fc.string()),
      args: fc.jsonValue(),
    },
    { requiredKeys: ["tool"] },
  );
  fc.assert(
    fc.property(
      fc.array(call, { maxLength: 5 }),
      fc.string(),
      fc.option(fc.array(fc.string()), { nil: undefined }),
      (tool_calls, text, available) => {
        const clean = JSON.parse(
          JSON.stringify(tool_calls).replaceAll("__proto__", "proto"),
        ) as never;
        const decision = kernels.strict.decide({
          hook: "onEnforcement",
          text,
          tool_calls: clean,
          ...(available && { available_tools: available }),
        }) as Decision;
        if (decision.code === "invalid_call") return;
        expect(decision.votes.length).toBeLessThanOrEqual(1);
        expect(decision.code).not.toBe("check_failed");
        if (decision.effect === "deny")
          expect(decision.reason).toMatch(/^Retry \(1\/3\): [\P{C}]+$/u);
      },
    ),
  );
});
