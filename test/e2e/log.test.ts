import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { BIN, bylaw, bylawHere, json, makePipe, scratch, workplace } from "./bylaw.ts";
import { shell } from "./shell.ts";

interface Finding {
  readonly line: number;
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
}

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const SESSION = "11111111-1111-4111-8111-111111111111";
const line = (
  sequence: number,
  event_type: string,
  task_id: string | null = null,
  details: object = {},
): string =>
  JSON.stringify({
    timestamp: new Date(Date.parse("2026-01-17T09:00:00Z") + sequence * 1_000).toISOString(),
    sequence,
    session_id: SESSION,
    event_type,
    agent_id: task_id === null ? null : "a1",
    task_id,
    details,
  });
const log = (...lines: readonly string[]): string => lines.map((text) => `${text}\n`).join("");
const START = line(1, "session_start", null, { plan_file: "plan.md", total_tasks: 1 });
const findingsOf = (ran: Parameters<typeof json>[0]): readonly Finding[] =>
  json(ran)["findings"] as readonly Finding[];
const brief = (ran: Parameters<typeof json>[0]): readonly string[] =>
  findingsOf(ran).map(({ line, severity, rule }) => `${line} ${severity} ${rule}`);

describe("what it prints", () => {
  const cwd = (): string =>
    scratch({ "log.jsonl": log(START, line(3, "usage_chek"), line(4, "task_complete", "t1")) });

  test("in JSON is the number of events and every finding", async () => {
    const ran = await bylawHere("log verify log.jsonl --profile coordinator --json", {
      cwd: cwd(),
    });
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(json(ran)).toEqual({
      events: 3,
      head: { sequence: 4 },
      findings: [
        {
          line: 2,
          rule: "UNKNOWN_EVENT_TYPE",
          severity: "warning",
          message: "Unknown event type `usage_chek`. Did you mean `usage_check`?",
        },
        {
          line: 2,
          rule: "SEQUENCE_GAP",
          severity: "warning",
          message: "Sequence 3 leaves a gap: the next event is number 2.",
        },
        {
          line: 3,
          rule: "COMPLETE_WITHOUT_AUDIT",
          severity: "error",
          message:
            "`task_complete` is not possible while task `t1` is not dispatched: an auditor must be at work on it.",
        },
      ],
    });
  });

  test("for a person is a line for each finding, and a summary", async () => {
    const ran = await bylawHere("log verify log.jsonl --profile coordinator", { cwd: cwd() });
    expect(ran).toMatchObject({ code: 1, stderr: "" });
    expect(ran.stdout).toMatch(
      /^log\.jsonl:2 warning UNKNOWN_EVENT_TYPE: .*\nlog\.jsonl:2 warning SEQUENCE_GAP: .*\nlog\.jsonl:3 error COMPLETE_WITHOUT_AUDIT: .*\n1 error, 2 warnings in 3 events, not chained\n$/,
    );
  });

  test("contains nothing that a terminal acts on, whatever an agent wrote", async () => {
    const evil = line(2, "task_complete", "t\u001b[2K\u202e1\u0000");
    const { run } = workplace({ "log.jsonl": log(START, evil, line(3, "\u009b2J")) });
    for (const args of [[], ["--json"]]) {
      const { stdout } = await run([
        "log",
        "verify",
        "log.jsonl",
        "--profile",
        "coordinator",
        ...args,
      ]);
      expect(stdout).toContain("COMPLETE_WITHOUT_AUDIT");
      expect(stdout).not.toMatch(/[\u0000\u001b\u009b\u202e]/);
    }
  });
});

describe("the exit code", () => {
  const files = {
    "good.jsonl": log(START),
    "odd.jsonl": log(START, line(3, "usage_check")),
    "bad.jsonl": log(START, "x"),
    "deed.jsonl": log(START, line(2, "task_complete", "t1")),
    "empty.jsonl": "",
    "type.jsonl": log(START, line(2, "task_unblocked")),
  };

  test.each(readCases<[string, string[], number]>(import.meta, "exit-codes"))(
    "is %s",
    async (_, args, code) => {
      const { run } = workplace(files);
      expect(await run(["log", "verify", ...args])).toMatchObject({ code, stderr: "" });
      expect(await run(["log", "verify", ...args, "--json"])).toMatchObject({ code, stderr: "" });
    },
  );

  test.each(readCases<[string, string[], string]>(import.meta, "errors"))(
    "is 2 for %s",
    async (_, args, message) => {
      const ran = await workplace(files).run(args);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(new RegExp(message));
    },
  );

  test("is 2 with the error in JSON when a script reads it", async () => {
    const ran = await workplace().run("log verify nothing.jsonl --json");
    expect(ran).toMatchObject({ code: 2, stderr: "" });
    expect(json(ran)).toMatchObject({
      error: { code: "BYLAW_LOG_UNREADABLE", file: "nothing.jsonl" },
    });
  });
});

