import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import type { EventDraft, LogEvent } from "@bylaw/kernel";
import { chainEvents } from "@bylaw/log";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { BIN, bylaw, json, jsonLines, scratch, workplace, type Ran } from "./bylaw.ts";
import { SESSION, anchorOf, draft, eventsOf, logOf, rotated } from "./log-kit.ts";

const OTHER = "22222222-2222-4222-8222-222222222222";
const decision = (effect: string, code: string, rule?: string): EventDraft["details"] => ({
  decision: {
    effect,
    code,
    ...(rule === undefined ? {} : { rule: { name: rule, file: "policy.toml", line: 3 } }),
  },
});
const EVENTS = chainEvents(undefined, [
  draft(0, "session_start", { details: { plan_file: "plan.md", total_tasks: 1 } }),
  draft(60, "tool_allowed", {
    agent_id: "dev-1",
    task_id: "t1",
    details: decision("allow", "rule_allowed", "read"),
  }),
  draft(120, "tool_denied", {
    agent_id: "dev-2",
    task_id: "t2",
    details: decision("deny", "rule_denied", "no-drop"),
  }),
  draft(180, "enforcement", { agent_id: "dev-2", details: { reason: "no_tool_call" } }),
  draft(240, "session_resumed", { session_id: OTHER, details: { previous_session_id: SESSION } }),
  draft(300, "tool_allowed", {
    session_id: OTHER,
    agent_id: "critic",
    details: decision("allow", "fallback"),
  }),
]);
const files = { "log.jsonl": logOf(EVENTS) };
const query = (...args: readonly string[]): Promise<Ran> =>
  workplace(files).run(["log", "query", "log.jsonl", ...args]);
const numbers = (ran: Ran): readonly unknown[] => {
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return jsonLines(ran).map(({ sequence }) => sequence);
};

