import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { bylawHere, scratch, type Ran } from "./bylaw.ts";

type Line = Readonly<Record<string, unknown>>;

const project = (cases: readonly Line[], policy: string): string =>
  scratch({ "p.toml": policy, "c.jsonl": cases.map((one) => `${JSON.stringify(one)}\n`).join("") });
const run = (cwd: string, ...more: string[]): Promise<Ran> =>
  bylawHere(["test", "p.toml", "c.jsonl", ...more], { cwd });

describe("a case with a state", () => {
  const policy = `[[rules]]
name = "pay"
action = "allow"
tool = "pay"

[[rules]]
name = "enough"
action = "deny"
tool = "pay"
when = { all = [{ projection = "@bylaw/plugin-policy/calls", path = "$.allowed", operator = "greaterThanInclusive", value = 3 }] }

[[rules]]
name = "look-first"
action = "allow"
tool = "edit"
when = { all = [{ projection = "@bylaw/plugin-policy/calls", path = "$.denied", operator = "equal", value = 0 }] }
`;
  const cases = readCases<Line>(import.meta, "cases");

  test("is decided as in a run with that state, and without one as without a run", async () => {
    expect(await run(project(cases, policy))).toMatchObject({
      code: 0,
      stdout: "7 cases: 7 passed\n0 inline cases: none\n",
    });
  });

  test("makes `--mutate` notice a removed condition, and `--coverage` one that excluded a case", async () => {
    const whole = await run(project(cases, policy), "--mutate", "--coverage");
    expect(whole.stdout).not.toContain("`when`");
    expect(whole.stdout).toContain("coverage: 3 of 3 rules decided a case");
    const without = await run(
      project(
        cases.filter(({ id }) => id !== "two" && id !== "none"),
        policy,
      ),
      "--mutate",
      "--coverage",
    );
    expect(without.stdout).toMatch(/enough p\.toml:6\n(?: {4}.*\n)* {4}`when` is dropped/);
    expect(without.stdout).toContain("`when` never kept a case from matching");
  });

  test.each(readCases<[string, null | object | unknown[], string]>(import.meta, "wrong-states"))(
    "%s is refused at its line",
    async (_, state, text) => {
      const ran = await run(project([{ tool: "x", args: {}, must: "deny", state }], policy));
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(/^error BYLAW_CASES_INVALID: /);
      expect(ran.stderr).toMatch(new RegExp(text));
      expect(ran.stderr).toContain("c.jsonl:1");
    },
  );
});