describe("the bytes of a log", () => {
  const verify = async (content: string | Uint8Array): Promise<readonly string[]> =>
    brief(await workplace({ "log.jsonl": content }).run("log verify log.jsonl --json"));

  test("that are cut off in the last line are reported separately, also within a character", async () => {
    const whole = Buffer.from(log(START, line(2, "usage_check", null, { note: "é" })));
    const cut = whole.indexOf(0xc3) + 1;
    expect(await verify(whole.subarray(0, cut))).toEqual(["2 warning TORN_LAST_LINE"]);
    expect(await verify(whole.subarray(0, -2))).toEqual(["2 warning TORN_LAST_LINE"]);
    expect(await verify(whole.subarray(0, -1))).toEqual(["2 warning TORN_LAST_LINE"]);
    expect(await verify(whole)).toEqual([]);
  });

  test("that are not UTF-8, or NUL, cost one line", async () => {
    const bad = (bytes: number[]): Uint8Array =>
      Buffer.concat([
        Buffer.from(log(START)),
        Buffer.from([...bytes, 10]),
        Buffer.from(log(line(3, "usage_check"))),
      ]);
    expect(await verify(bad([0xff, 0xfe]))).toEqual(["2 error INVALID_JSON"]);
    expect(await verify(bad([0, 0, 0]))).toEqual(["2 error INVALID_JSON"]);
  });

  test("may end lines in CR LF and leave lines blank, and line numbers stay right", async () => {
    expect(await verify(`${START}\r\n\r\n\n${line(3, "usage_check")}\r\n`)).toEqual([
      "4 warning SEQUENCE_GAP",
    ]);
  });

  test("of a byte order mark are not part of an event", async () => {
    expect(await verify(`\ufeff${log(START, line(2, "usage_check"))}`)).toEqual([
      "1 error INVALID_JSON",
    ]);
  });

  test("of a line over 16 MiB are one finding, and the log continues", async () => {
    const long = Buffer.alloc(17 * 1_048_576, "x");
    const content = Buffer.concat([
      Buffer.from(log(START)),
      long,
      Buffer.from(`\n${log(line(3, "usage_check"))}`),
    ]);
    expect(await verify(content)).toEqual(["2 error INVALID_JSON"]);
    expect(await verify(Buffer.concat([Buffer.from(log(START)), long]))).toEqual([
      "2 warning TORN_LAST_LINE",
    ]);
  });

  test("may come from standard input and from a pipe", async () => {
    const input = log(START, line(3, "usage_check"));
    expect(brief(await workplace().run("log verify - --json", { input }))).toEqual([
      "2 warning SEQUENCE_GAP",
    ]);
    const cwd = scratch({ "log.jsonl": input });
    makePipe(join(cwd, "pipe"));
    const ran = shell("cat log.jsonl > pipe & bylaw log verify pipe --json; wait", cwd);
    expect(brief(ran)).toEqual(["2 warning SEQUENCE_GAP"]);
  });
});

test("a log of 200,000 events is read in little memory", async () => {
  const lines = [START];
  for (let sequence = 2; sequence <= 200_000; sequence += 1)
    lines.push(line(sequence, "usage_check", null, { remaining: sequence }));
  const cwd = scratch({ "log.jsonl": `${lines.join("\n")}\n` });
  // The log alone is larger than this heap.
  const ran = bylaw("log verify log.jsonl --profile coordinator --json", {
    cwd,
    node: ["--max-old-space-size=32"],
  });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(json(ran)).toEqual({ events: 200_000, head: { sequence: 200_000 }, findings: [] });
});

test("a log of 200,000 lines that are no event gives as many findings", async () => {
  const ran = await workplace({ "log.jsonl": "x\n".repeat(200_000) }).run(
    "log verify log.jsonl --json",
  );
  expect(ran).toMatchObject({ code: 1, stderr: "" });
  expect(findingsOf(ran)).toHaveLength(200_000);
});

test("a reader that leaves does not get success", () => {
  const cwd = scratch({ "log.jsonl": log(START, ...Array.from({ length: 50_000 }, () => "x")) });
  const { status } = spawnSync(
    "sh",
    [
      "-c",
      `("${process.execPath}" "${BIN}" log verify log.jsonl; echo $? > code) | head -n 1 > /dev/null`,
    ],
    { cwd },
  );
  expect(status).toBe(0);
  expect(readFileSync(join(cwd, "code"), "utf8")).not.toBe("0\n");
});

test.each(readCases<[string[], string]>(import.meta, "misspelt-commands"))(
  "the help of the right command is named in an error: bylaw %j",
  async (args, fix) => {
    const ran = await workplace().run(args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^error BYLAW_USAGE_INVALID: /);
    expect(ran.stderr).toContain(`\n  fix: ${fix}\n`);
  },
);

describe("the pages about the event log", () => {
  const textOf = (page: string): string => readFileSync(join(root, "docs", page), "utf8");
  test("begins with a block that runs, and prints what the page shows", () => {
    const [, script = "", printed] =
      /^```sh\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/m.exec(textOf("event-log.md")) ?? [];
    const ran = shell(script.replace(/^npm install .*\n/m, ""), scratch());
    expect(ran).toEqual({ code: 1, stdout: printed, stderr: "" });
  });
});
