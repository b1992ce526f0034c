import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  allow,
  ask,
  createKernel,
  defineCheck,
  deny,
  type Decision,
  type Plugin,
  type Subject,
} from "../src/index.ts";
import { SUBJECTS, call, decideNow, voter } from "./kit.ts";

const decide = (check: Plugin, subject: Subject): Decision =>
  decideNow(createKernel({ plugins: [check] }), subject);
const transition = (fields: object): Subject =>
  ({ ...SUBJECTS.onTransition, ...fields }) as Subject;

describe("a check of tool calls", () => {
  const check = defineCheck({
    name: "no-secrets",
    hook: "beforeToolCall",
    when: { tool: ["read_file", "write_file"] },
    args: z.object({ path: z.string() }),
    check: ({ path }, { tool }) =>
      path.includes("secret") ? deny(`${tool} of ${path}`, "leave it") : undefined,
  });

  it("denies what it objects to", () => {
    expect(decide(check, call({ args: { path: "secret.txt" } }))).toMatchObject({
      effect: "deny",
      code: "rule_denied",
      by: "no-secrets/no-secrets",
      reason: "read_file of secret.txt",
      fix: "leave it",
    });
  });

  it("abstains from other calls, and from other tools whatever their arguments", () => {
    expect(decide(check, call({ args: { path: "a.txt" } })).votes).toEqual([]);
    expect(decide(check, call({ tool: "shell", args: { path: 7 } })).votes).toEqual([]);
    expect(decide(check, call({ tool: "read_file " })).votes).toEqual([]);
  });

  it.each([[{}], [{ path: 7 }], [["secret.txt"]], [{ Path: "a.txt" }]])(
    "denies arguments %j that it cannot read",
    (args) => {
      expect(decide(check, call({ args }))).toMatchObject({ effect: "deny", code: "rule_denied" });
    },
  );

  it("may be limited to one tool and one server", () => {
    const onServer = defineCheck({
      name: "no-merge",
      hook: "beforeToolCall",
      when: { tool: "merge", server: "github" },
      args: z.unknown(),
      check: () => ask("Unexpected merge"),
    });
    expect(decide(onServer, call({ tool: "merge", server: "github" })).effect).toBe("ask_user");
    expect(decide(onServer, call({ tool: "merge", server: "gitlab" })).votes).toEqual([]);
    expect(decide(onServer, call({ tool: "merge" })).votes).toEqual([]);
  });

  it("receives arguments as its schema parses them", () => {
    const typed = defineCheck({
      name: "no-big-payments",
      hook: "beforeToolCall",
      args: z.object({ amount: z.coerce.number() }),
      check: ({ amount }) => (amount > 100 ? deny(`Unexpected ${amount + 1}`) : undefined),
    });
    expect(decide(typed, call({ args: { amount: "1000" } })).reason).toBe("Unexpected 1001");
  });
});

describe("a check of transitions", () => {
  const report = z.object({ files_changed: z.array(z.string()) });
  const named = defineCheck({
    name: "changelog-updated",
    hook: "onTransition",
    when: { from: "TDD", to: ["REVIEW", "DONE"], artifact: "report" },
    artifact: report,
    check: ({ files_changed }) =>
      files_changed.includes("CHANGELOG.md") ? undefined : deny("no entry", "add one"),
  });
  const passes = voter("passes", "onTransition", () => allow("the phase allows it"), {
    grants: true,
  });
  const effectOf = (check: Plugin, fields: object) =>
    decideNow(createKernel({ plugins: [check, passes] }), transition(fields)).effect;

  it("receives the artifact that it names", () => {
    const good = { report: { files_changed: ["CHANGELOG.md"] } };
    const bad = { report: { files_changed: [] } };
    expect(effectOf(named, { from: "TDD", artifacts: good })).toBe("allow");
    expect(effectOf(named, { from: "TDD", artifacts: bad })).toBe("deny");
    expect(effectOf(named, { from: "TDD", artifacts: { ...good, draft: bad.report } })).toBe(
      "allow",
    );
    expect(effectOf(named, { from: "TDD", artifacts: { draft: good.report, ...bad } })).toBe(
      "deny",
    );
    expect(effectOf(named, { from: "PLAN", artifacts: bad })).toBe("allow");
    expect(effectOf(named, { artifacts: bad })).toBe("allow");
    expect(effectOf(named, { from: "TDD", to: "PLAN", artifacts: bad })).toBe("allow");
  });

  it.each([
    ["missing", {}],
    ["of another type", { report: "CHANGELOG.md" }],
    ["under another name", { Report: { files_changed: ["CHANGELOG.md"] } }],
    ["null", { report: null }],
  ])("denies if its artifact is %s", (_, artifacts) => {
    expect(effectOf(named, { from: "TDD", artifacts })).toBe("deny");
  });

  it("does not read inherited properties as artifacts", () => {
    const lenient = defineCheck({
      name: "anything",
      hook: "onTransition",
      when: { artifact: "constructor" },
      artifact: z.unknown().refine((value) => value !== undefined),
      check: () => undefined,
    });
    expect(effectOf(lenient, { artifacts: {} })).toBe("deny");
    expect(effectOf(lenient, { artifacts: { constructor: 1 } })).toBe("allow");
  });

  it("without an artifact name, checks every artifact that matches, so that a decoy hides nothing", () => {
    const any = defineCheck({
      name: "any-report",
      hook: "onTransition",
      artifact: report,
      check: ({ files_changed }) =>
        files_changed.includes("CHANGELOG.md") ? undefined : deny("no entry"),
    });
    const good = { files_changed: ["CHANGELOG.md"] };
    const bad = { files_changed: [] };
    expect(effectOf(any, { artifacts: { one: good } })).toBe("allow");
    expect(effectOf(any, { artifacts: { one: good, two: bad } })).toBe("deny");
    expect(effectOf(any, { artifacts: { two: bad, one: good } })).toBe("deny");
    expect(effectOf(any, { artifacts: { one: good, note: "text" } })).toBe("allow");
    expect(effectOf(any, { artifacts: { note: "text" } })).toBe("deny");
    expect(effectOf(any, { artifacts: {} })).toBe("deny");
  });
});

