import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codex } from "@bylaw/host-codex";
import { copilot } from "@bylaw/host-copilot";
import { describe, expect, test } from "vitest";
import { OPERATORS, TOKENS } from "./approve-kit.ts";
import { bylaw, jsonLines } from "./bylaw.ts";
import { enginesIn, signal } from "./engine-kit.ts";
import {
  NETWORK,
  SECRET,
  bash,
  blocks,
  deskOf,
  eventsOf,
  outputOf,
  type Call,
} from "./hook-sessions-kit.ts";

const EDIT = ["Write", { file_path: "a.ts", content: "1" }] as const;
const COMMIT = bash("git commit -m x");
const TESTS = bash("npm test");
const returned = (event: object, response: object = {}): object => ({
  ...{ ...event, hook_event_name: "PostToolUse" },
  tool_response: { stdout: "", stderr: "", interrupted: false, isImage: false, ...response },
});
const failed = (event: object): object => ({
  ...{ ...event, hook_event_name: "PostToolUseFailure", error: "Exit code 1" },
});

describe("a session", () => {
  test.each([
    ["by the engine", "engine"],
    ["without an engine", "cold"],
  ] as const)(
    "loses the network once a secret was read, while another session keeps it: %s",
    async (_, way) => {
      const { call, [way]: ask } = deskOf();
      const blocked = async (event: object): Promise<boolean> => blocks(await ask(event));
      expect(await blocked(call(NETWORK))).toBe(false);
      const read = call(SECRET, { agent: "sub" });
      expect(await ask(read)).toEqual({ code: 0, stdout: "{}", stderr: "" });
      const denied = await ask(call(NETWORK));
      expect(denied.stdout).toMatch(/no-network-after-a-secret/);
      expect(await blocked(call(NETWORK, { agent: "other" }))).toBe(true);
      expect(await blocked(call(NETWORK, { session: "s2" }))).toBe(false);
    },
  );

  test("commits only if the tests passed since the last edit", async () => {
    const { call, engine: ask } = deskOf();
    const blocked = async (event: object): Promise<boolean> => blocks(await ask(event));
    const runs = async (what: readonly [string, object], end = returned): Promise<void> => {
      const event = call(what);
      expect(await blocked(event)).toBe(false);
      expect(await ask(end(event))).toEqual({ code: 0, stdout: "{}", stderr: "" });
    };
    expect(await blocked(call(COMMIT))).toBe(true);
    await runs(TESTS, failed);
    expect(await blocked(call(COMMIT))).toBe(true);
    await runs(TESTS, (event) => returned(event, { backgroundTaskId: "b1" }));
    expect(await blocked(call(COMMIT))).toBe(true);
    await runs(TESTS);
    expect(await blocked(call(COMMIT))).toBe(false);
    await runs(EDIT);
    expect(await blocked(call(COMMIT))).toBe(true);
  });
});

