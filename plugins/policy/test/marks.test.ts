import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type Config, type ToolCall } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { pluginOf, readCases, temporaryFolder } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { policy } from "../src/index.ts";
import { call, refused, rule, run as shell } from "./kit.ts";

const mark = (name: string, more: string): string => `[[marks]]\nname = "${name}"\n${more}\n`;

const SECRET = mark("secret", 'paths = { read = ["**/.env"] }');
const NO_NETWORK = rule("no-network", "deny", 'effects = ["network"]\nafter = "secret"');
const EDITED =
  mark("edited", 'effects = ["writes", "moves", "deletes"]') +
  mark("written", 'tool = "write_file"');
const TESTED = mark(
  "tested",
  'command = "npm test"\noutcome = "passed"\ncleared_by = ["edited", "written"]',
);
const COMMIT = rule("no-commit", "deny", 'command = "git commit *"\nunless_after = "tested"');

// In this mode every call runs, and decisions are the same as in any other.
const advisory = (text: string): Config => ({
  plugins: [policy({ text })],
  enforcement_mode: "advisory",
});
const opened = (config: Config, more: object = {}): Promise<Run> =>
  openRun(createKernel(config), { run: "r1", ...more });
const place = { cwd: "/w", workspace: "/w", home: "/home/ann" };
const line = (command: string, more: Partial<ToolCall> = {}): ToolCall =>
  shell(command, { ...place, ...more });
const write = (id: string): ToolCall =>
  call("write_file", { path: "a", content: "" }, { ...place, id });
const curl = line("curl https://example.com");
const commit = line("git commit -m x");
const TOOL = "run_shell_command";
const EXITED = { result: { exit_code: 0 } };
const ruleOf = async (run: Run, one: ToolCall): Promise<string | undefined> =>
  (await run.toolCall(one)).decision.rule?.name;
const reasonOf = async (run: Run, one: ToolCall): Promise<string> =>
  (await run.toolCall(one)).decision.reason;
const passes = async (run: Run, id: string, command = "npm test"): Promise<void> => {
  await run.toolCall(line(command, { id }));
  await run.toolResult({ id, tool: TOOL, ok: true, ...EXITED });
};

