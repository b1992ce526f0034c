import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMPLETED_PHASE } from "@bylaw/contract";
import { createKernel } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { describeExamples } from "@bylaw/testing";
import { examples } from "../examples.ts";
import { phases } from "../src/index.ts";
import { ALONE, CONTRACT, place, untested } from "./kit.ts";

describeExamples(examples, { describe, it });

const TEXT = readFileSync(CONTRACT, "utf8");
const kernel = () =>
  createKernel({ plugins: [phases({ contract: CONTRACT, elsewhere: [...ALONE] })] });
const begin = async (path: readonly string[]) => {
  const run = await openRun(kernel(), { run: "r1", store: createMemoryStore() });
  const enter = async (to: string, fields: object = {}) =>
    (await run.transition({ agent: "ann", task: "t1", to, artifacts: {}, ...fields })).decision;
  for (const to of path) expect((await enter(to)).effect, to).toBe("allow");
  return { run, enter };
};

describe("a transition", () => {
  it("follows the contract, and goes back from a rejected review (WF-118)", async () => {
    await begin(["PLAN", "TDD", "IMPL", "REVIEW", "IMPL", "REVIEW", "COMPLETE"]);
  });

  it("of a task in no phase leads only into the first", async () => {
    const { enter } = await begin([]);
    for (const to of ["TDD", "COMPLETE"]) expect((await enter(to)).code).toBe("phase_not_initial");
    expect((await enter("plan")).votes.map(({ code }) => code).sort()).toEqual([
      "phase_not_initial",
      "phase_target_unknown",
    ]);
  });

  it("that is not declared is refused, with the declared ones (WF-105)", async () => {
    const { enter } = await begin(["PLAN"]);
    for (const to of ["PLAN", "IMPL", "REVIEW", "COMPLETE"])
      expect((await enter(to)).code, to).toBe("phase_transition_undeclared");
    const decision = await enter("NOWHERE");
    expect(decision.votes.map(({ code }) => code).sort()).toEqual([
      "phase_target_unknown",
      "phase_transition_undeclared",
    ]);
    expect((await enter("IMPL")).reason).toContain("`TDD`");
  });

  it("begins in the phase from the log, whatever the caller says", async () => {
    const { run, enter } = await begin(["PLAN"]);
    expect((await enter("COMPLETE", { from: "REVIEW", phase: "REVIEW" })).code).toBe(
      "phase_transition_undeclared",
    );
    const forged = {
      id: "c",
      agent: "ann",
      task: "t1",
      phase: "IMPL",
      tool: "write_files",
      args: { path: "a" },
    };
    expect((await run.toolCall(forged)).decision.code).toBe("phase_tool_forbidden");
    expect((await run.toolCall({ ...forged, task: "t2" })).decision.code).toBe("phase_not_entered");
    expect((await run.toolCall({ ...forged, task: undefined } as never)).decision.code).not.toBe(
      "rule_allowed",
    );
  });

  it("from the last phase does not exist", async () => {
    const { enter } = await begin(["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE"]);
    for (const to of ["PLAN", "REVIEW", "COMPLETE"])
      expect((await enter(to)).code).toBe("phase_task_ended");
  });

  it("to completion is possible only from the last phase, once, and ends everything that the task may do", async () => {
    const { run, enter } = await begin(["PLAN"]);
    expect((await enter(COMPLETED_PHASE, {})).code).toBe("phase_not_last");
    for (const to of ["TDD", "IMPL", "REVIEW"]) {
      expect((await enter(to)).effect).toBe("allow");
      const { code, reason } = await enter(COMPLETED_PHASE);
      expect([code, reason.includes("it can in `COMPLETE`")]).toEqual(["phase_not_last", true]);
    }
    expect((await enter("COMPLETE")).effect).toBe("allow");
    expect((await enter("REVIEW")).fix).toContain(`\`${COMPLETED_PHASE}\``);
    expect((await enter(COMPLETED_PHASE)).effect).toBe("allow");
    const again = await Promise.all(
      [COMPLETED_PHASE, "COMPLETE", "PLAN", "TDD"].map((to) => enter(to)),
    );
    expect(again.map(({ code }) => code)).toEqual(again.map(() => "phase_task_completed"));
    expect((await enter("NOWHERE")).votes.map(({ code }) => code).sort()).toEqual([
      "phase_target_unknown",
      "phase_task_completed",
    ]);
    for (const tool of ["read_files", "bash", "git_commit"]) {
      const call = {
        agent: "ann",
        task: "t1",
        tool,
        args: tool === "bash" ? { command: "git status" } : {},
      };
      expect((await run.toolCall(call)).decision.code, tool).toBe("phase_task_completed");
    }
    const write = {
      agent: "ann",
      task: "t1",
      tool: "bash",
      args: { command: "echo x > agent_workflow.yaml" },
    };
    expect((await run.toolCall(write)).decision.effect).toBe("deny");
  });

  it("to completion is refused for a task that is in no phase", async () => {
    const { enter } = await begin([]);
    expect((await enter(COMPLETED_PHASE)).votes.map(({ code }) => code)).toEqual([
      "phase_not_initial",
    ]);
    const { enter: other } = await begin(["PLAN"]);
    for (const to of ["@Completed", "@completed ", "completed", "COMPLETED"])
      expect((await other(to)).effect, to).toBe("deny");
  });

  it("of two simultaneous ones succeeds once (WF-115)", async () => {
    const { enter } = await begin(["PLAN"]);
    const codes = (await Promise.all([enter("TDD"), enter("TDD")])).map(({ effect }) => effect);
    expect(codes.sort()).toEqual(["allow", "deny"]);
  });

  it("and a call that are denied are on record (WF-113)", async () => {
    const store = createMemoryStore();
    const run = await openRun(kernel(), { run: "r1", store });
    await run.transition({ agent: "ann", task: "t1", to: "IMPL", artifacts: {} });
    await run.toolCall({
      id: "c",
      agent: "ann",
      task: "t1",
      tool: "bash",
      args: { command: "ls" },
    });
    const types = (await store.events("r1", 0, 10)).map(({ event_type }) => event_type);
    expect(types).toEqual(["session_start", "transition_blocked", "tool_denied"]);
  });
});