describe("a run of a session", () => {
  test("has each call once, by its id, with its result", async () => {
    const { desk, call, engine, cold } = deskOf();
    const event = call(TESTS, { id: "t1", agent: "sub" });
    const answers = [await engine(event), await cold(event), await engine(event)];
    expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1);
    await engine(returned(event));
    await cold(returned(event));
    const events = await eventsOf(desk);
    expect(events.map(({ event_type, agent_id }) => [event_type, agent_id])).toEqual([
      ["session_start", null],
      ["tool_allowed", "sub"],
      ["tool_result", "sub"],
    ]);
    expect(events[2]?.details).toMatchObject({ id: "t1", ok: true, result: { exit_code: 0 } });
  });

  test("does not make the engine load its rules again with every call that it writes down", async () => {
    const plugins = ["@bylaw/plugin-event-log"];
    const { desk, call, engine } = deskOf("claude-code", {
      "bylaw.config.json": JSON.stringify({ plugins }),
    });
    const loadedAt = async (): Promise<unknown> => {
      await engine(call(TESTS));
      return (await desk.status()).configurations[0]?.loaded_at;
    };
    const first = await loadedAt();
    expect([await loadedAt(), await loadedAt()]).toEqual([first, first]);
  });

  test("is decided correctly by the engine and separate processes at the same time", async () => {
    const { desk, call, engine, cold } = deskOf();
    await Promise.all([engine(call(NETWORK)), cold(call(NETWORK))]);
    const asked = await Promise.all([
      ...[engine, cold, engine, cold].map((ask) => ask(call(NETWORK))),
      cold(call(SECRET)),
      ...[engine, cold, engine].map((ask) => ask(call(NETWORK, { session: "s2" }))),
    ]);
    expect(asked.slice(5).map(blocks)).toEqual([false, false, false]);
    expect([blocks(await engine(call(NETWORK))), blocks(await cold(call(NETWORK)))]).toEqual([
      true,
      true,
    ]);
    const tools = (await eventsOf(desk)).map(
      ({ event_type, details }) => `${event_type} ${String(details["tool"])}`,
    );
    expect(tools.slice(tools.indexOf("tool_allowed Read"))).not.toContain("tool_allowed Bash");
  });

  test("is continued by the next engine, and by a person who clears a mark", async () => {
    const { desk, call, engine } = deskOf();
    await engine(call(SECRET));
    const { pid } = await desk.status();
    signal(pid, "SIGKILL");
    expect(blocks(await engine(call(NETWORK)))).toBe(true);
    expect(enginesIn(desk.folder)).toHaveLength(2);
    writeFileSync(join(desk.root, ".bylaw/operators.json"), OPERATORS, { mode: 0o600 });
    const clear = ["approve", "clear", "read-a-secret", "--run", "claude-code-s1", "--by", "ada"];
    const env = { BYLAW_OPERATOR_TOKEN: TOKENS.ada };
    expect(bylaw(clear, { cwd: desk.root, env })).toMatchObject({ code: 0 });
    expect(blocks(await engine(call(NETWORK)))).toBe(false);
  });

  test("denies if nothing can be recorded", async () => {
    const { desk, call, engine, cold } = deskOf();
    await engine(call(NETWORK));
    rmSync(join(desk.root, ".bylaw"), { recursive: true });
    writeFileSync(join(desk.root, ".bylaw"), "");
    for (const ask of [engine, cold, engine]) expect(blocks(await ask(call(TESTS)))).toBe(true);
    expect((await cold(call(TESTS))).stderr).toMatch(/Bylaw could not judge this/);
    rmSync(join(desk.root, ".bylaw"));
    for (const ask of [engine, cold]) expect(blocks(await ask(call(TESTS)))).toBe(false);
  });

  test("has a safe name, whatever the session's id is", async () => {
    const { desk, call, engine } = deskOf();
    const hostile = ["../../x", "a/b", "", "x".repeat(4_000), "ü‮", "s1 --run other"];
    for (const session of hostile) {
      await engine(call(SECRET, { session }));
      expect(blocks(await engine(call(NETWORK, { session })))).toBe(true);
    }
    expect(blocks(await engine(call(NETWORK, { session: "x" })))).toBe(false);
    const runs = jsonLines(bylaw(["log", "runs", "--json"], { cwd: desk.root })) as {
      run: string;
    }[];
    expect(runs).toHaveLength(hostile.length + 1);
    for (const { run: name } of runs) expect(name).toMatch(/^claude-code-(?:x|~[0-9a-f]{32})$/);
  });

  test("is not created if no rule looks at the past", async () => {
    const { desk, call, engine, cold } = deskOf();
    writeFileSync(join(desk.root, "rules.toml"), '[[rules]]\nname = "a"\naction = "allow"\n');
    const event = call(TESTS);
    for (const ask of [engine, cold])
      for (const one of [event, returned(event)]) expect((await ask(one)).code).toBe(0);
    expect(existsSync(join(desk.root, ".bylaw"))).toBe(false);
  });
});

