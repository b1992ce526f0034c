import { join } from "node:path";
import { claudeCode } from "@bylaw/host-claude-code";
import { expect, test } from "vitest";
import { json, jsonLines, type Ran } from "./bylaw.ts";
import { deskOf, type Desk } from "./hosts-kit.ts";

const desk = (text: string): Desk => {
  const one = deskOf({ "rules/bylaw.config.mjs": text }, ".claude/settings.json", (project) => ({
    CLAUDE_PROJECT_DIR: project,
  }));
  expect(one.bylaw("install", "claude-code", "--config", configOf(one))).toMatchObject({ code: 0 });
  return one;
};
const configOf = ({ home }: Desk): string => join(home, "rules/bylaw.config.mjs");

/** Rules by which no agent is ever done. `how`: what the refusal says besides its reason. */
const neverDone = (how: object): string => `import { coordinator } from "@bylaw/plugin-coordinator";
import { defineCheck, deny } from "@bylaw/kernel";
const check = () => deny("Run the tests.", undefined, ${JSON.stringify(how)});
export default {
  fallback: "allow",
  plugins: [coordinator(), defineCheck({ name: "tests", hook: "onEnforcement", check })],
};`;

const LS = { command: "ls", description: "x" };
const call = ({ event, project }: Desk, tool_use_id: string): Ran =>
  event({ ...claudeCode.shellCall("ls", project), tool_input: LS, session_id: "s", tool_use_id });
const stop = ({ event, project }: Desk): Ran =>
  event({ hook_event_name: "Stop", session_id: "s", cwd: project, stop_hook_active: false });
const inLog = ({ bylaw, home }: Desk, ...words: readonly string[]): Ran =>
  bylaw("log", ...words, "--store", join(home, "rules/.bylaw/store.db"), "--run", "claude-code-s");

test("a session whose run has ended is denied each call and told to halt, and may stop", () => {
  const one = desk(neverDone({}));
  expect(call(one, "toolu_1")).toEqual({ code: 0, stdout: "{}", stderr: "" });
  expect(json(stop(one))).toEqual({ decision: "block", reason: "Run the tests." });
  const end = ["--type", "workflow_failed", "--details", '{"reason":"x","last_state":"x"}'];
  expect(inLog(one, "append", ...end, "--config", configOf(one))).toMatchObject({ code: 0 });
  const reason = "The run ended with `workflow_failed`.";
  for (const id of ["toolu_2", "toolu_3"])
    expect(json(call(one, id))).toEqual({
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: reason,
      },
      ...{ continue: false, stopReason: reason },
    });
  expect(stop(one)).toEqual({ code: 0, stdout: "{}", stderr: "" });
});

test("a response after which the turn must end is refused no stop, and that is on record", () => {
  const one = desk(neverDone({ recovery: "end" }));
  expect(call(one, "toolu_1").stdout).toBe("{}");
  expect(stop(one)).toEqual({ code: 0, stdout: "{}", stderr: "" });
  const types = jsonLines(inLog(one, "query", "--json")).map((event) => event["event_type"]);
  expect(types).toContain("stop_gate_gave_up");
});
