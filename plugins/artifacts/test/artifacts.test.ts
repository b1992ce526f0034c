import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert, asyncProperty, constantFrom, jsonValue } from "fast-check";
import { describe, expect, it } from "vitest";
import { COMPLETED_PHASE } from "@bylaw/contract";
import { createKernel, type Decision, type Json } from "@bylaw/kernel";
import { describeExamples, temporaryFolder } from "@bylaw/testing";
import { examples } from "../examples.ts";
import { artifacts } from "../src/index.ts";

describeExamples(examples, { describe, it });

const FIXTURES = join(import.meta.dirname, "fixtures");
const folder = temporaryFolder();
cpSync(FIXTURES, folder, { recursive: true });
const TEXT = readFileSync(join(FIXTURES, "agent_workflow.yaml"), "utf8");

let files = 0;
const kernelOf = (text: string) => {
  const file = join(folder, `contract-${(files += 1)}.yaml`);
  writeFileSync(file, text);
  return createKernel({ plugins: [artifacts({ contract: file })] });
};
const kernel = kernelOf(TEXT);

const plan = {
  title: "A long enough title",
  acceptance_criteria: [{ criterion: "it adds", how_to_verify: "run it" }],
};
const scope = { in_scope: ["adding"], out_of_scope: ["Subtracting"] };
const good = { plan_document: plan, scope_definition: scope, notes: "none" };
const tests = { command: "npm test", exit_code: 0, passed: 3, failed: 0 };

const leave = async (
  handed: unknown,
  from = "PLAN",
  to = "BUILD",
  on = kernel,
): Promise<Decision> =>
  on.decide({ hook: "onTransition", task: "t1", from, to, artifacts: handed as never });