describe("a call that another hook changed after Bylaw was asked", () => {
  const ended = (event: object, [, tool_input]: readonly [string, object]): object =>
    returned({ ...event, tool_input });

  test.each([
    ["by the engine", "engine"],
    ["without an engine", "cold"],
  ] as const)("is reported and on record if no rule allows it: %s", async (_, way) => {
    const { desk, call, [way]: ask } = deskOf();
    const ends = async (what: readonly [string, object], end = ended): Promise<string> => {
      const event = call(TESTS, { agent: "sub" });
      expect(blocks(await ask(event))).toBe(false);
      return (await ask(end(event, what))).stdout;
    };
    const told = (rule: string) => ({
      decision: "block",
      reason: expect.stringMatching(
        new RegExp(`^This call ran, but no rule allows it: .*\\(rule \`${rule}`),
      ),
    });
    const publish = bash("npm publish x");
    expect(JSON.parse(await ends(publish))).toEqual(told("publishing"));
    await ask(call(SECRET));
    expect(JSON.parse(await ends(NETWORK))).toEqual(told("no-network"));
    expect(await ends(NETWORK, (event, what) => failed(ended(event, what)))).toContain(
      "no-network",
    );
    // A rule allows it, or no rule covers it and the host decides.
    for (const what of [TESTS, bash("true")]) expect(await ends(what)).toBe("{}");
    const found = (await eventsOf(desk)).filter(
      ({ event_type: type }) => type === "forbidden_call_ran",
    );
    expect(found.map(({ agent_id, details }) => [agent_id, details])).toEqual(
      [publish, NETWORK, NETWORK].map(([tool, args]) => [
        "sub",
        {
          ...{ host: "claude-code", tool, args: JSON.stringify(args) },
          code: args === publish[1] ? "rule_asked" : "rule_denied",
        },
      ]),
    );
  });

  test("is no evidence, and not counted as a call", async () => {
    const { desk, call, engine } = deskOf();
    const event = call(TESTS);
    await engine(event);
    expect(await engine(ended(event, bash("true")))).toMatchObject({ code: 0, stdout: "{}" });
    expect(blocks(await engine(call(COMMIT)))).toBe(true);
    const types = (await eventsOf(desk)).map(({ event_type }) => event_type);
    expect(types).toEqual(["session_start", "tool_allowed", "tool_result", "tool_denied"]);
  });

  test("is reported if it was denied and ran anyway, and not if it ran as it was allowed", async () => {
    const { call, engine } = deskOf();
    const early = call(NETWORK);
    expect(blocks(await engine(early))).toBe(false);
    await engine(call(SECRET));
    expect((await engine(returned(early))).stdout).toBe("{}");
    const late = call(NETWORK);
    expect(blocks(await engine(late))).toBe(true);
    expect((await engine(returned(late))).stdout).toContain("no-network-after-a-secret");
  });

  test("is reported in a host that gives its calls no ids", async () => {
    const { desk, engine } = deskOf("copilot");
    const event = (command: string): object => ({
      ...{ sessionId: "s1", timestamp: 1, cwd: desk.root, toolName: "bash" },
      toolArgs: { command },
    });
    await engine(event("npm test"), "preToolUse");
    const told = await engine(event("git commit -m x"), "postToolUse");
    expect(told.stdout).toContain("commit-needs-tests");
  });
});

test("a host that gives its calls no ids takes a call as passed only if no equal call is open", async () => {
  const { desk, engine } = deskOf("copilot");
  const bash = (command: string, more: object = {}): object => ({
    ...{ sessionId: "s1", timestamp: 1, cwd: desk.root, toolName: "bash" },
    ...{ toolArgs: { command }, ...more },
  });
  const starts = async (command: string): Promise<boolean> =>
    copilot.blocks(outputOf(await engine(bash(command), "preToolUse")));
  const ends = async (command: string): Promise<void> => {
    const textResultForLlm = "\n<shellId: 0 completed with exit code 0>";
    const event = bash(command, { toolResult: { resultType: "success", textResultForLlm } });
    expect(await engine(event, "postToolUse")).toMatchObject({ code: 0, stdout: "{}" });
  };
  // An edit happens in between, and then the first call's result arrives.
  for (const command of ["npm test", "touch a", "npm test"]) await starts(command);
  await ends("npm test");
  expect(await starts("git commit -m x")).toBe(true);
  await ends("npm test");
  expect(await starts("git commit -m x")).toBe(true);
  await starts("npm test");
  await ends("npm test");
  expect(await starts("git commit -m x")).toBe(false);
  await starts("npm publish x");
  await ends("npm publish x");
  const results = (await eventsOf(desk, "copilot-s1")).filter(
    (one) => one.event_type === "tool_result",
  );
  expect(results.map(({ details }) => details["reported"] ?? false)).toEqual([
    ...[true, true, false, false],
  ]);
});

