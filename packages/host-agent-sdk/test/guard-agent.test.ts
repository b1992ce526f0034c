import { allow, ask, createKernel, definePlugin, deny } from "@bylaw/kernel";
import { defineLifecycle, openRun } from "@bylaw/log";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { guardAgent, type GuardOptions } from "../src/index.ts";

const rules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  grants: true,
  codes: { phase_tool_not_allowed: "the phase does not name the tool" },
  apply({ hooks }) {
    hooks.beforeToolCall.tap("lines", ({ tool, args, cwd, agent, server, phase }) => {
      if (tool === "Write" && phase === "PLAN")
        return deny("Not in PLAN.", undefined, { code: "phase_tool_not_allowed" });
      const { command = "" } = args as { readonly command?: string };
      if (command === "broken") throw new Error("The rule is broken");
      if (command === "push" && cwd !== "/w") return deny("Only in `/w`.");
      if (agent === "sub") return deny("A sub-agent may not.");
      if (server === "github") return deny("Not this server.");
      const instead = { instead: { command: command.slice(command.indexOf(">") + 1) } };
      if (command.startsWith("deny>")) return deny("Not this.", undefined, instead);
      if (command.startsWith("ask>")) return ask("A person has to look.", undefined, instead);
      if (command === "uncovered") return undefined;
      return command === "push" ? ask("This pushes.") : allow("Free.");
    });
    hooks.onTransition.tap("all", () => allow("All phases may be entered."));
    hooks.onEnforcement.tap("tests", ({ text = "" }) =>
      text.includes("tests pass") ? undefined : deny("Run the tests."),
    );
  },
})();
const NOTHING = { in_progress_tasks_count: 0, pending_audit_count: 0, completed_tasks_count: 0 };
// The work ends with the result of a tool that reports it.
const work = defineLifecycle<string | null>({
  ...{ name: "test/work", version: 1, initial: null },
  reduce: (end, { details }) => (details["tool"] === "Finish" ? "finished" : end),
  resume: () => ({ counts: NOTHING, events: [] }),
  endedBy: (end) => end,
});
const life = definePlugin({
  name: "life",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.projection(work);
    kernel.guard("over", (view) =>
      view(work) === null ? undefined : { rule: "OVER", message: "The work is over." },
    );
  },
})();
async function openKit(options: Partial<GuardOptions> = {}) {
  const kernel = createKernel({ plugins: [rules, life], fallback: "allow" });
  const run = await openRun(kernel, { run: "r" });
  const guard = guardAgent({ kernel, run, home: "/h", ...options });
  const fire = async (event: keyof typeof guard.hooks, fields: object) =>
    guard.hooks[event][0]?.hooks[0]?.({ ...COMMON, hook_event_name: event, ...fields });
  return { ...guard, run, fire };
}

// The fields that version 0.3.330 sends.
const COMMON = {
  session_id: "00000000-0000-0000-0000-000000000000",
  transcript_path: "/h/.claude/projects/w/0.jsonl",
  cwd: "/w",
  prompt_id: "00000000-0000-0000-0000-000000000001",
  permission_mode: "default",
};
const bash = (command: string, id = "toolu_1") => ({
  ...{ tool_name: "Bash", tool_input: { command }, tool_use_id: id },
});
const decided = (permissionDecision: string, permissionDecisionReason: string) => ({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, permissionDecisionReason },
});
const use = { toolUseID: "toolu_1" };

it("has no opinion about an allowed call, and records how it ended", async () => {
  const { fire, canUseTool, run } = await openKit();
  expect(await fire("PreToolUse", bash("ls"))).toEqual({});
  expect(await canUseTool("Bash", { command: "ls" }, use)).toEqual({
    behavior: "allow",
    updatedInput: { command: "ls" },
  });
  expect(await fire("PostToolUse", bash("ls"))).toEqual({});
  expect(run.head).toBe(3);
});

it("denies in the hook, for sub-agents, servers and folders too", async () => {
  const { fire } = await openKit();
  expect(await fire("PreToolUse", { ...bash("push"), cwd: "/other" })).toEqual(
    decided("deny", "Only in `/w`."),
  );
  expect(await fire("PreToolUse", { ...bash("ls"), agent_id: "sub" })).toEqual(
    decided("deny", "A sub-agent may not."),
  );
  const mcp = {
    tool_name: "mcp__a__b__c",
    tool_input: {},
    mcp_server: { name: "github", source: "user" },
  };
  expect(await fire("PreToolUse", mcp)).toEqual(decided("deny", "Not this server."));
});

it("denies a call after the end of the run, and ends the turn", async () => {
  const { fire, run } = await openKit();
  await run.toolResult({ id: "t1", tool: "Finish", ok: true, result: null });
  const reason = "The run ended with `finished`.";
  expect(await fire("PreToolUse", bash("ls"))).toEqual({
    ...decided("deny", reason),
    ...{ continue: false, stopReason: reason },
  });
});

it.each([
  ["a rule that fails", bash("broken")],
  ["a call without a tool", { tool_name: undefined, tool_input: {} }],
  ["arguments that are not an object", { tool_name: "Bash", tool_input: "ls" }],
  ["a folder that is not absolute", { ...bash("ls"), cwd: "w" }],
])("denies %s", async (_, event) => {
  const { fire } = await openKit();
  expect(await fire("PreToolUse", event)).toMatchObject({
    hookSpecificOutput: { permissionDecision: "deny" },
  });
});

it("blocks if the hook itself fails", async () => {
  const { hooks } = await openKit();
  for (const [matcher] of Object.values(hooks)) expect(matcher?.onFailure).toBe("block");
});