describe("a contract", () => {
  it("in another mode than the configuration's is refused", () => {
    const other = TEXT.replace("mode: strict", "mode: permissive");
    expect(() => place({}, other)).not.toThrow();
    expect(() => place({ mode: "advisory" }, other)).toFailWith("BYLAW_PHASE_MODE_DIFFERS");
    expect(() => place({ mode: "permissive" }, other)).not.toThrow();
    const firmer = other.replace(
      "mode: permissive",
      "mode: permissive\n  tool_enforcement: { violation_action: reject }",
    );
    expect(() => place({}, firmer)).not.toThrow();
  });

  it("that only warns about tool calls allows them and records what would be denied", async () => {
    const { ask } = place(
      {},
      TEXT.replace("mode: strict", "mode: strict\n  tool_enforcement: { violation_action: warn }"),
    );
    const { effect, votes } = await ask("PLAN", "bash", { command: "ls" });
    expect(effect).toBe("allow");
    expect(votes.filter((vote) => vote.shadow === true).map((vote) => vote.code)).toEqual([
      "phase_tool_forbidden",
    ]);
    expect((await ask("IMPL", "write_files", { path: "agent_workflow.yaml" })).effect).toBe("deny");
    for (const phase of [undefined, "PLAN", "REVIEW", "IMPL", "NOWHERE"]) {
      for (const command of [
        "echo x > agent_workflow.yaml",
        "rm -rf .",
        "eval $X; sed -i s/a/b/ agent_workflow.yaml",
        "frob; mv agent_workflow.yaml b",
      ]) {
        expect((await ask(phase, "bash", { command })).code, `${phase} ${command}`).toBe(
          "phase_protected",
        );
      }
    }
  });

  it("that only warns about tool calls still allows none after completion", async () => {
    const { ask } = place(
      {},
      TEXT.replace("mode: strict", "mode: strict\n  tool_enforcement: { violation_action: log }"),
    );
    for (const [tool, args] of [
      ["read_files", { path: "src/a.ts" }],
      ["bash", { command: "git commit -m x" }],
    ] as const)
      expect(await ask(COMPLETED_PHASE, tool, args)).toMatchObject({
        effect: "deny",
        code: "phase_task_completed",
      });
  });

  it("that does not judge tool calls still protects itself", async () => {
    const text = TEXT.replace("bylaw: 1\n", "")
      .replace(/^tools: .*\n/m, "")
      .replace(", mcp__tracker__get_issue]", "]")
      .replace(", deploy]", "]");
    const original = untested(text.replace(/  - \{ from: REVIEW, to: IMPL.*\n/, ""));
    const { ask } = place(
      {},
      original.replace("mode: strict", "mode: strict\n  tool_enforcement: { enabled: false }"),
    );
    expect((await ask("PLAN", "bash", { command: "ls" })).votes).toEqual([]);
    expect((await ask("PLAN", "write_files", { path: "agent_workflow.yaml" })).code).toBe(
      "phase_protected",
    );
    for (const phase of ["PLAN", "IMPL", undefined])
      expect((await ask(phase, "bash", { command: "echo x > agent_workflow.yaml" })).code).toBe(
        "phase_protected",
      );
  });

  it("has the same decision in every mode, with three effects (WF-117)", async () => {
    const answers = [];
    for (const mode of ["strict", "permissive", "advisory"] as const) {
      const { folder } = place({ mode }, TEXT.replace("mode: strict", `mode: ${mode}`));
      const plugin = phases({
        contract: `${folder}/agent_workflow.yaml`,
        mode,
        elsewhere: [...ALONE],
      });
      const run = await openRun(createKernel({ plugins: [plugin], enforcement_mode: mode }), {
        run: "r1",
        store: createMemoryStore(),
      });
      await run.transition({ agent: "ann", task: "t1", to: "PLAN", artifacts: {} });
      const { decision, applied } = await run.toolCall({
        id: "c",
        agent: "ann",
        task: "t1",
        tool: "bash",
        args: { command: "ls" },
      });
      answers.push([decision.effect, decision.code, applied]);
    }
    expect(answers).toEqual([
      ["deny", "phase_tool_forbidden", "deny"],
      ["deny", "phase_tool_forbidden", "allow"],
      ["deny", "phase_tool_forbidden", "allow"],
    ]);
  });

  it("with an empty list allows nothing of its kind", async () => {
    const text = TEXT.replace(
      'allowed_patterns: ["tests/**/*.ts", "**/*.test.*"]',
      "allowed_patterns: []",
    ).replace("allowed_commands: [pytest, npm test, npm run test]", "allowed_commands: []");
    const { code, line } = place({}, text);
    expect(await code("TDD", "write_files", { path: "tests/a.ts" })).toBe("phase_path_not_allowed");
    expect(await line("TDD", "npm test")).toBe("phase_command_not_allowed");
  });

  it("with a constraint that cannot be enforced does not load", () => {
    const constrained = (tool: string): string =>
      TEXT.replace(
        "      bash:\n        allowed_commands",
        `      ${tool}:\n        allowed_commands`,
      );
    const both = TEXT.replace(
      "run_tests, deploy]\n    forbidden_tools: [git_commit]\n    tool_constraints:",
      "$&\n      deploy:\n        allowed_commands: [staging]",
    );
    expect(both).not.toBe(TEXT);
    expect(() => place({}, both)).toFailWith("BYLAW_PHASE_PATTERN_INVALID");
    expect(() => place({ shell: { deploy: "line" } }, both)).not.toThrow();
    expect(() => place({}, constrained("web_fetch"))).toThrow(/cannot be enforced|does not allow/);
  });

  it("that restricts reading restricts lines too", async () => {
    const text = TEXT.replace(
      "run_tests, deploy]\n    forbidden_tools: [git_commit]\n    tool_constraints:",
      '$&\n      read_files:\n        forbidden_patterns: ["secret/**"]',
    );
    expect(text).not.toBe(TEXT);
    const { code, line } = place({}, text);
    expect(await code("IMPL", "read_files", { path: "secret/key" })).toBe("phase_path_forbidden");
    for (const command of [
      "cat secret/key",
      "cd secret && cat key",
      "cp secret/key src/a",
      "wc -l < secret/key",
    ]) {
      expect(await line("IMPL", command), command).toBe("phase_path_forbidden");
    }
    for (const command of ["grep -r x .", "cat secret/*", "cat $FILE", "tar cf x.tar ."]) {
      expect(["unknown_path", "unknown_command", "phase_path_forbidden"], command).toContain(
        await line("IMPL", command),
      );
    }
    expect(await line("IMPL", "cat src/a.ts && grep -r x src")).toBe("rule_allowed");
  });

  it("that names a host's tool with lines has them read", async () => {
    const text = TEXT.replace("run_tests, deploy]", "run_tests, deploy, terminal]").replace(
      "tools: [deploy,",
      "tools: [terminal, deploy,",
    );
    const { code } = place({ shell: { terminal: "line" } }, text);
    expect(await code("IMPL", "terminal", { line: "npm test" })).toBe("rule_allowed");
    expect(await code("IMPL", "terminal", { line: "echo x > .env" })).toBe("phase_path_forbidden");
    expect(await code("IMPL", "terminal", { command: "ls" })).toBe("unknown_command");
  });

  it("with a pattern that cannot be enforced does not load", () => {
    for (const pattern of ["../x/**", "a\\\\b", "@(a|b)/**"]) {
      const text = TEXT.replace(
        'forbidden_patterns: ["src/**/*"]',
        `forbidden_patterns: ["${pattern}"]`,
      );
      expect(() => place({}, text), pattern).toThrow(/cannot be enforced|does not allow/);
    }
    expect(() => phases({ contract: "" })).toFailWith("BYLAW_OPTIONS_INVALID");
    expect(() => createKernel({ plugins: [phases({ contract: "absent.yaml" })] })).toFailWith(
      "BYLAW_CONTRACT_UNREADABLE",
    );
  });

  it("applies its constraint on write_files to edit_files if that has none", async () => {
    const original = TEXT.replace("bylaw: 1\n", "")
      .replace(/ {6}edit_files:\n {8}allowed.*\n.*\n/, "")
      .replace(/ {6}edit_files:\n {8}forbidden.*\n/, "");
    expect(original).not.toMatch(/^ {6}edit_files:/m);
    const text = original
      .replace(/^tools: .*\n/m, "")
      .replace(", mcp__tracker__get_issue]", "]")
      .replace(", deploy]", "]")
      .replace(", when: rejected", "");
    const { code } = place({}, untested(text.replace(/  - \{ from: REVIEW, to: IMPL.*\n/, "")));
    expect(await code("TDD", "edit_files", { path: "src/a.ts" })).toBe("phase_path_forbidden");
    expect(await code("TDD", "edit_files", { path: "tests/a.ts" })).toBe("rule_allowed");
  });
});
