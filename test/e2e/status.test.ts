import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, defineCheck, deny, type EventDraft } from "@bylaw/kernel";
import { chainEvents, openRun } from "@bylaw/log";
import { eventLog } from "@bylaw/plugin-event-log";
import { status } from "@bylaw/plugin-status";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { bylawHere, json, scratch, workplace } from "./bylaw.ts";
import { draft, logOf, rotated } from "./log-kit.ts";

const violation = (more: EventDraft["details"] = {}): EventDraft["details"] => ({
  ...{
    round: 1,
    attempt: 1,
    max_attempts: 3,
    reason: "unknown_tool",
    tool_calls: ["execute_command"],
    error_message: "Retry (1/3)",
  },
  ...{
    buffer_preview: "I should read",
    buffer_chars: 1_500,
    recovery: "restart",
    final: false,
    ...more,
  },
});
const EVENTS = chainEvents(undefined, [
  draft(0, "session_start", { details: { plan_file: null, total_tasks: 0 } }),
  draft(1, "enforcement", { agent_id: "agent_a", details: violation() }),
  draft(2, "response_accepted", { agent_id: "agent_a", details: { round: 1, attempt: 2 } }),
  draft(3, "enforcement", {
    agent_id: "agent_b",
    details: violation({
      reason: "invalid_vote_id",
      tool_calls: ["vote"],
      final: true,
      attempt: 3,
    }),
  }),
]);

describe("bylaw status", () => {
  test("prints the bytes of the status.json that a live run keeps, from its log file and from its store", async () => {
    const cwd = scratch();
    const onlyVotes = defineCheck({
      name: "only-votes",
      hook: "onEnforcement",
      check: ({ tool_calls = [] }) =>
        tool_calls.some(({ tool }) => tool === "vote")
          ? undefined
          : deny("Unexpected words, expected a vote"),
    });
    const kernel = createKernel(
      { plugins: [status(), eventLog(), onlyVotes], fallback: "allow" },
      { configFile: join(cwd, "bylaw.config.ts") },
    );
    const store = await openSqliteStore(join(cwd, "runs.db"));
    const run = await openRun(kernel, { run: "main", store });
    await run.respond({
      agent: "a1",
      text: "I would rather \u2028 not \u001b[2J",
      tool_calls: [{ tool: "read_file" }],
    });
    await run.toolCall({ agent: "a1", id: "1", tool: "read_file", args: { path: "a.md" } });
    await run.toolResult({ agent: "a1", id: "1", tool: "read_file", ok: true, result: "text" });
    await run.respond({ agent: "a1", text: "", tool_calls: [{ tool: "vote" }] });
    await run.close();
    await store.close();
    const kept = readFileSync(join(cwd, ".bylaw/runs/main/status.json"), "utf8");
    expect(JSON.parse(kept)).toMatchObject({
      agents: { a1: { reliability: { total_enforcement_retries: 1 } } },
    });
    for (const from of [
      ["--log", ".bylaw/logs/main.jsonl"],
      ["--store", "runs.db", "--run", "main"],
    ]) {
      expect(await bylawHere(["status", ...from, "--json"], { cwd })).toEqual({
        code: 0,
        stdout: kept,
        stderr: "",
      });
    }
  });

  test("shows agents and rounds as tables", async () => {
    const { code, stdout, stderr } = await workplace({ "log.jsonl": logOf(EVENTS) }).run(
      "status --log log.jsonl",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, " "))).toEqual([
      "in_progress (Phase: initial_answer), 4 events, until 2026-01-17T09:00:03.000Z",
      "",
      "agents",
      "AGENT STATUS OUTCOME ROUND VIOLATIONS LOST CARRIED CALLS UNKNOWN TOOLS",
      "agent_a ok ok 1 1 1500 0 0 execute_command",
      "agent_b non_compliant non_compliant 1 1 1500 0 0 -",
      "",
      "rounds",
      "AGENT ROUND VIOLATIONS REASONS",
      "agent_a 1 1 unknown_tool",
      "agent_b 1 1 invalid_vote_id",
      "",
    ]);
  });

  test("reads rotated files, standard input, and a log that is being written", async () => {
    const text = logOf(EVENTS);
    const { run } = workplace({
      ...rotated(EVENTS, 2),
      "whole.jsonl": text,
      "torn.jsonl": `${text}{"timestamp":"2026`,
    });
    const whole = await run("status --log whole.jsonl --json");
    expect(await run("status --log log-0.jsonl log.jsonl --json")).toEqual(whole);
    expect(await run("status --log - --json", { input: text })).toEqual(whole);
    expect(await run("status --log torn.jsonl --json")).toMatchObject({
      code: 1,
      stdout: whole.stdout,
    });
  });

  test("reports a file that is named twice, and counts nothing twice", async () => {
    const { run } = workplace({ "log.jsonl": logOf(EVENTS) });
    const twice = await run("status --log log.jsonl log.jsonl --json");
    expect(twice).toMatchObject({
      code: 1,
      stdout: (await run("status --log log.jsonl --json")).stdout,
    });
    expect(twice.stderr).toMatch(/^warning: left out 4 events /);
  });

  test("limits the list on request, but no total", async () => {
    const { run } = workplace({ "log.jsonl": logOf(EVENTS) });
    const { agents } = JSON.parse((await run("status --log log.jsonl --keep 0 --json")).stdout) as {
      readonly agents: Readonly<Record<string, { readonly reliability: object }>>;
    };
    expect(agents["agent_a"]?.reliability).toMatchObject({
      enforcement_attempts: [],
      total_enforcement_retries: 1,
    });
  });

  test.each(readCases<[string, string[]]>(import.meta, "refuses"))(
    "refuses %s",
    async (_, args) => {
      const ran = await workplace({ "log.jsonl": logOf(EVENTS) }).run([
        "status",
        ...args,
        "--json",
      ]);
      expect(ran.code).toBe(2);
      expect(json(ran)).toMatchObject({
        error: { code: expect.stringMatching(/^BYLAW_/) as unknown },
      });
    },
  );
});