describe("bylaw log query", () => {
  test.each<readonly [string, readonly string[], readonly number[]]>([
    ...readCases<[string, string[], number[]]>(import.meta, "finds"),
    ["a session", ["--session", OTHER], [5, 6]],
  ])("finds %s", async (_, args, wanted) => {
    expect(numbers(await query(...args, "--json"))).toEqual(wanted);
  });

  test("prints each event exactly as it is in the log", async () => {
    expect(jsonLines(await query("--format", "json"))).toEqual(
      EVENTS.map((event) => ({ ...event })),
    );
  });

  test("prints a table, without colours into a pipe", async () => {
    const [head, ...rows] = (await query("--type", "tool_denied")).stdout.trimEnd().split("\n");
    expect(head).toBe(
      "SEQUENCE TIME                     TYPE                     AGENT        TASK         DETAILS",
    );
    expect(rows).toEqual([
      "3        2026-01-17T09:02:00.000Z tool_denied              dev-2        t2           deny rule_denied [no-drop]",
    ]);
  });

  test("names the rule and the tool first, whatever else the details hold", async () => {
    const details = {
      approval_mode: "ask",
      args: { command: "git push" },
      tool: "bash",
      decision: { effect: "deny", code: "rule_denied", rule: { name: "no-push" } },
    };
    const { run } = workplace({
      "one.jsonl": logOf(chainEvents(undefined, [draft(0, "tool_denied", { details })])),
    });
    const [, row] = (await run("log query one.jsonl --type tool_denied")).stdout.split("\n");
    expect(row).toContain(
      'deny rule_denied [no-push] tool=bash approval_mode=ask args={"command":"git push"}',
    );
  });

  test("reads rotated files in order, and leaves anchors out", async () => {
    const { run } = workplace(rotated(EVENTS, 2, 4));
    const ran = await run("log query log-0.jsonl log-1.jsonl log.jsonl --json");
    expect(numbers(ran)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test("reads the standard input", async () => {
    expect(
      numbers(await workplace().run("log query - --json --limit 1", { input: logOf(EVENTS) })),
    ).toEqual([1]);
  });

  test("continues after lines that are no event, reports them, and does not exit with 0", async () => {
    const content = Buffer.concat([
      Buffer.from(`x\n${logOf(EVENTS.slice(0, 1))}`),
      Buffer.from([0xff, 10]),
      Buffer.from(logOf(EVENTS.slice(1))),
    ]);
    const ran = await workplace({ "log.jsonl": content }).run("log query log.jsonl --json");
    expect(jsonLines(ran)).toHaveLength(6);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toMatch(
      /^warning: skipped 2 lines that could not be read as an event, the first at log\.jsonl:1: /,
    );
  });

  test.each(readCases<[string, string, string]>(import.meta, "types"))(
    "answers a query for a type %s",
    async (_, type, stderr) => {
      expect(await query("--type", type)).toMatchObject({ code: 0, stderr });
    },
  );

  test.each(readCases<[string, string[], string]>(import.meta, "refuses"))(
    "refuses %s",
    async (_, args, message) => {
      const ran = await query(...args);
      expect(ran).toMatchObject({ code: 2 });
      expect(ran.stdout + ran.stderr).toContain("BYLAW_USAGE_INVALID");
      expect(ran.stdout + ran.stderr).toContain(message);
    },
  );

  test("needs little memory for a log that is larger than the memory", async () => {
    const details = { note: "x".repeat(1_000) };
    const events = Array.from({ length: 50_000 }, (_, at) => draft(at, "usage_check", { details }));
    const cwd = scratch({ "log.jsonl": logOf(chainEvents(undefined, events)) });
    const ran = bylaw("log query log.jsonl --json", { cwd, node: ["--max-old-space-size=32"] });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout.split("\n")).toHaveLength(50_001);
  });

  test("ends quietly when its reader leaves", () => {
    const cwd = scratch({ "log.jsonl": logOf(eventsOf(20_000)) });
    const line = `"${process.execPath}" "${BIN}" log query log.jsonl --json | head -n 1`;
    const { stderr, stdout } = spawnSync("sh", ["-c", line], { cwd, encoding: "utf8" });
    expect({ stderr, lines: stdout.split("\n").length }).toEqual({ stderr: "", lines: 2 });
  });
});

describe("what an agent wrote", () => {
  const evil = (
    agent_id: string,
    details: EventDraft["details"] = {},
  ): Readonly<Record<string, string>> => ({
    "log.jsonl": logOf(chainEvents(undefined, [draft(0, "session_start", { agent_id, details })])),
  });
  test("is one record of RFC 4180 each, whatever line breaks it contains", async () => {
    const { stdout } = await workplace(evil("a\r\nb\nc", { text: 'x"\n,y' })).run(
      "log query log.jsonl --format csv",
    );
    expect(stdout.split("\r\n")).toHaveLength(3);
    expect(stdout.replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
    expect(csv(stdout)[1]).toHaveLength(8);
    expect(JSON.parse(csv(stdout)[1]?.[6] ?? "")).toEqual({ text: 'x"\n,y' });
  });

  test("is never a formula in a spreadsheet", async () => {
    const { stdout } = await workplace(evil("=HYPERLINK(1)")).run(
      "log query log.jsonl --format csv",
    );
    expect(csv(stdout)[1]?.[4]).toBe("'=HYPERLINK(1)");
  });

  test.each([["table"], ["csv"], ["json"]])("cannot control a terminal, as %s", async (format) => {
    const { run } = workplace(
      evil("\u001b[2J\u009b31m\u202ea", { note: "\u001b]0;x\u0007\u2028" }),
    );
    for (const args of [
      ["query", "log.jsonl", "--format", format],
      ["stats", "log.jsonl"],
      ["tail", "log.jsonl"],
    ]) {
      expect((await run(["log", ...args])).stdout).not.toMatch(
        /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u202e]/,
      );
    }
  });

  test("stays in its column of the table, however long it is", async () => {
    const { run } = workplace(evil("x".repeat(100_000), { note: "y".repeat(100_000) }));
    for (const line of (await run("log query log.jsonl")).stdout.split("\n"))
      expect(line.length).toBeLessThan(400);
  });
});

describe("bylaw log stats", () => {
  test("counts in JSON", async () => {
    const ran = await workplace(files).run("log stats log.jsonl --json");
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(json(ran)).toEqual({
      events: 6,
      first: { sequence: 1, timestamp: "2026-01-17T09:00:00.000Z", event_type: "session_start" },
      last: { sequence: 6, timestamp: "2026-01-17T09:05:00.000Z", event_type: "tool_allowed" },
      sessions: [
        {
          session_id: SESSION,
          begin: "2026-01-17T09:00:00.000Z",
          end: "2026-01-17T09:03:00.000Z",
          events: 4,
        },
        {
          session_id: OTHER,
          begin: "2026-01-17T09:04:00.000Z",
          end: "2026-01-17T09:05:00.000Z",
          events: 2,
        },
      ],
      types: [
        { name: "tool_allowed", events: 2 },
        { name: "enforcement", events: 1 },
        { name: "session_resumed", events: 1 },
        { name: "session_start", events: 1 },
        { name: "tool_denied", events: 1 },
      ],
      agents: [
        { name: "dev-2", events: 2 },
        { name: "critic", events: 1 },
        { name: "dev-1", events: 1 },
      ],
      decisions: [
        { name: "allow fallback", events: 1 },
        { name: "allow rule_allowed", events: 1 },
        { name: "deny rule_denied", events: 1 },
      ],
      rules: [
        { name: "no-drop (policy.toml:3)", events: 1 },
        { name: "read (policy.toml:3)", events: 1 },
      ],
      bad_lines: 0,
    });
  });

  test("counts, for a person", async () => {
    const { stdout } = await workplace(files).run("log stats log.jsonl");
    expect(stdout).toMatch(
      /^6 events, 1 to 6, 2026-01-17T09:00:00\.000Z to 2026-01-17T09:05:00\.000Z\nsessions\n {8}4 {2}1111/,
    );
    expect(stdout).toContain("        1  no-drop (policy.toml:3)\n");
    expect(await workplace().run("log stats -")).toMatchObject({ code: 0, stdout: "0 events\n" });
  });

  test("counts only a limited number of names one by one", async () => {
    const events = Array.from({ length: 10_100 }, (_, index) =>
      draft(index, "usage_check", { agent_id: `agent ${index}` }),
    );
    const ran = await workplace({ "log.jsonl": logOf(chainEvents(undefined, events)) }).run(
      "log stats log.jsonl --json",
    );
    const { agents } = json(ran) as {
      agents: readonly { readonly name: string; readonly events: number }[];
    };
    expect(agents).toHaveLength(10_001);
    expect(agents[0]).toEqual({ name: "(others)", events: 100 });
  });
});

describe("bylaw log verify", () => {
  const edited = (event: LogEvent): LogEvent => ({ ...event, agent_id: "mallory" });

  test("says how far the chain reaches, and whether there is one", async () => {
    const last = EVENTS.at(-1);
    const chained = await workplace(files).run("log verify log.jsonl");
    expect(chained).toEqual({
      code: 0,
      stdout: `No findings in 6 events, up to 6 ${last?.hash}\n`,
      stderr: "",
    });
    expect(json(await workplace(files).run("log verify log.jsonl --json"))).toEqual({
      events: 6,
      head: { sequence: 6, hash: last?.hash },
      findings: [],
    });
    const bare = { "log.jsonl": logOf(EVENTS.map(({ hash: _, ...event }) => event)) };
    expect(await workplace(bare).run("log verify log.jsonl")).toMatchObject({
      code: 0,
      stdout: "No findings in 6 events, not chained\n",
    });
    expect(await workplace(bare).run("log verify log.jsonl --chained")).toMatchObject({ code: 1 });
    expect(await workplace(files).run("log verify log.jsonl --chained")).toMatchObject({ code: 0 });
  });

  test("finds the edited line", async () => {
    const { run } = workplace({
      "log.jsonl": logOf(EVENTS.map((event, index) => (index === 2 ? edited(event) : event))),
    });
    const ran = await run("log verify log.jsonl");
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).toMatch(
      /^log\.jsonl:3 error HASH_MISMATCH: The hash is sha256:\w+…, but after the line before it must be sha256:\w+…\.\n1 error in 6 events/,
    );
  });

  test("continues over rotated files, and names the file and its line", async () => {
    const { cwd, run } = workplace(rotated(EVENTS, 2, 4));
    const verify = (...names: readonly string[]): Promise<Ran> =>
      run(["log", "verify", ...names, "--json"]);
    expect(json(await verify("log-0.jsonl", "log-1.jsonl", "log.jsonl"))).toMatchObject({
      events: 6,
      findings: [],
    });
    expect(json(await verify("log-1.jsonl"))).toMatchObject({
      events: 2,
      first: 3,
      findings: [],
      head: { sequence: 4 },
    });
    expect((await run("log verify log-1.jsonl")).stdout).toContain(
      "No findings in 2 events, without those before 3, up to 4 ",
    );
    expect(json(await verify("log-0.jsonl", "log.jsonl"))).toMatchObject({
      events: 4,
      findings: [{ file: "log.jsonl", line: 1, rule: "ANCHOR_MISMATCH", severity: "error" }],
    });
    const [forged] = eventsOf(0);
    writeFileSync(
      join(cwd, "log-1.jsonl"),
      anchorOf(forged ?? ({} as LogEvent), "x") +
        readFileSync(join(cwd, "log-1.jsonl"), "utf8").split("\n").slice(1).join("\n"),
    );
    expect(await verify("log-0.jsonl", "log-1.jsonl", "log.jsonl")).toMatchObject({ code: 1 });
  });
});

test.each([["tail"], ["query"], ["stats"], ["verify"]])(
  "bylaw log %s reports a bad file in one line",
  async (command) => {
    const { run } = workplace({ "log.jsonl": "", "secret.jsonl": "" });
    const told = async (file: string): Promise<string> => {
      const ran = await run(["log", command, file]);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      return ran.stderr;
    };
    expect(await told("nothing.jsonl")).toMatch(/^error BYLAW_LOG_UNREADABLE: File not found: /);
    expect(await told(".")).toMatch(/^error BYLAW_LOG_UNREADABLE: \. is a directory/);
    expect(await told("log.jsonl/x")).toMatch(/^error BYLAW_LOG_UNREADABLE: File not found: /);
    const missing = await run(["log", command]);
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^error BYLAW_USAGE_INVALID: No log was named/);
    expect(json(await run(["log", command, "nothing.jsonl", "--json"]))).toMatchObject({
      error: { code: "BYLAW_LOG_UNREADABLE", file: "nothing.jsonl" },
    });
  },
);

test.skipIf(process.getuid?.() === 0)("a file that the user may not read is reported", async () => {
  const { cwd, run } = workplace({ "secret.jsonl": "" });
  chmodSync(join(cwd, "secret.jsonl"), 0);
  expect((await run("log query secret.jsonl")).stderr).toMatch(
    /^error BYLAW_LOG_UNREADABLE: Cannot read .*: EACCES/,
  );
});

/** Parses the records of a CSV text, by RFC 4180. */
function csv(text: string): readonly (readonly string[])[] {
  const records: string[][] = [[]];
  for (const [, quoted, bare = "", end] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g,
  )) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end !== ",") records.push([]);
  }
  return records.slice(0, -1);
}