describe("a rule with `after`", () => {
  test("applies once a call of any agent has set the mark, and names the event", async () => {
    const run = await opened(advisory(SECRET + NO_NETWORK));
    expect(await ruleOf(run, curl)).toBeUndefined();
    await run.toolCall(line("cat .env", { agent: "sub-agent" }));
    expect(await reasonOf(run, curl)).toMatch(
      /^The rule `no-network` denies this\. `secret` was set by event 3 \(`run_shell_command cat \.env`, 2\S+Z\)\.$/,
    );
    const later = await ruleOf(run, line("curl https://example.com", { agent: "another" }));
    expect(later).toBe("no-network");
  });

  test.each(readCases<string>(import.meta, "lines-that-set-the-mark"))(
    "applies to a line that sets the mark itself: %s",
    async (command) => {
      const run = await opened(advisory(SECRET + NO_NETWORK));
      const { decision } = await run.toolCall(line(command));
      expect(decision).toMatchObject({ effect: "deny", rule: { name: "no-network" } });
      expect(decision.reason).toContain("Another command of this line sets `secret`.");
    },
  );

  test.each([
    ...[
      "cat .ENV",
      "bash -c 'cat .env'",
      "sudo cat .env",
      "cat $FILE",
      "cat .e*",
      "$CMD x",
      "head < .env",
    ],
    ...["true; for i in 1 2; do cat ../w/.env; done"],
  ])("%s may set the mark", async (command) => {
    const run = await opened(advisory(SECRET + NO_NETWORK));
    await run.toolCall(line(command));
    expect(await ruleOf(run, curl)).toBe("no-network");
  });

  test.each(["ls", "cat .envrc", "echo hello > out.txt", "npm test"])(
    "%s does not set it",
    async (command) => {
      const run = await opened(advisory(SECRET + NO_NETWORK));
      await run.toolCall(line(command));
      expect(await ruleOf(run, curl)).toBeUndefined();
    },
  );

  test("a file is the same through a link", async () => {
    const workspace = temporaryFolder();
    writeFileSync(join(workspace, ".env"), "x");
    symlinkSync(".env", join(workspace, "notes"));
    const run = await opened(advisory(SECRET + NO_NETWORK));
    await run.toolCall(line("cat notes", { cwd: workspace, workspace }));
    expect(await ruleOf(run, curl)).toBe("no-network");
  });

  test("a denied call sets nothing, and a call that needs approval sets it when it runs", async () => {
    const asks =
      rule("ask", "ask_user", 'command = "cat *"') + rule("no", "deny", 'command = "head *"');
    const run = await opened({ plugins: [policy({ text: SECRET + NO_NETWORK + asks })] });
    await run.toolCall(line("head .env"));
    await run.toolCall(line("cat .env", { id: "c1" }));
    expect(await ruleOf(run, curl)).toBeUndefined();
    // The host asked the person itself, and ran the call.
    await run.toolResult({ id: "c1", tool: TOOL, ok: true, ...EXITED, reported: true });
    expect(await ruleOf(run, curl)).toBe("no-network");
  });

  test("a call that a person approved sets its marks", async () => {
    const asks = rule("ask", "ask_user", 'command = "cat *"');
    const run = await opened({ plugins: [policy({ text: SECRET + NO_NETWORK + asks })] });
    const read = line("cat .env", { id: "c1" });
    await run.toolCall(read);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    await run.approve({ subject: read, by: "ann", expires_at });
    expect((await run.toolCall(read)).applied).toBe("allow");
    expect(await ruleOf(run, curl)).toBe("no-network");
  });
});

describe("a rule with `unless_after`", () => {
  test("applies until the result is on record, and again after a change", async () => {
    const run = await opened(advisory(EDITED + TESTED + COMMIT));
    expect(await reasonOf(run, commit)).toContain("No call has set `tested`.");
    await run.toolCall(line("npm test", { id: "t1" }));
    expect(await reasonOf(run, commit)).toContain("`tested` waits for the result of event 3 (");
    await run.toolResult({ id: "t1", tool: TOOL, ok: true, ...EXITED });
    expect(await ruleOf(run, commit)).toBeUndefined();
    await run.toolCall(write("w1"));
    expect(await reasonOf(run, commit)).toContain(
      "`tested` was cleared by event 7 (`write_file a`",
    );
    await passes(run, "t2");
    expect(await ruleOf(run, commit)).toBeUndefined();
  });

  test.each([
    ...[
      "npm test || true",
      "npm test; echo",
      "npm test && echo",
      "npm test | tee log",
      "! npm test",
    ],
    ...[
      "npm test &",
      "time npm test",
      "f() { npm test; }",
      "if true; then npm test; fi",
      "(npm test)",
    ],
    ...[
      "cd /tmp && npm test",
      "sudo npm test",
      "echo npm test",
      "npm test $X",
      "npm tests",
      "bash -c 'npm test'",
    ],
    ...[
      "npm test > log",
      "npm test\nrm x",
      "PATH=/tmp npm test",
      "coproc npm test",
      "npm test # x",
    ],
  ])("`%s` with a good result is no pass", async (command) => {
    const run = await opened(advisory(EDITED + TESTED + COMMIT));
    await passes(run, "t1", command);
    expect(await ruleOf(run, commit)).toBe("no-commit");
  });

  test.each(["npm test", " npm test 2>&1 ", "NO_COLOR=1 npm test"])(
    "`%s` with a good result is a pass",
    async (command) => {
      const run = await opened(advisory(EDITED + TESTED + COMMIT));
      await passes(run, "t1", command);
      expect(await ruleOf(run, commit)).toBeUndefined();
    },
  );

  test.each(readCases<[what: string, result: object]>(import.meta, "failed-results"))(
    "a result that %s is no pass",
    async (_, result) => {
      const run = await opened(advisory(EDITED + TESTED + COMMIT));
      await run.toolCall(line("npm test", { id: "t1" }));
      await run.toolResult({ id: "t1", tool: TOOL, ok: true, ...EXITED, ...result });
      expect(await ruleOf(run, commit)).toBe("no-commit");
    },
  );

  test("tests in another folder prove nothing", async () => {
    const run = await opened(advisory(EDITED + TESTED + COMMIT));
    await run.toolCall(line("npm test", { id: "t1", cwd: "/tmp/fake" }));
    await run.toolResult({ id: "t1", tool: TOOL, ok: true, ...EXITED });
    expect(await ruleOf(run, commit)).toBe("no-commit");
  });

  test("a result under the id of two calls may belong to either", async () => {
    const run = await opened(advisory(EDITED + TESTED + COMMIT));
    await run.toolCall(line("npm test", { id: "t1" }));
    await run.toolCall(line("true", { id: "t1" }));
    await run.toolResult({ id: "t1", tool: TOOL, ok: true, ...EXITED });
    expect(await ruleOf(run, commit)).toBe("no-commit");
  });

  test("a change that begins before the tests and ends after their start clears the mark", async () => {
    const run = await opened(advisory(EDITED + TESTED + COMMIT));
    await run.toolCall(write("w1"));
    await passes(run, "t1");
    expect(await ruleOf(run, commit)).toBeUndefined();
    await run.toolResult({ id: "w1", tool: "write_file", ok: true, reported: true });
    expect(await ruleOf(run, commit)).toBe("no-commit");
  });

  test("a change during the tests makes their result useless", async () => {
    const run = await opened(advisory(EDITED + TESTED + COMMIT));
    await run.toolCall(line("npm test", { id: "t1" }));
    await run.toolCall(line("touch a"));
    await run.toolResult({ id: "t1", tool: TOOL, ok: true, ...EXITED });
    expect(await ruleOf(run, commit)).toBe("no-commit");
  });
});

