import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  evaluateBehavior,
  parseControlFile,
  radiumKeywords,
  type Evaluation,
  type RiskScore,
} from "../src/index.ts";

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));
const of =
  (compat: Evaluation["compat"]) =>
  (evaluation: Evaluation): unknown =>
    evaluateBehavior({ ...evaluation, ...(compat === undefined ? {} : { compat }) });
const radium = of("radium");
const codemachine = of("codemachine");
const better = of(undefined);

const cases = (
  fixture("evaluators") as {
    cases: readonly (Evaluation & { decision?: unknown; error?: unknown })[];
  }
).cases;
const faults: Readonly<Record<string, string>> = {
  missing_field: "BYLAW_BEHAVIOR_TARGET_MISSING",
  parse: "BYLAW_BEHAVIOR_INVALID",
  invalid_config: "BYLAW_BEHAVIOR_CONFIG_INVALID",
};

describe("evaluators give the results of the original systems", () => {
  it.each(cases.map((one, index) => [index, one] as const))(
    "case %i",
    (_, { decision, ...rest }) => {
      const wanted = decision as { error?: { code: string } | string } | null;
      const code =
        wanted !== null && wanted.error !== undefined
          ? typeof wanted.error === "string"
            ? wanted.error
            : wanted.error.code
          : undefined;
      if (code !== undefined)
        expect(() => radium(rest)).toThrow(expect.objectContaining({ code: faults[code] }));
      else expect(radium(rest)).toEqual(decision);
    },
  );

  it("the two systems read a limit of 0 differently, and the default refuses it", () => {
    const zero: Evaluation = {
      evaluator: "loop",
      file: { action: "loop" },
      config: { steps: 1, maxIterations: 0 },
      iteration: 0,
    };
    expect(radium(zero)).toMatchObject({ shouldRepeat: false, reason: "loop limit reached (0)" });
    expect(codemachine(zero)).toMatchObject({ shouldRepeat: true });
    expect(() => better(zero)).toFailWith("BYLAW_BEHAVIOR_CONFIG_INVALID");
  });

  it("by default the limit applies only to `loop`, and a stop keeps its reason", () => {
    const at = (action: string): Evaluation => ({
      ...{
        evaluator: "loop",
        file: { action, reason: "R" },
        config: { steps: 2, maxIterations: 3 },
        iteration: 3,
      },
    });
    expect(better(at("loop"))).toMatchObject({
      shouldRepeat: false,
      reason: "loop limit reached (3)",
    });
    expect(better(at("stop"))).toMatchObject({ shouldRepeat: false, reason: "R" });
    for (const action of ["continue", "trigger", "checkpoint", "vibecheck"]) {
      expect(better(at(action))).toBeNull();
      expect(radium(at(action))).toMatchObject({ reason: "loop limit reached (3)" });
    }
  });

  it("refuses steps that lead nowhere, which the original systems clamp or accept", () => {
    for (const steps of [0, -1, 1.5, "2", null]) {
      const one: Evaluation = { evaluator: "loop", file: { action: "loop" }, config: { steps } };
      expect(() => better(one)).toFailWith("BYLAW_BEHAVIOR_CONFIG_INVALID");
      expect(codemachine(one)).toMatchObject({ stepsBack: 1 });
    }
    expect(
      codemachine({
        evaluator: "loop",
        file: { action: "loop" },
        config: { steps: 2.9, maxIterations: 2.9 },
        iteration: 2,
      }),
    ).toEqual({
      ...{ shouldRepeat: false, stepsBack: 2, skip: [], reason: "loop limit reached (2)" },
    });
  });

  it("takes an empty name for no name", () => {
    const empty: Evaluation = {
      evaluator: "trigger",
      file: { action: "trigger", triggerAgentId: "" },
      config: { triggerAgentId: "b" },
    };
    expect(better(empty)).toMatchObject({ agentId: "b" });
    expect(codemachine(empty)).toMatchObject({ agentId: "b" });
    const nobody: Evaluation = { evaluator: "trigger", file: { action: "trigger" }, config: {} };
    expect(codemachine(nobody)).toBeNull();
    expect(() => better(nobody)).toFailWith("BYLAW_BEHAVIOR_TARGET_MISSING");
  });

  it("ignores a broken file in a step without a loop, and otherwise only if the original system did", () => {
    expect(better({ evaluator: "loop", file: "{", config: null })).toBeNull();
    expect(codemachine({ evaluator: "checkpoint", file: "{" })).toBeNull();
    // An unknown action has no effect, but the limit of the loop still counts.
    const config = { steps: 1, maxIterations: 1 };
    for (const file of [{ action: "complete" }, '{"action":"LOOP"}', "[]", '{"reason":5}']) {
      expect(codemachine({ evaluator: "loop", file, config })).toBeNull();
      expect(codemachine({ evaluator: "loop", file, config, iteration: 1 })).toMatchObject({
        reason: "loop limit reached (1)",
      });
      expect(
        codemachine({ evaluator: "trigger", file, config: { triggerAgentId: "a" } }),
      ).toBeNull();
    }
    for (const file of ["", "null", "{", '\uFEFF{"action":"loop"}'])
      expect(codemachine({ evaluator: "loop", file, config, iteration: 9 })).toBeNull();
    expect(
      codemachine({ evaluator: "loop", file: '{"action":"stop","action":"loop"}', config }),
    ).toMatchObject({ shouldRepeat: true });
    expect(() => better({ evaluator: "checkpoint", file: "{" })).toFailWith(
      "BYLAW_BEHAVIOR_INVALID",
    );
  });
});

