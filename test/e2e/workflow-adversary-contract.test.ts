import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { lintContract, loadContract, migrateContract } from "@bylaw/contract";
import { createKernel, type JsonObject } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { artifacts } from "@bylaw/plugin-artifacts";
import { gates } from "@bylaw/plugin-gates";
import { phases } from "@bylaw/plugin-phases";
import { tokens } from "@bylaw/plugin-tokens";
import { scratch } from "./bylaw.ts";
import { AGENT, HANDED, SHIPPED, TASK, beginWalk, blockers, walkTo } from "./workflow-walk-kit.ts";

const ORIGINAL = join(
  import.meta.dirname,
  "../../packages/contract/test/fixtures/agent_workflow.yaml",
);
const PLAN = HANDED.plan;

describe("a contract that frees an agent", () => {
  it.each([
    [
      "an unknown check (defects 5 and 6)",
      (text: string) => text.replace('check: "scope_is_bounded"', 'check: "tests_initially_fail"'),
    ],
    [
      "an unknown gate",
      (text: string) => text.replace('gate: "plan_approval"', 'gate: "plan_aproval"'),
    ],
    [
      "a mode of other documents (defect 7)",
      (text: string) => text.replace('mode: "strict"', 'mode: "audit"'),
    ],
    [
      "no transitions and no enforcement (defect 6)",
      (text: string) => text.slice(0, text.indexOf("\ntransitions:")),
    ],
    [
      "a key that nobody reads",
      (text: string) => text.replace("auto_advance: true", "auto_advanced: true"),
    ],
  ])("does not load: %s", (_, change) => {
    expect(lintContract(SHIPPED, "agent_workflow.yaml").contract).toBeDefined();
    const { contract, findings } = lintContract(change(SHIPPED), "agent_workflow.yaml");
    expect(contract).toBeUndefined();
    expect(findings.filter(({ severity }) => severity === "error").length).toBeGreaterThan(0);
  });

  it("is never enforced in part: without gates or tokens it does not load, and a changed one is another policy", async () => {
    const walk = await beginWalk();
    for (const plugins of [
      [],
      [gates({ contract: walk.file })],
      [tokens({ contract: walk.file, keys: [{ id: "walk", env: "ORCHESTRATOR_JWT_SECRET" }] })],
    ]) {
      expect(() =>
        createKernel({ plugins: [phases({ contract: walk.file }), ...plugins] }),
      ).toFailWith("BYLAW_CONTRACT_UNENFORCED");
    }
    const before = loadContract(walk.file).digest;
    walk.put(
      "agent_workflow.yaml",
      walk.text("agent_workflow.yaml").replace("threshold: 80", "threshold: 8"),
    );
    expect(loadContract(walk.file).digest).not.toBe(before);
    // An open run continues under the contract with which it was opened.
    await walkTo(walk, "PLAN");
    expect(blockers(await walk.move("TDD", PLAN))).toEqual(["gate_pending"]);
    const other = await openRun(createKernel({ plugins: [] }), { run: "other" });
    await expect(
      other.record([{ event_type: "gate_decided", agent_id: AGENT, task_id: TASK, details: {} }]),
    ).rejects.toFailWith("BYLAW_EVENT_INVALID");
    await other.close();
  });
});

describe("the original contract", () => {
  // It does not say how its tests run, so its migration is for a project that does.
  const argv = ["node", "--test"];
  const testCommand = { argv, format: "tap", report: "r.tap", source: "package.json" } as const;
  const { text } = migrateContract(readFileSync(ORIGINAL, "utf8"), ORIGINAL, { testCommand });

  it("restricts tools, paths and commands (defect 4)", async () => {
    const contract = join(scratch({ "agent_workflow.yaml": text }), "agent_workflow.yaml");
    const elsewhere = ["gates", "tokens"] as const;
    const kernel = createKernel({
      plugins: [phases({ contract, elsewhere: [...elsewhere] }), artifacts({ contract })],
    });
    const call = {
      hook: "beforeToolCall",
      task: TASK,
      phase: "TDD",
      cwd: "/srv/repo",
      workspace: "/srv/repo",
    } as const;
    const code = async (tool: string, args: JsonObject): Promise<string> =>
      (await kernel.decide({ ...call, tool, args })).code;
    expect(await code("edit_files", { path: "src/a.ts" })).toBe("phase_path_forbidden");
    expect(await code("edit_files", { path: "tests/a.ts" })).toBe("rule_allowed");
    expect(await code("bash", { command: "git status" })).toBe("phase_command_forbidden");
  });

  it("migrates to the shipped contract, except for its tests and its name", () => {
    const [migrated, shipped] = [lintContract(text, ORIGINAL), lintContract(SHIPPED, ORIGINAL)].map(
      ({ contract }) => contract,
    );
    expect(migrated?.evidence.testCommand?.argv).toEqual(argv);
    expect(shipped?.evidence.testCommand?.argv[0]).toBe("node");
    for (const part of [
      "gates",
      "transitions",
      "enforcement",
      "initial",
      "ends",
      "recovery",
    ] as const)
      expect(shipped?.[part]).toEqual(migrated?.[part]);
  });
});