it("asks a person, and lets exactly the approved call run, once", async () => {
  const asked: unknown[] = [];
  const { fire, canUseTool, run } = await openKit({
    ask: (question) => ({ approved: asked.push(question) > 0, by: "ada" }),
  });
  expect(await fire("PreToolUse", bash("push"))).toEqual(decided("ask", "This pushes."));
  expect(await canUseTool("Bash", { command: "push" }, use)).toEqual({
    behavior: "allow",
    updatedInput: { command: "push" },
  });
  expect(asked).toMatchObject([
    { tool: "Bash", args: { command: "push" }, reason: "This pushes." },
  ]);
  await fire("PostToolUse", bash("push"));
  // Asked, approved, allowed, done.
  expect(run.head).toBe(5);
  expect(await fire("PreToolUse", bash("push", "toolu_2"))).toEqual(decided("ask", "This pushes."));
});

it("denies a call that a person refuses, that nobody can approve, or about which asking failed", async () => {
  const answers = {
    refused: () => ({ approved: false, by: "ada", reason: "Not now" }),
    down: () => Promise.reject(new Error("The chat is down")),
  };
  const told = async (options: Partial<GuardOptions>) => {
    const { fire, canUseTool } = await openKit(options);
    await fire("PreToolUse", bash("push"));
    return await canUseTool("Bash", { command: "push" }, use);
  };
  expect(await told({ ask: answers.refused })).toEqual({
    behavior: "deny",
    message: "A person (ada) refused this call: Not now",
  });
  expect(await told({ ask: answers.down })).toEqual({
    behavior: "deny",
    message: "The chat is down",
  });
  expect(await told({})).toEqual({
    behavior: "deny",
    message: expect.stringMatching(
      /^This pushes\. A person must approve .*`[\da-f]{16}`/,
    ) as string,
  });
});

it("judges a call that the SDK asks about without running the hook first", async () => {
  const { canUseTool } = await openKit();
  expect(await canUseTool("Bash", { command: "broken" }, use)).toMatchObject({ behavior: "deny" });
});

it("names the tools that the phase of the task does not allow", async () => {
  const { disallowedTools, run } = await openKit({ task: "t1" });
  await run.transition({ task: "t1", to: "PLAN", artifacts: {} });
  expect(await disallowedTools(["Bash", "Write"])).toEqual(["Write"]);
});

it("does not let the agent stop until its last message complies or its attempts are used up", async () => {
  const { fire } = await openKit();
  const stop = { stop_hook_active: false, last_assistant_message: "Done" };
  const block = { decision: "block", reason: "Run the tests." };
  expect(await fire("Stop", stop)).toEqual(block);
  expect(await fire("Stop", { last_assistant_message: "The tests pass" })).toEqual({});
  const { fire: other } = await openKit();
  expect([await other("Stop", stop), await other("Stop", stop)]).toEqual([block, block]);
  expect(await other("Stop", stop)).toEqual({});
});

describe("a call for which a rule offers another", () => {
  const nobody = () => {
    throw new Error("No person is asked");
  };

  it.each(["deny>ls", "ask>ls"])(
    "runs as the other, whatever the SDK asks: %s",
    async (command) => {
      const { fire, canUseTool, run } = await openKit({ ask: nobody });
      const made = { ...bash(command), tool_input: { command, timeout: 5 } };
      const input = { command: "ls", timeout: 5 };
      expect(await fire("PreToolUse", made)).toEqual({
        hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: input },
      });
      const allowed = { behavior: "allow", updatedInput: input };
      expect(await canUseTool("Bash", input, use)).toEqual(allowed);
      expect(await canUseTool("Bash", made.tool_input, use)).toEqual(allowed);
      await fire("PostToolUse", { ...bash("ls"), tool_input: input });
      // Begun, denied or asked, allowed, done.
      expect(run.head).toBe(4);
      await fire("PreToolUse", made);
      // Another permission takes other decisions.
      expect(run.head).toBeGreaterThan(4);
    },
  );

  it.each([
    ["deny>push", "deny", "Not this. Use `push` instead."],
    ["deny>broken", "deny", "Not this."],
    ["deny>uncovered", "deny", "Not this. Use `uncovered` instead."],
    ["ask>uncovered", "ask", "A person has to look. Use `uncovered` instead."],
  ])("stays as it is unless a rule allows the other: %s", async (command, effect, reason) => {
    const { fire, canUseTool } = await openKit();
    expect(await fire("PreToolUse", bash(command))).toEqual(decided(effect, reason));
    expect(await canUseTool("Bash", { command }, use)).toMatchObject({ behavior: "deny" });
  });

  it("does not permit a third one under its id", async () => {
    const { fire, canUseTool } = await openKit();
    await fire("PreToolUse", bash("deny>ls"));
    expect(await canUseTool("Bash", { command: "broken" }, use)).toMatchObject({
      behavior: "deny",
    });
  });

  it("runs as it is after a person's yes, which is for no other", async () => {
    const asked: unknown[] = [];
    const { fire, canUseTool } = await openKit({
      ask: ({ args }) => ({ approved: asked.push(args) === 1 }),
    });
    await fire("PreToolUse", bash("ask>push"));
    expect(await canUseTool("Bash", { command: "ask>push" }, use)).toEqual({
      behavior: "allow",
      updatedInput: { command: "ask>push" },
    });
    expect(await canUseTool("Bash", { command: "push" }, use)).toMatchObject({ behavior: "deny" });
    expect(asked).toEqual([{ command: "ask>push" }, { command: "push" }]);
  });
});
