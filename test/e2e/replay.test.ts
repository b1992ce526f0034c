import { createKernel, type ToolCall } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { POLICY, bylaw, bylawHere, json, jsonLines, scratch, type Ran } from "./bylaw.ts";

type Call = Omit<ToolCall, "hook">;

/** The lines of the log that a run writes. */
async function recorded(calls: readonly Call[], text = POLICY): Promise<string> {
  const store = createMemoryStore();
  const run = await openRun(createKernel({ plugins: [policy({ text })] }), { run: "r", store });
  for (const call of calls) await run.toolCall(call);
  return (await store.events("r", 0, 1_000)).map((event) => `${JSON.stringify(event)}\n`).join("");
}

const CALLS: readonly Call[] = [
  { tool: "read_file", args: { path: "a" } },
  { tool: "drop_table", args: {} },
  { tool: "send_mail", args: { to: "all" } },
];
const LOOSE = POLICY.replace('action = "deny"', 'action = "ask_user"').replace(
  'tool = "send_mail"',
  'tool = "send_letter"',
);
const replay = (cwd: string, ...more: string[]): Promise<Ran> =>
  bylawHere(["replay", "run.jsonl", ...more], { cwd });

describe("bylaw replay", () => {
  test("finds nothing under the policy that decided", async () => {
    const ran = await replay(
      scratch({ "run.jsonl": await recorded(CALLS), "p.toml": POLICY }),
      "--policy",
      "p.toml",
    );
    expect(ran).toEqual({ code: 0, stdout: "3 calls: 3 the same, 0 flips\n", stderr: "" });
  });

  test("lists each decision that changes, with the old and the new rules", async () => {
    const cwd = scratch({ "run.jsonl": await recorded(CALLS), "new.toml": LOOSE });
    const ran = await replay(cwd, "--policy", "new.toml");
    expect(ran.code).toBe(1);
    expect(ran.stdout).toBe(`deny → ask_user #3 drop_table {}
  no-drop, inline policy:9 → no-drop, new.toml:9
3 calls: 2 the same, 1 flip (deny → ask_user 1)
`);
    expect(jsonLines(await replay(cwd, "--policy", "new.toml", "--json"))).toEqual([
      {
        flip: {
          line: 3,
          sequence: 3,
          tool: "drop_table",
          args: {},
          recorded: {
            effect: "deny",
            code: "rule_denied",
            rule: { name: "no-drop", file: "inline policy", line: 9 },
          },
          candidate: {
            effect: "ask_user",
            code: "rule_asked",
            rule: { name: "no-drop", file: "new.toml", line: 9 },
          },
        },
      },
      {
        summary: {
          calls: 3,
          same: 2,
          flips: 1,
          by_kind: { "deny → ask_user": 1 },
          not_replayable: 0,
        },
      },
    ]);
  });

  test("repeats each call in its own mode, phase and folder, and with the person who could be asked then", async () => {
    const rules = `
[[rules]]
name = "a"
action = "allow"
tool = "x"
modes = "yolo"
[[rules]]
name = "b"
action = "allow"
tool = "y"
paths = { read = "./**" }
interactive = false
agent = "ann"
`;
    const calls: readonly Call[] = [
      { tool: "x", args: {}, approval_mode: "yolo" },
      { tool: "x", args: {} },
      { tool: "z", args: {}, interactive: false },
      {
        tool: "read_file",
        args: { path: "~/a" },
        cwd: "/w",
        workspace: "/w",
        home: "/w/home",
        interactive: false,
        agent: "ann",
      },
    ];
    const text = rules.replace('tool = "y"', 'tool = "read_file"');
    const log = await recorded(calls, text);
    expect(log.match(/"event_type":"tool_\w+"/g)).toEqual([
      '"event_type":"tool_allowed"',
      '"event_type":"tool_asked"',
      '"event_type":"tool_denied"',
      '"event_type":"tool_allowed"',
    ]);
    expect(
      await replay(scratch({ "run.jsonl": log, "p.toml": text }), "--policy", "p.toml"),
    ).toMatchObject({ code: 0 });
  });

  test("knows MCP tools by the servers that were registered, without keeping all servers in the log", async () => {
    const text =
      '[[rules]]\nname = "issues"\naction = "allow"\nserver = "git_hub"\ntool = "get_issue"\n';
    const servers = { git_hub: ["get_issue", "delete_repo"], git: ["hub_get_pull"], other: ["x"] };
    const log = await recorded(
      [
        { tool: "mcp_git_hub_get_issue", args: {}, servers },
        { tool: "mcp_git_hub_get_pull", args: {}, servers },
      ],
      text,
    );
    expect(log).not.toContain("other");
    expect(log).not.toContain("delete_repo");
    expect(
      await replay(scratch({ "run.jsonl": log, "p.toml": text }), "--policy", "p.toml"),
    ).toMatchObject({ code: 0, stdout: "2 calls: 2 the same, 0 flips\n" });
  });

  test("applies a person's yes to the question that it answered", async () => {
    const kernel = createKernel({ plugins: [policy({ text: POLICY })] });
    const run = await openRun(kernel, { run: "r" });
    const call = { tool: "send_mail", args: {} };
    const grant = await run.approve({
      subject: { hook: "beforeToolCall", ...call },
      by: "ann",
      expires_at: "2999-01-01T00:00:00Z",
    });
    const { events } = await run.toolCall(call);
    const log = [...grant, ...events].map((event) => `${JSON.stringify(event)}\n`).join("");
    expect(log).toContain('"event_type":"tool_allowed"');
    expect(
      (await replay(scratch({ "run.jsonl": log, "p.toml": POLICY }), "--policy", "p.toml")).stdout,
    ).toBe("1 call: 1 the same, 0 flips\n");
  });

  test("lists what it cannot repeat: redacted and refused calls", async () => {
    const [, line = ""] = (await recorded(CALLS)).split("\n");
    const event = JSON.parse(line) as { details: Record<string, unknown> };
    const withDetails = (details: object): string => `${JSON.stringify({ ...event, details })}\n`;
    const { details } = event;
    const log =
      withDetails({ ...details, args: { path: { redacted: "sha256:00" } } }) +
      withDetails({ ...details, redacted: ["/args/path"] }) +
      withDetails({ decision: details["decision"] }) +
      withDetails({ tool: "read_file" });
    const ran = await replay(scratch({ "run.jsonl": log, "p.toml": POLICY }), "--policy", "p.toml");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toBe(`not replayable #2 parts of the call were redacted
not replayable #2 parts of the call were redacted
not replayable #2 the call was malformed and was refused
not replayable #2 its arguments are not in the log
4 calls: 0 the same, 0 flips, 4 not replayable
`);
  });

  test("folds the log for conditions on the state of the run", async () => {
    const config = `import { defineConfig, definePlugin, defineProjection, deny } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { z } from "zod";
const denied = defineProjection({ name: "denied", version: 1, initial: 0, reduce: (n, { event_type }) => n + (event_type === "tool_denied" ? 1 : 0) });
const tired = definePlugin({ name: "tired", version: "1.0.0", options: z.undefined(), apply(kernel) {
  kernel.projection(denied);
  kernel.hooks.beforeToolCall.tap("t", (call, view) => (view(denied) > 0 ? deny("enough") : undefined));
} });
export default defineConfig({ plugins: [policy({ files: ["p.toml"] }), tired()] });`;
    const cwd = scratch({
      "run.jsonl": await recorded(CALLS),
      "p.toml": POLICY,
      "c.config.ts": config,
    });
    const flips = jsonLines(await replay(cwd, "--config", "c.config.ts", "--json"));
    expect(flips).toMatchObject([
      { flip: { sequence: 4, candidate: { effect: "deny" } } },
      { summary: { flips: 1 } },
    ]);
  });

  test("compares calls outside any log with the configuration in force", async () => {
    const calls = CALLS.map((call) => `${JSON.stringify(call)}\n`).join("");
    const config = '{"plugins":[{"use":"@bylaw/plugin-policy","options":{"files":["p.toml"]}}]}';
    const cwd = scratch({
      "run.jsonl": calls,
      "p.toml": POLICY,
      "new.toml": LOOSE,
      "bylaw.config.json": config,
    });
    expect((await replay(cwd, "--policy", "new.toml")).stdout).toContain(
      "deny → ask_user line 2 drop_table {}",
    );
    // A candidate that is added to the configuration loosens nothing in it.
    expect(
      await replay(cwd, "--policy", "new.toml", "--config", "bylaw.config.json"),
    ).toMatchObject({ code: 0 });
  });

  test("reports a missing configuration for calls outside any log differently from a missing candidate", async () => {
    const cwd = scratch({ "run.jsonl": '{"tool":"read_file"}\n', "new.toml": LOOSE });
    const ran = await replay(cwd, "--policy", "new.toml");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error BYLAW_CONFIG_MISSING: .*`run.jsonl` holds calls without decisions/,
    );
    expect(ran.stderr).not.toContain("--policy");
  });

  test("needs a candidate", async () => {
    const ran = await replay(scratch({ "run.jsonl": "" }));
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/BYLAW_USAGE_INVALID: There is no policy to replay against/);
  });

  test("stays in constant memory over a long log", async () => {
    const [, line = ""] = (await recorded(CALLS)).split("\n");
    const cwd = scratch({ "run.jsonl": `${line}\n`.repeat(60_000), "p.toml": POLICY });
    const ran = bylaw("replay run.jsonl --policy p.toml", {
      cwd,
      node: ["--max-old-space-size=48"],
    });
    expect(ran).toEqual({ code: 0, stdout: "60000 calls: 60000 the same, 0 flips\n", stderr: "" });
  });
});

describe("a log", () => {
  const refused = async (
    files: Readonly<Record<string, string | Uint8Array>>,
    text: RegExp,
    line?: number,
  ): Promise<void> => {
    const cwd = scratch({ "p.toml": POLICY, ...files });
    const ran = await replay(cwd, "--policy", "p.toml");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("BYLAW_LOG_INVALID");
    expect(ran.stderr).toMatch(text);
    const { error } = json(await replay(cwd, "--policy", "p.toml", "--json")) as {
      error: { line?: number };
    };
    if (line !== undefined) expect(error.line).toBe(line);
  };
  const ok = `${JSON.stringify(CALLS[0])}\n`;

  test("that is missing, a directory, or not UTF-8", async () => {
    await refused({}, /File not found/);
    await refused({ "run.jsonl/x": "" }, /directory/);
    await refused({ "run.jsonl": Uint8Array.from([0x7b, 0xff]) }, /UTF-8/, 1);
  });

  test.each(readCases<[string, string, string]>(import.meta, "wrong-lines"))(
    "with a line %s is refused at it",
    async (_, text, wanted) => {
      await refused({ "run.jsonl": `\n${text}\n${ok}` }, new RegExp(wanted), 2);
    },
  );
});