const told = async (...given: Parameters<typeof leave>): Promise<readonly string[]> =>
  (await leave(...given)).votes
    .map(({ code, reason }) => `${code} ${/`([^`]*)`/.exec(reason)?.[1]}`)
    .sort();
const planOf = (fields: object): object => ({ ...good, plan_document: { ...plan, ...fields } });

describe("artifacts", () => {
  it("that fit are accepted silently (WF-60)", async () => {
    expect(await told(good)).toEqual([]);
    expect(
      await told(
        { test_run_result: { ...tests, timestamp: "2026-01-02T10:00:00Z" } },
        "BUILD",
        "REVIEW",
      ),
    ).toEqual([]);
  });

  it("with only invisible characters count as empty (WF-60)", async () => {
    for (const blank of ["", " ", "\u200b\u2060", "\u3164", "\u2800\ufe0f", "\u{e0041}"]) {
      const handed = {
        test_run_result: { ...tests, command: blank, timestamp: "2026-01-02T10:00:00Z" },
      };
      expect([blank, (await leave(handed, "BUILD", "REVIEW")).effect]).toEqual([blank, "deny"]);
    }
  });

  it("that are missing are all named (WF-61, WF-62)", async () => {
    expect(await told({ scope_definition: scope, notes: "" })).toEqual([
      "artifact_missing plan_document",
    ]);
    expect(await told({})).toEqual([
      "artifact_missing notes",
      "artifact_missing plan_document",
      "artifact_missing scope_definition",
    ]);
    expect((await leave({ plan, scope })).reason).toContain("handed in: `plan`, `scope`");
    expect(await told({ ...good, notes: null })).toEqual(["artifact_missing notes"]);
  });

  it.each([
    ["WF-63", { title: undefined }, "artifact_invalid plan_document.title"],
    ["WF-64", { title: "nine char" }, "artifact_invalid plan_document.title"],
    [
      "padding that nobody sees",
      { title: `nine char${"\u200b".repeat(20)}` },
      "artifact_invalid plan_document.title",
    ],
    ["fillers alone", { title: "\u3164\u2800".repeat(10) }, "artifact_invalid plan_document.title"],
    ["WF-65", { acceptance_criteria: [] }, "artifact_invalid plan_document.acceptance_criteria"],
    [
      "WF-66",
      { acceptance_criteria: [{ criterion: "x" }] },
      "artifact_invalid plan_document.acceptance_criteria[0].how_to_verify",
    ],
  ])("that do not fit are reported with their path (%s, WF-72)", async (_, fields, expected) => {
    const changed = JSON.parse(JSON.stringify(planOf(fields))) as object;
    expect(await told(changed)).toContain(expected);
    expect((await leave(changed)).effect).toBe("deny");
  });

  it("that do not fit are reported with what is accepted", async () => {
    const reasons = async (handed: object, from?: string, to?: string): Promise<string> =>
      (await leave(handed, from, to)).votes.map(({ reason }) => reason).join("\n");
    const empty = JSON.parse(JSON.stringify(planOf({ acceptance_criteria: [] }))) as object;
    expect(await reasons(empty)).toContain(
      "`plan_document.acceptance_criteria` must have at least 1 item(s)",
    );
    const run = { test_run_result: { ...tests, failed: -1, exit_code: "0" } };
    const said = await reasons(run, "BUILD", "REVIEW");
    expect(said).toContain("`test_run_result.failed` must be at least 0");
    expect(said).toContain("`test_run_result.exit_code` must be a whole number");
  });

  it.each([
    ["WF-67", { failed: -1 }, "test_run_result.failed"],
    ["WF-68", { exit_code: "0" }, "test_run_result.exit_code"],
    ["a date that is none", { timestamp: "2026-02-30T10:00:00Z" }, "test_run_result.timestamp"],
  ])("of a test run are checked against the schema in its file (%s)", async (_, fields, path) => {
    expect(await told({ test_run_result: { ...tests, ...fields } }, "BUILD", "REVIEW")).toContain(
      `artifact_invalid ${path}`,
    );
  });

  it("are reported with every error of every artifact, not only the first (WF-69, WF-74)", async () => {
    const handed = {
      plan_document: { title: "short", acceptance_criteria: [{}] },
      scope_definition: { in_scope: ["A", "b", "b"] },
      notes: 1,
    };
    expect(await told(handed)).toEqual([
      "artifact_invalid plan_document.acceptance_criteria[0].criterion",
      "artifact_invalid plan_document.acceptance_criteria[0].how_to_verify",
      "artifact_invalid plan_document.title",
      "artifact_invalid scope_definition.in_scope",
      "artifact_invalid scope_definition.in_scope[0]",
      "artifact_invalid scope_definition.out_of_scope",
      "artifact_rule scope_definition",
    ]);
  });

  it("without a schema only have to be present (WF-70)", async () => {
    for (const notes of ["", 0, false, [], {}]) expect(await told({ ...good, notes })).toEqual([]);
  });

  it("that are no objects are findings, never failures (WF-73)", async () => {
    for (const odd of [null, "text", 1, true, [], [plan], {}] as readonly Json[]) {
      for (const handed of [
        { ...good, plan_document: odd },
        { ...good, scope_definition: odd },
      ]) {
        const { effect, votes } = await leave(handed);
        expect(
          [effect, votes.some(({ code }) => code === "artifact_invalid")],
          JSON.stringify(odd),
        ).toEqual(["deny", true]);
        expect(votes.some(({ code }) => code === "check_failed")).toBe(false);
      }
      expect(await told({ review_report: odd }, "REVIEW", "DONE")).toContain(
        `${odd === null ? "artifact_missing" : "artifact_rule"} review_report`,
      );
    }
  });

  it("of any JSON get a decision and never a failure", async () => {
    await assert(
      asyncProperty(
        jsonValue({ maxDepth: 6 }),
        constantFrom("plan_document", "scope_definition", "notes"),
        async (value, name) => {
          const { votes } = await leave({ ...good, [name]: value });
          expect(
            votes.filter(
              ({ code }) =>
                ![
                  "artifact_invalid",
                  "artifact_rule",
                  "artifact_missing",
                  "artifact_too_large",
                ].includes(code),
            ),
          ).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("that are huge, deep or slow to match are findings too, without delay", async () => {
    let deep: Json = 1;
    for (let level = 0; level < 90; level += 1) deep = [deep];
    const many = Array.from({ length: 60_000 }, (_, at) => at);
    for (const odd of [
      deep,
      many,
      "x".repeat(2_100_000),
      { ["y".repeat(2_100_000)]: 1 },
    ] as readonly Json[]) {
      expect(await told({ ...good, notes: odd })).toEqual(["artifact_too_large notes"]);
    }
    const slow = {
      ...scope,
      out_of_scope: [`${"a".repeat(50_000)}!`],
      in_scope: Array.from({ length: 20_000 }, () => "same"),
    };
    expect(await told({ ...good, scope_definition: slow })).toEqual([
      "artifact_invalid scope_definition.in_scope",
      "artifact_invalid scope_definition.out_of_scope[0]",
    ]);
  });

  it("with very many errors are reported with some errors and the number of the others", async () => {
    const votes = (
      await leave({
        ...good,
        scope_definition: { ...scope, in_scope: Array.from({ length: 500 }, (_, at) => `N${at}`) },
      })
    ).votes;
    expect(votes).toHaveLength(21);
    expect(votes.some(({ reason }) => reason.includes("480 more errors"))).toBe(true);
  });

  it("under other names, inherited or not, do not count", async () => {
    const handed = JSON.parse(
      '{"Plan_document":{},"plan_document ":{},"__proto__":{"plan_document":{"title":"inherited one"}},"constructor":{}}',
    ) as object;
    expect(await told(handed)).not.toContain([]);
    expect((await leave(handed)).effect).toBe("deny");
  });

  it("are each judged by their own pattern", async () => {
    expect(
      await told({
        ...good,
        scope_definition: { in_scope: ["lower"], out_of_scope: ["Upper", "aaa"] },
      }),
    ).toEqual([]);
    expect(
      await told({ ...good, scope_definition: { in_scope: ["Upper"], out_of_scope: ["lower"] } }),
    ).toEqual([
      "artifact_invalid scope_definition.in_scope[0]",
      "artifact_invalid scope_definition.out_of_scope[0]",
    ]);
  });

  it("are not needed when a task is sent back or begins", async () => {
    expect(await told({}, "REVIEW", "BUILD")).toEqual([]);
    expect((await leave({}, "REVIEW", "DONE")).code).toBe("artifact_missing");
    expect((await leave({}, "PLAN", "DONE")).code).toBe("artifact_missing");
    const begin = await kernel.decide({
      hook: "onTransition",
      task: "t1",
      to: "PLAN",
      artifacts: {},
    });
    expect(begin.votes).toEqual([]);
  });
});

describe("a task that completes", () => {
  const complete = (handed: object, from = "DONE") => told(handed, from, COMPLETED_PHASE);
  it("must hand in what its last phase requires", async () => {
    expect(await complete({})).toEqual(["artifact_missing completion_summary"]);
    expect(await complete({ completion_summary: { summary: "short" } })).toEqual([
      "artifact_invalid completion_summary.summary",
      "artifact_rule completion_summary",
    ]);
    expect(
      await complete({
        completion_summary: {
          summary: "It adds, as the plan has it.",
          files_changed: ["src/a.ts"],
        },
      }),
    ).toEqual([]);
  });

  it("must hand in what its phase requires, in whatever phase it completes", async () => {
    expect(await complete({}, "REVIEW")).toEqual(["artifact_missing review_report"]);
  });
});

describe("rules", () => {
  it("judge what the artifact shows, with the contract's message", async () => {
    const of = (fields: object) =>
      told({ test_run_result: { ...tests, ...fields } }, "BUILD", "REVIEW");
    expect(await of({ passed: 0 })).toEqual(["artifact_rule test_run_result"]);
    expect(await of({ exit_code: 1 })).toEqual(["artifact_rule test_run_result"]);
    expect(await of({ exit_code: 137, failed: 2 })).toEqual(["artifact_rule test_run_result"]);
    expect(
      (await leave({ test_run_result: { ...tests, passed: 0 } }, "BUILD", "REVIEW")).reason,
    ).toContain("Make them pass");
  });

  it("need every review that was started, under its name in the contract (defect 1)", async () => {
    const reviews = { security: { ok: true }, quality: { ok: true } };
    const of = (handed: object) => told(handed, "REVIEW", "DONE");
    expect(await of({ review_report: { reviews, blocking_issues: [] } })).toEqual([]);
    expect(
      await of({ review_report: { reviews: { security: {}, quality: {} }, blocking_issues: [] } }),
    ).toEqual(["artifact_rule review_report"]);
    expect(
      await of({ review_report: { reviews: { security: { ok: true } }, blocking_issues: [] } }),
    ).toEqual(["artifact_rule review_report"]);
    for (const blocking_issues of [["x"], "none", {}, null, 0]) {
      expect(
        await of({
          review_report: { reviews, blocking_issues },
          review_results: { blocking_issues: [] },
        }),
      ).toEqual(["artifact_rule review_report"]);
    }
  });
});

describe("a schema", () => {
  const broken = (from: string, to: string) => () => kernelOf(TEXT.replace(from, to));
  it("that is missing, leads elsewhere or does not compile is refused when it is loaded (WF-71)", () => {
    const title = "title: { type: string, minLength: 10 }";
    const swaps: readonly (readonly [string, string])[] = [
      ["schema: plan.json", "schema: absent.json"],
      [title, "title: { $ref: 'https://example.com/title.json' }"],
      [title, "title: { $ref: '#/$defs/absent' }"],
      [title, "title: { type: string, format: credit-card }"],
      [title, "title: { type: string, pattern: '^(?=a)b' }"],
      [title, "title: { type: string, pattern: '(' }"],
      [title, "title: { type: strong }"],
      [title, "title: { minLength: { $data: '1/length' } }"],
      [title, "title: { enum: [] }"],
      [title, "title: { type: number, multipleOf: -1 }"],
      [
        "    type: object\n    required: [title",
        "    allOf: [{ $ref: '#' }]\n    type: object\n    required: [title",
      ],
    ];
    for (const [from, to] of swaps) {
      expect(TEXT).toContain(from);
      expect(broken(from, to), to).toThrow(
        expect.objectContaining({
          code: expect.stringMatching(/^BYLAW_(CONTRACT_INVALID|ARTIFACT_SCHEMA_INVALID)$/),
        }),
      );
    }
  });

  it("may refer to itself", async () => {
    const kernel = kernelOf(
      TEXT.replace(
        "title: { type: string, minLength: 10 }",
        "title: { type: string }\n      parts: { type: array, items: { $ref: '#' } }",
      ),
    );
    let nested: object = plan;
    for (let level = 0; level < 20; level += 1) nested = { ...plan, parts: [nested] };
    expect(await told({ ...good, plan_document: nested }, "PLAN", "BUILD", kernel)).toEqual([]);
    expect(
      (
        await leave(
          { ...good, plan_document: { ...plan, parts: [{ title: 1 }] } },
          "PLAN",
          "BUILD",
          kernel,
        )
      ).effect,
    ).toBe("deny");
  });
});
