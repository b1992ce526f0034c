// `bylaw report` about decisions: of a store that the built command wrote, and of logs with known times.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Effect, type EventDraft, type ToolCall } from "@bylaw/kernel";
import { chainEvents, createMemoryStore, openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { describe, expect, test } from "vitest";
import { OPERATORS, TOKENS } from "./approve-kit.ts";
import { bylaw, bylawHere, json, jsonLines, scratch, workplace } from "./bylaw.ts";
import { draft, logOf } from "./log-kit.ts";
import { OFFERS_RUN, recordOffers } from "./offers-kit.ts";

const RULES = `
default = "allow"

[[marks]]
name = "tests-passed"
command = "npm test"
outcome = "passed"

[[rules]]
name = "commit-needs-tests"
action = "deny"
command = "git commit *"
unless_after = "tests-passed"

[[rules]]
name = "no-config-edits"
action = "deny"
paths = { write = ["config/**"] }

[[rules]]
name = "no-network"
action = "deny"
command = ["curl *", "wget *"]

[[rules]]
name = "publishing"
action = "ask_user"
command = "npm publish *"
`;
const CONFIG = JSON.stringify({
  plugins: [
    {
      use: "@bylaw/plugin-policy",
      options: { files: ["rules.toml"], operator: true, discover: "none" },
    },
  ],
});

interface Decisions {
  readonly totals: Readonly<Record<Effect, number>>;
  readonly questions: Readonly<Record<"totals" | "rules" | "people" | "days", object>>;
  readonly retries: Readonly<Record<"totals" | "rules", object>>;
}

const decisionsIn = (value: Readonly<Record<string, unknown>>): Decisions =>
  value["decisions"] as Decisions;

const base = { cwd: "/w", workspace: "/w", agent: "ann" };
const bash = (command: string): Omit<ToolCall, "hook"> => ({
  ...base,
  tool: "bash",
  args: { command },
});
const write = (path: string): Omit<ToolCall, "hook"> => ({
  ...base,
  tool: "write_file",
  args: { path, content: "x" },
});

/** The report about a run in which these calls were made, 90 minutes apart. */
async function reportOf(
  calls: readonly Omit<ToolCall, "hook">[],
  ...args: readonly string[]
): Promise<string> {
  const store = createMemoryStore();
  let at = Date.parse("2026-01-17T20:00:00Z");
  const kernel = createKernel({ plugins: [policy({ text: RULES })] });
  const now = (): string => new Date((at += 90 * 60_000)).toISOString();
  const run = await openRun(kernel, { run: "r", store, now });
  for (const call of calls) await run.toolCall(call);
  const events = await store.events("r", 0, 1_000);
  const cwd = scratch({ "log.jsonl": logOf(events) });
  return (await bylawHere(["report", "log.jsonl", ...args], { cwd })).stdout;
}

const retriesOf = async (calls: readonly Omit<ToolCall, "hook">[]) =>
  decisionsIn(JSON.parse(await reportOf(calls, "--json")) as Record<string, unknown>).retries;

test("shows what was decided, asked and answered in a store that the command wrote", () => {
  const cwd = scratch({ "rules.toml": RULES, "bylaw.config.json": CONFIG });
  let calls = 0;
  const hook = (command: string): string =>
    bylaw(["hook", "codex", "--config", "bylaw.config.json"], {
      cwd,
      input: JSON.stringify({
        ...{
          hook_event_name: "PreToolUse",
          session_id: "s1",
          cwd,
          tool_use_id: `c${(calls += 1)}`,
        },
        ...{ tool_name: "Bash", tool_input: { command }, turn_id: "1" },
      }),
    }).stdout;
  hook("curl https://example.com/a");
  hook("wget https://example.com/b");
  const answer = (verdict: "yes" | "no", command: string): void => {
    const [, id = ""] = /bylaw approve yes (\w+)/.exec(hook(command)) ?? [];
    writeFileSync(join(cwd, ".bylaw/operators.json"), OPERATORS, { mode: 0o600 });
    const more = verdict === "yes" ? [] : ["--reason", "Not today"];
    const ran = bylaw(
      ["approve", verdict, id, "--run", "codex-s1", "--config", "bylaw.config.json", ...more],
      { cwd, env: { BYLAW_OPERATOR_TOKEN: TOKENS.ada } },
    );
    expect(ran).toMatchObject({ code: 0 });
  };
  answer("yes", "npm publish one");
  hook("npm publish one");
  answer("no", "npm publish two");
  hook("npm publish three");
  const { runs, ...found } = json(bylaw("report --json", { cwd }));
  const { totals, questions, retries } = decisionsIn(found);
  expect(runs).toMatchObject([{ run: "codex-s1" }]);
  expect(totals).toMatchObject({ allow: 1 });
  expect(questions).toMatchObject({
    totals: { asked: 3, yes: 1, no: 1, by_host: 0 },
    rules: [
      { rule: "publishing", tool: "Bash", asked: 3, example: '{"command":"npm publish one"}' },
    ],
    people: [{ by: "ada", yes: 1, no: 1 }],
  });
  expect(retries.totals).toMatchObject({ denied: 2, another_call: 1, same_call: 0, deny: 1 });
  const text = bylaw("report", { cwd }).stdout;
  expect(text.match(/^(?:Decisions|Questions|Answers|Denials|Turns|Red|By|Runs).*$/gm)).toEqual([
    ...["Decisions", "Decisions by rule", "Decisions by agent", "Decisions by tool"],
    ...["Decisions by hour (UTC)", "Questions", "Answers by person", "Questions by day (UTC)"],
    ...["Denials and what followed", "Runs"],
  ]);
});

describe("a denial", () => {
  test("counts as retried by the same call, or by a call with the same effect on the same thing", async () => {
    const denied = write("config/a.json");
    for (const [calls, expected] of [
      [[denied, denied], { same_call: 1, another_call: 0, deny: 1 }],
      [[denied, bash("sed -i s/a/b/ config/a.json")], { another_call: 1, deny: 1 }],
      [[denied, bash("echo x > config/a.json")], { another_call: 1, deny: 1 }],
      [[bash("curl https://x.example/a"), bash("wget x.example/b")], { another_call: 1, deny: 1 }],
      // It reads what the denied call would have written, writes another file, or reaches another host.
      [[denied, bash("cat config/a.json")], { same_call: 0, another_call: 0 }],
      [[denied, write("src/a.json")], { same_call: 0, another_call: 0 }],
      [[denied, { ...denied, agent: "bob" }], { same_call: 0, another_call: 0 }],
    ] as const)
      expect([calls, await retriesOf(calls)]).toEqual([
        calls,
        expect.objectContaining({ totals: expect.objectContaining(expected) as unknown }),
      ]);
  });

  test("counts once, and only among the next 20 calls", async () => {
    const denied = write("config/a.json");
    const others = (count: number) => Array.from({ length: count }, () => bash("ls"));
    expect(await retriesOf([denied, ...others(19), denied])).toMatchObject({
      totals: { denied: 2, same_call: 1 },
    });
    expect(await retriesOf([denied, ...others(20), denied])).toMatchObject({
      totals: { denied: 2, same_call: 0 },
    });
  });
});

test("a call that a rule changed is no retry and no open question, in every format", async () => {
  const force = "git push --force origin main";
  const cwd = recordOffers([force, "npm publish x", "make install", "make install", force]);
  const { totals, questions, retries } = decisionsIn(json(bylaw("report --json", { cwd })));
  // What no rule allows does not run instead, so it is no call.
  expect(totals).toEqual({ allow: 3, ask_user: 1, deny: 4 });
  const query = ["log", "query", "--run", OFFERS_RUN, "--store", ".bylaw/store.db", "--json"];
  const uncovered = bylaw(query, { cwd })
    .stdout.split("\n")
    .filter((line) => line.includes('"args":{"command":"make uncovered"'));
  expect(uncovered).toHaveLength(2);
  for (const line of uncovered) expect(line).toContain('"event_type":"tool_denied"');
  expect(questions.totals).toEqual({ asked: 1, yes: 0, no: 0, by_host: 0, by_rule: 1 });
  expect(retries).toMatchObject({
    totals: { denied: 4, changed_by_rule: 2, same_call: 1, another_call: 0, deny: 1, allow: 0 },
    rules: [
      { rule: "lease", denied: 2, changed_by_rule: 2, same_call: 0 },
      // No rule allows what it offers, so the agent was told no, and tried again.
      { rule: "uncovered", denied: 2, changed_by_rule: 0, same_call: 1 },
    ],
  });
  for (const [format, row] of [
    ["text", /^lease +2 +2 +0 +0 +0 +0 +0$/m],
    ["markdown", /^\| lease \| 2 \| 2 \| 0 \| 0 \| 0 \| 0 \| 0 \|$/m],
    [
      "html",
      /<tr><td>lease<\/td>(?:<td class="number">2<\/td>){2}(?:<td class="number">0<\/td>){5}<\/tr>/,
    ],
  ] as const) {
    const { stdout } = await bylawHere(["report", "--format", format], { cwd });
    expect(stdout).toMatch(/changed by rule/i);
    expect(stdout).toMatch(row);
  }
});

test("counts by rule, agent, tool, hour and day, and leaves out what has no figures", async () => {
  const calls = [write("src/a.ts"), write("config/a"), bash("npm publish x"), bash("ls")];
  const text = await reportOf(calls);
  expect(text).toMatch(/^allowed +2 +50\.0 %$/m);
  expect(text).toMatch(/^no-config-edits +0 +0 +1$/m);
  expect(text).toMatch(/^write_file +1 +0 +1$/m);
  expect(text).toMatch(/^publishing +bash +1 +0 +0 +0 +0 +1 +\{"command":"npm publish x"\}$/m);
  expect(text).toMatch(/^2026-01-18 +1 +0 +0 +0 +0 +1$/m);
  expect(text).not.toMatch(/turns|Red flags|Answers by person|Denials and/);
});

const decided = (second: number, type: string, details: EventDraft["details"]): EventDraft =>
  draft(second, type, {
    agent_id: "ann",
    details: { id: `c${second}`, cwd: "/w", decision: { policy_digest: "p" }, ...details },
  });
const asks = (second: number, path: string): EventDraft =>
  decided(second, "tool_asked", { tool: "write_file", args: { path } });

test("says in every format that an agent has no name", async () => {
  const events = chainEvents(undefined, [
    draft(0, "tool_allowed", {
      agent_id: null,
      details: { tool: "bash", args: {}, cwd: "/w", decision: { policy_digest: "p" } },
    }),
  ]);
  const { run } = workplace({ "log.jsonl": logOf(events) });
  for (const [format, row] of [
    ["text", /^\(unnamed\) +1 +0 +0$/m],
    ["markdown", /^\| \(unnamed\) \| 1 \| 0 \| 0 \|$/m],
    ["html", /<tr><td>\(unnamed\)<\/td><td class="number">1<\/td>/],
  ] as const)
    expect((await run(["report", "log.jsonl", "--format", format])).stdout).toMatch(row);
});

test("says how fast each person answered, and counts a question once until it is answered", async () => {
  const refusal = { digest: "", by: "bob", reason: "no" };
  const events = chainEvents(undefined, [
    asks(0, "a"),
    asks(5, "a"),
    draft(10, "approval_refused", { details: { ...refusal, asked: 2 } }),
    asks(20, "a"),
    draft(24, "approval_refused", { details: { ...refusal, asked: 4 } }),
    asks(30, "b"),
    decided(31, "tool_result", { id: "c30", tool: "write_file", ok: true, result: null }),
    asks(40, "c"),
    // It answers no question that is open.
    draft(41, "approval_refused", { details: { ...refusal, asked: 999, by: "eve" } }),
  ]);
  const { run } = workplace({ "log.jsonl": logOf(events) });
  const { questions } = decisionsIn(json(await run("report log.jsonl --json")));
  expect(questions).toMatchObject({
    totals: { asked: 4, yes: 0, no: 2, by_host: 1 },
    people: [{ by: "bob", yes: 0, no: 2, median_seconds: 4, longest_seconds: 10 }],
    days: [{ day: "2026-01-17", asked: 4 }],
  });
});

test("shows everything that an agent wrote as text, in every format", async () => {
  const hostile = "</script><img src=x onerror=alert(1)>|`[x](javascript:1)\u001b[2J";
  const events = chainEvents(undefined, [
    draft(1, "tool_asked", {
      agent_id: hostile,
      details: { tool: hostile, args: { [hostile]: hostile }, decision: { code: hostile } },
    }),
    draft(2, "tool_denied", {
      agent_id: hostile,
      details: { tool: hostile, args: {}, decision: { rule: { name: hostile } } },
    }),
  ]);
  const { run } = workplace({ "log.jsonl": logOf(events) });
  for (const format of ["text", "markdown", "html"]) {
    const { stdout } = await run(["report", "log.jsonl", "--format", format]);
    expect(stdout).not.toContain("\u001b");
    if (format === "markdown") expect(stdout).not.toMatch(/<img|\[x\]\(/);
    if (format === "html")
      expect(stdout.replace(/<script>[^]*?<\/script>/g, "")).not.toMatch(/<img/);
  }
});

test("takes a log of any size with the memory of its names", () => {
  const [event = ""] = logOf(chainEvents(undefined, [asks(0, "x")])).split("\n");
  const lines = Array.from({ length: 4_000 }, (_, at) =>
    event
      .replace('"sequence":1', `"sequence":${at + 1}`)
      .replace('"path":"x"', `"path":"${String(at).padStart(16_000, "0")}"`)
      .replace('"tool_asked"', at % 2 === 0 ? '"tool_asked"' : '"tool_denied"'),
  );
  const cwd = scratch({ "log.jsonl": lines.join("\n") });
  // The log is larger than the heap may become.
  const ran = bylaw("report log.jsonl --json", { cwd, node: ["--max-old-space-size=48"] });
  expect(decisionsIn(json(ran)).totals).toEqual({ allow: 0, ask_user: 2_000, deny: 2_000 });
  expect(jsonLines(ran)).toMatchObject([{ bad_lines: 0 }]);
});