describe("times and spans", () => {
  const text =
    mark("deleted", 'effects = ["deletes"]') +
    rule(
      "few",
      "deny",
      'effects = ["deletes"]\nafter = { mark = "deleted", times = 3, within = "10m" }',
    );
  test("at most three deletions in ten minutes, by the clock of the log", async () => {
    let now = Date.parse("2026-01-01T00:00:00.000Z");
    const run = await opened(advisory(text), { now: () => new Date(now).toISOString() });
    for (const minute of [0, 4, 8]) {
      now = Date.parse("2026-01-01T00:00:00.000Z") + minute * 60_000;
      expect(await ruleOf(run, line("rm a"))).toBeUndefined();
    }
    expect(await ruleOf(run, line("rm b", { at: "2030-01-01T00:00:00.000Z" }))).toBe("few");
    // A clock that goes back does not remove the past.
    now -= 3_600_000;
    expect(await ruleOf(run, line("rm c"))).toBe("few");
    now = Date.parse("2026-01-01T01:00:00.000Z");
    expect(await ruleOf(run, line("rm d"))).toBeUndefined();
  });

  test.each([
    ["rm a; rm b; rm c", undefined],
    ["rm a; rm b; rm c; rm d", "few"],
  ])("commands of one line count separately: %s", async (command, expected) => {
    expect(await ruleOf(await opened(advisory(text)), line(command))).toBe(expected);
  });
});

