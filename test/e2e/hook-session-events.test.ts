import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { copilot } from "@bylaw/host-copilot";
import { describe, expect, test } from "vitest";
import { bylaw } from "./bylaw.ts";
import { NETWORK, SECRET, bash, blocks, deskOf, eventsOf, outputOf } from "./hook-sessions-kit.ts";

const PROMPT = "use the key sk-live-1234 to deploy";
const SILENT = { code: 0, stdout: "{}", stderr: "" };

/** An event of Claude Code in the session `s1`. */
const told = (hook_event_name: string, more: object = {}): object => ({
  ...{ hook_event_name, session_id: "s1", cwd: "/tmp", ...more },
});
const prompted = (prompt_id: string): object =>
  told("UserPromptSubmit", { prompt: PROMPT, prompt_id });
const sub = { prompt_id: "p1", agent_id: "a1", agent_type: "Explore" };
const SESSION: readonly object[] = [
  told("SessionStart", { source: "startup" }),
  prompted("p1"),
  told("SubagentStart", sub),
  told("SubagentStop", sub),
  prompted("p2"),
  told("SessionEnd", { reason: "other" }),
];

describe("the events of a session", () => {
  test.each([
    ["by the engine", "engine"],
    ["without an engine", "cold"],
  ] as const)("are in its run, without the text of prompts: %s", async (_, way) => {
    const { desk, [way]: ask } = deskOf();
    for (const event of SESSION) expect(await ask(event)).toEqual(SILENT);
    const digest = `sha256:${createHash("sha256").update(PROMPT).digest("hex")}`;
    const asked = { host: "claude-code", digest, bytes: PROMPT.length };
    const kind = { host: "claude-code", agent_type: "Explore" };
    expect(
      (await eventsOf(desk)).map(({ event_type, agent_id, details }) => [
        event_type,
        agent_id,
        details,
      ]),
    ).toEqual([
      ["session_start", null, { plan_file: null, total_tasks: 0 }],
      ["host_session_started", null, { host: "claude-code", source: "startup" }],
      ["prompt_submitted", null, asked],
      ["subagent_started", "a1", kind],
      ["subagent_stopped", "a1", kind],
      ["prompt_submitted", null, asked],
      ["host_session_ended", null, { host: "claude-code", reason: "other" }],
    ]);
    const folder = join(desk.root, ".bylaw");
    const kept = readdirSync(folder).map((file) => readFileSync(join(folder, file), "latin1"));
    expect(kept.join()).not.toContain("sk-live-1234");
  });

  test("are recorded once where the host gives an id, and fit the strict catalogue", async () => {
    const { desk, engine, cold } = deskOf();
    for (const ask of [engine, cold, engine])
      for (const event of SESSION.slice(1, 5)) await ask(event);
    expect((await eventsOf(desk)).map(({ event_type }) => event_type)).toEqual([
      ...["session_start", "prompt_submitted", "subagent_started", "subagent_stopped"],
      "prompt_submitted",
    ]);
    const log = ["--store", ".bylaw/store.db", "--run", "claude-code-s1"];
    const verify = ["log", "verify", ...log, "--catalogue", "strict"];
    expect(bylaw(verify, { cwd: desk.root })).toMatchObject({ code: 0 });
  });

  test("hold nobody up if they cannot be recorded, but calls are denied", async () => {
    const { desk, call, engine, cold } = deskOf();
    writeFileSync(join(desk.root, ".bylaw"), "");
    for (const ask of [engine, cold]) {
      const { stderr, ...answer } = await ask(prompted("p1"));
      expect(answer).toEqual({ code: 0, stdout: "{}" });
      expect(stderr).toMatch(/Bylaw could not record this/);
      expect(blocks(await ask(call(NETWORK)))).toBe(true);
    }
  });

  test("create no store if no rule looks at the past", async () => {
    const { desk, engine, cold } = deskOf();
    writeFileSync(join(desk.root, "rules.toml"), '[[rules]]\nname = "a"\naction = "allow"\n');
    for (const ask of [engine, cold])
      expect(await ask(prompted("p1"))).toMatchObject({ code: 0, stdout: "{}" });
    expect(existsSync(join(desk.root, ".bylaw"))).toBe(false);
  });
});

describe("a sub-agent of Copilot CLI, which has a session of its own", () => {
  const desk = () => {
    const { engine, cold, desk: own } = deskOf("copilot");
    const { root: cwd } = own;
    let at = 0;
    const eventOf = (more: object): object => ({ timestamp: (at += 1), cwd, ...more });
    return {
      own,
      /** Starts an agent in another one. The real event of a deeper agent names no known session. */
      starts: (agentId: string, parentAgentId: string, sessionId = parentAgentId) =>
        engine(eventOf({ sessionId, agentId, parentAgentId }), "subagentStart"),
      calls: async (
        [tool, args]: readonly [string, object],
        [agentId, parentAgentId]: readonly string[] = [],
      ): Promise<boolean[]> => {
        const toolName = tool === "Bash" ? "bash" : tool;
        const who = agentId === undefined ? {} : { agentId, parentAgentId };
        const asked = [engine, cold].map(async (ask) => {
          const event = eventOf({ sessionId: agentId ?? "s1", toolName, toolArgs: args, ...who });
          return copilot.blocks(outputOf(await ask(event, "preToolUse")));
        });
        return await Promise.all(asked);
      },
    };
  };
  const SUB = ["a1", "s1"];
  const DEEP = ["a2", "a1"];

  test("shares the run of the session with the agents below it", async () => {
    const { own, starts, calls } = desk();
    await calls(bash("ls"));
    await starts("a1", "s1");
    await starts("a2", "a1", "unknown");
    expect(await calls(NETWORK, DEEP)).toEqual([false, false]);
    await calls(SECRET, SUB);
    expect(await calls(NETWORK)).toEqual([true, true]);
    expect(await calls(NETWORK, DEEP)).toEqual([true, true]);
    const agents = (await eventsOf(own, "copilot-s1")).map(({ agent_id }) => agent_id);
    expect(new Set(agents)).toEqual(new Set([null, "a1", "a2"]));
  });

  test("cannot leave that run by reporting another one", async () => {
    const { own, starts, calls } = desk();
    await starts("a1", "s1");
    await calls(SECRET, SUB);
    // Neither the session, nor an agent that has started, gets another run.
    await starts("s1", "fresh");
    await starts("a1", "fresh");
    rmSync(own.place.socket);
    expect(await calls(NETWORK)).toEqual([true, true]);
    expect(await calls(NETWORK, DEEP)).toEqual([true, true]);
  });
});