describe("a host that leaves out arguments of a changed call", () => {
  const RULES = `
[[marks]]
name = "made"
command = "mkdir first"
outcome = "passed"

[[rules]]
name = "rename"
action = "deny"
command = "mkdir last"
instead = { command = "mkdir first" }

[[rules]]
name = "first"
action = "allow"
command = ["mkdir first", "mkdir other"]
`;
  const options = { files: ["rules.toml"], discover: "none", operator: true };
  const FILES = {
    "rules.toml": RULES,
    "bylaw.config.json": JSON.stringify({ plugins: [{ use: "@bylaw/plugin-policy", options }] }),
  };
  // As version 0.225.2 sends them.
  const kept = { summary: "x", timeout: 10 };
  const event = (cwd: string, name: string, args: object): object => ({
    ...{ session_id: "s1", cwd, permission_mode: "auto-high", hook_event_name: name },
    ...{ tool_name: "Execute", tool_input: args },
    ...(name === "PostToolUse" ? { tool_response: "Command completed successfully" } : {}),
  });

  test("has its result on record, and as no evidence if another call could be meant", async () => {
    const { desk, engine } = deskOf("droid", FILES);
    const risk = { riskLevel: "low", riskLevelReason: "x" };
    const starts = async (command: string, more: object = risk): Promise<string> =>
      (await engine(event(desk.root, "PreToolUse", { command, ...kept, ...more }))).stdout;
    const ends = (command: string): Promise<unknown> =>
      engine(event(desk.root, "PostToolUse", { command, ...kept }));
    expect(await starts("mkdir last")).toContain('"command":"mkdir first"');
    await ends("mkdir first");
    // Not the result of a call that was never made, nor of one that was not changed.
    await ends("mkdir first");
    await starts("mkdir other");
    await ends("mkdir other");
    await starts("mkdir last");
    await starts("mkdir first", {});
    await ends("mkdir first");
    const events = await eventsOf(desk, "droid-s1");
    const ids = events.map(({ details }) => details["id"]);
    expect(
      events.map(({ event_type: type, details }) => [
        type,
        ids.indexOf(details["id"]),
        details["reported"] ?? false,
      ]),
    ).toEqual([
      ["session_start", 0, false],
      ["tool_denied", 1, false],
      ["tool_allowed", 1, false],
      ["tool_result", 1, false],
      ["tool_allowed", 4, false],
      ["tool_denied", 5, false],
      ["tool_allowed", 5, false],
      ["tool_allowed", 7, false],
      ["tool_result", 5, true],
    ]);
  });
});

test("a host that cannot ask records the question and the answer to it in the session's run", async () => {
  const { desk, call, engine } = deskOf("codex");
  const denies = async (what: readonly [string, object], more?: Call): Promise<string> => {
    const ran = await engine(call(what, more));
    return codex.blocks(outputOf(ran)) ? ran.stdout : "";
  };
  const publish = bash("npm publish x");
  const told = await denies(publish);
  const [line = ""] = /bylaw approve yes [^`]*/.exec(told) ?? [];
  expect(line).toContain("--run codex-s1 ");
  writeFileSync(join(desk.root, ".bylaw/operators.json"), OPERATORS, { mode: 0o600 });
  const words = line.replace("NAME", "ada").split(" ").slice(1);
  const env = { BYLAW_OPERATOR_TOKEN: TOKENS.ada };
  expect(bylaw(words, { cwd: desk.root, env })).toMatchObject({ code: 0 });
  expect(await denies(publish, { session: "s2" })).toMatch(/approve yes/);
  expect(await denies(publish)).toBe("");
  expect(await denies(publish)).toMatch(/approve yes/);
  expect(await denies(SECRET)).toBe("");
  expect(await denies(NETWORK)).toMatch(/no-network-after-a-secret/);
});