describe("a mark", () => {
  test("can be cleared only by a person", async () => {
    const run = await opened(advisory(SECRET + NO_NETWORK));
    await run.toolCall(line("cat .env"));
    const details = { mark: "secret", by: "ann" };
    const forged = { event_type: "mark_cleared", agent_id: "a1", task_id: null, details };
    await expect(run.record([forged])).rejects.toFailWith("BYLAW_EVENT_INVALID");
    expect(await ruleOf(run, curl)).toBe("no-network");
    await run.clearMark({ mark: "secret", by: "ann" });
    expect(await ruleOf(run, curl)).toBeUndefined();
  });

  test("of a policy that changes during a run is recomputed from the log", async () => {
    const store = createMemoryStore();
    const first = await opened(advisory(rule("x", "deny", 'tool = "x"')), { store });
    await first.toolCall(line("cat .env"));
    await first.close();
    const second = await opened(advisory(SECRET + NO_NETWORK), { store });
    expect(await ruleOf(second, curl)).toBe("no-network");
    await second.close();
    const third = await opened(advisory(mark("secret", 'tool = "none"') + NO_NETWORK), { store });
    expect(await ruleOf(third, curl)).toBeUndefined();
    const other = await opened(advisory(SECRET + NO_NETWORK), { store, run: "r2" });
    expect(await ruleOf(other, curl)).toBeUndefined();
  });

  test("stays set if the called program is redacted from the log", async () => {
    const hides = pluginOf("@acme/plugin-hides", (kernel) =>
      kernel.redact(({ details }) => ({
        ...details,
        args: { redacted: "sha256:0" },
        redacted: ["args"],
      })),
    );
    const store = createMemoryStore();
    const config = (text: string): Config => ({
      ...advisory(text),
      plugins: [policy({ text }), hides],
    });
    const run = await opened(config(SECRET + NO_NETWORK), { store });
    await run.toolCall(line("ls"));
    expect(await ruleOf(run, curl)).toBeUndefined();
    await run.toolCall(line("cat .env"));
    expect(await ruleOf(run, curl)).toBe("no-network");
    await run.close();
    // With other definitions, the called program is unknown.
    const other =
      mark("other", 'paths = { read = ["**/x"] }') + NO_NETWORK.replace('"secret"', '"other"');
    expect(await ruleOf(await opened(config(other), { store }), curl)).toBe("no-network");
  });
});

describe("without a run", () => {
  const t = call("t");
  test.each(readCases<[action: string, key: string, expected: string]>(import.meta, "cases"))(
    "%s %s: %s",
    (action, key, expected) => {
      const text = mark("m", 'tool = "m"') + rule("r", action, `tool = "t"\n${key} = "m"`);
      const decision = createKernel({ plugins: [policy({ text })] }).decide(t);
      expect(decision).toMatchObject(
        expected === "fallback" ? { code: "fallback" } : { effect: expected, rule: { name: "r" } },
      );
    },
  );

  test("in a run an allow applies only if the marks are certain", async () => {
    const text =
      mark("m", 'tool = "m*"') +
      rule("m", "allow", 'tool = "m*"') +
      rule("before", "allow", 'tool = "t"\nunless_after = "m"') +
      rule("then", "allow", 'tool = "u"\nafter = "m"');
    const run = await opened({ plugins: [policy({ text })] });
    const both = async (): Promise<unknown> => [await ruleOf(run, t), await ruleOf(run, call("u"))];
    expect(await both()).toEqual(["before", undefined]);
    await run.toolCall(call("m1"));
    expect(await both()).toEqual([undefined, "then"]);
  });
});

test("explain shows what a rule read", async () => {
  const run = await opened(advisory(SECRET + NO_NETWORK));
  const kernel = createKernel(advisory(SECRET + NO_NETWORK));
  const { taps } = await kernel.explain(curl);
  expect(taps[0]?.because).toMatchObject([
    { name: "no-network", failed: "after", expected: "`secret`", actual: "no run" },
  ]);
  expect(run.head).toBe(1);
});

test("two policies cannot define different marks with the same name", () => {
  const other = mark("secret", 'tool = "x"');
  const plugins = [policy({ text: SECRET + NO_NETWORK }), policy({ text: other })];
  expect(refused(() => createKernel({ plugins })).message).toContain("have a mark `secret`");
  expect(() =>
    createKernel({ plugins: [policy({ text: SECRET }), policy({ text: SECRET })] }),
  ).not.toThrow();
});