describe("a check of behaviors", () => {
  const check = defineCheck({
    name: "no-loops",
    hook: "onBehavior",
    when: { action: ["loop", "trigger"] },
    check: ({ action, reason = "" }) =>
      reason === "" ? deny(`Unexpected ${action} without a reason`) : undefined,
  });

  it("checks only the actions that it names", () => {
    expect(decide(check, { hook: "onBehavior", action: "loop" })).toMatchObject({
      code: "rule_denied",
    });
    expect(
      decide(check, { hook: "onBehavior", action: "loop", reason: "tests fail" }).votes,
    ).toEqual([]);
    expect(decide(check, { hook: "onBehavior", action: "stop" }).votes).toEqual([]);
  });
});

describe("a check of responses", () => {
  const check = defineCheck({
    name: "no-empty-answers",
    hook: "onEnforcement",
    check: ({ text = "", tool_calls = [] }) =>
      text === "" && tool_calls.length === 0
        ? deny("Unexpected silence", "answer", { recovery: "restart" })
        : undefined,
  });

  it("checks every response", () => {
    expect(decide(check, { hook: "onEnforcement" })).toMatchObject({
      effect: "deny",
      recovery: "restart",
    });
    expect(decide(check, { hook: "onEnforcement", tool_calls: [{ tool: "vote" }] }).effect).toBe(
      "allow",
    );
    expect(decide(check, { hook: "onEnforcement", text: "done" }).effect).toBe("allow");
  });
});

describe("any check", () => {
  it("can make a decision stricter but never grant", () => {
    const sly = defineCheck({ name: "sly", hook: "onBehavior", check: () => allow("trust me") });
    expect(decide(sly, { hook: "onBehavior", action: "stop" })).toMatchObject({
      effect: "deny",
      code: "check_failed",
    });
  });

  it("denies if it throws, or its schema does", () => {
    const explode = (): never => {
      throw new Error("boom");
    };
    const byCheck = defineCheck({
      name: "a",
      hook: "beforeToolCall",
      args: z.unknown(),
      check: explode,
    });
    const bySchema = defineCheck({
      name: "b",
      hook: "beforeToolCall",
      args: z.unknown().refine(explode),
      check: () => undefined,
    });
    const asynchronous = defineCheck({
      name: "c",
      hook: "beforeToolCall",
      args: z.unknown().refine(async () => true),
      check: () => undefined,
    });
    for (const check of [byCheck, bySchema, asynchronous]) {
      expect(decide(check, call())).toMatchObject({ effect: "deny", code: "check_failed" });
    }
  });

  it("sees the state of the run", () => {
    const rounds = { name: "rounds", version: 1, initial: 3, reduce: (state: number) => state };
    const check = defineCheck({
      name: "stateful",
      hook: "onEnforcement",
      check: (_, __, view) => deny(`round ${view(rounds)}`),
    });
    expect(decide(check, { hook: "onEnforcement" }).reason).toBe("round 3");
  });
});