describe("the control file", () => {
  const files = (
    fixture("behavior-file-parse") as {
      cases: readonly { raw: string; accepted: boolean; action?: string; strict?: false }[];
    }
  ).cases;
  it.each(files.map((one) => [one.raw, one] as const))(
    "%s",
    (raw, { accepted, action, strict }) => {
      if (accepted && strict !== false) expect(parseControlFile(raw).action).toBe(action);
      else expect(() => parseControlFile(raw)).toFailWith("BYLAW_BEHAVIOR_INVALID");
    },
  );

  it("suggests the nearest action or key", () => {
    const fixOf = (raw: string): unknown => {
      try {
        return parseControlFile(raw);
      } catch (error) {
        return (error as { fix?: string }).fix;
      }
    };
    expect(fixOf('{"action":"vibeCheck"}')).toBe("Did you mean `vibecheck`?");
    expect(fixOf('{"action":"vibe_check"}')).toBe("Did you mean `vibecheck`?");
    expect(fixOf('{"action":"Loop"}')).toBe("Did you mean `loop`?");
    expect(fixOf('{"action":"complete"}')).toBe("Did you mean `continue`?");
    expect(fixOf('{"action":"zzzzzzzz"}')).toBeUndefined();
    const { ignored, triggerAgentId } = parseControlFile(
      '{"action":"trigger","trigger_agent_id":"x","extra":1}',
    );
    expect(triggerAgentId).toBeNull();
    expect(ignored).toEqual([
      { key: "trigger_agent_id", near: "triggerAgentId" },
      { key: "extra", near: undefined },
    ]);
  });

  it("refuses a control file that is too large, with a short message", () => {
    const long = JSON.stringify({ action: "loop", reason: "x".repeat(70_000) });
    expect(() => parseControlFile(long)).toThrow(/at most 65536/);
    expect(() => parseControlFile(`{"action":"${"z\\n`".repeat(1_000)}"}`)).toThrow(
      /^Unknown action `[^\n`]{80}`/,
    );
  });
});

it.each((fixture("risk-score") as { cases: readonly (RiskScore & { advice: string })[] }).cases)(
  "the risk of advice, by its words: $advice",
  ({ advice, ...wanted }) => {
    expect(radiumKeywords(advice)).toMatchObject(wanted);
  },
);
