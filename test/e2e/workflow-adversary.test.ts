import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "@bylaw/kernel";
import { completeDirective, openDirectives } from "@bylaw/plugin-phases";
import {
  AGENT,
  CODE,
  HANDED,
  TASK,
  beginWalk,
  blockers,
  refusesAll,
  walkTo,
} from "./workflow-walk-kit.ts";

const PLAN = HANDED.plan;

const line = (command: string): readonly [string, JsonObject] => ["bash", { command }];

describe("an agent that tries to leave PLAN", () => {
  it("writes nothing in any way (defects 2 and 4)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "PLAN");
    await refusesAll(walk, [
      ["write_files", { path: "src/add.js", content: CODE }],
      ["edit_files", { path: "src/index.js", old_string: "The", new_string: "A" }],
      line("cat <<'E' > src/add.js\nexport {};\nE"),
      line("sed -i s/The/A/ src/index.js"),
      line("tee src/add.js < package.json"),
      line('node -e \'require("fs").writeFileSync("src/add.js", "")\''),
      line('python3 -c \'open("src/add.js","w")\''),
      line("git apply patch"),
      line("ls"),
      ["Bash", { command: "touch src/add.js" }],
      ["run_shell_command", { command: "tee src/add.js" }],
      ["apply_patch", { patch: "*** Begin Patch" }],
      ["mcp__files__write_files", { path: "src/add.js", content: CODE }],
      ["run_tests", { command: "npm test" }],
      ["git_commit", { command: "git commit -am x" }],
    ]);
    // A phase or a server that is only claimed allows nothing.
    for (const claim of [{ phase: "IMPL" }, { server: "files" }])
      expect(
        (await walk.use("write_files", { path: "src/add.js", content: CODE }, claim)).effect,
      ).toBe("deny");
    expect(
      (await walk.use("read_files", { path: "package.json" }, { server: "files" })).effect,
    ).toBe("deny");
    expect(existsSync(walk.path("src/add.js"))).toBe(false);
    expect(walk.text("src/index.js")).toBe("// The adder.\n");
  });

  it("skips no phase, claims none, and passes no gate with faulty artifacts (defects 1, 2, 8; WF-73, WF-105)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "PLAN");
    const all = {
      ...HANDED.plan,
      ...HANDED.tests,
      ...HANDED.code,
      ...HANDED.review(),
      ...HANDED.done,
    };
    for (const to of ["IMPL", "REVIEW", "COMPLETE", "PLAN", "@completed", "NONE", "__proto__"]) {
      for (const fields of [{}, { from: "REVIEW", phase: "REVIEW" }])
        expect((await walk.move(to, all, fields)).effect, to).toBe("deny");
    }
    const odd: readonly unknown[] = [
      null,
      "a plan",
      7,
      [],
      {},
      { title: "Add two numbers" },
      { ...HANDED.plan.plan_document, acceptance_criteria: [] },
    ];
    for (const plan_document of odd) {
      const codes = blockers(
        await walk.move("TDD", { ...PLAN, plan_document: plan_document as never }),
      );
      expect(codes, JSON.stringify(plan_document)).toContain("artifact_invalid");
      expect(codes).not.toContain("check_failed");
    }
    expect(blockers(await walk.move("TDD", {}))).toContain("artifact_missing");
    expect(walk.phase()).toBe("PLAN");
  });
});

describe("an agent at work", () => {
  it("is bound to the paths and commands of its phase, and to the repository (defects 4 and 10)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "TDD");
    symlinkSync("../src", join(walk.folder, "tests"));
    await refusesAll(walk, [
      ["write_files", { path: "src/add.js", content: CODE }],
      ["write_files", { path: "tests/../src/add.js", content: CODE }],
      ["write_files", { path: "tests/add.test.js", content: CODE }],
      ["write_files", { path: join(walk.folder, "..", "out.test.js"), content: CODE }],
      ["write_files", { path: "../out.test.js", content: CODE }],
      ["write_files", { path: "/etc/x.test.js", content: CODE }],
      line("npm test; git commit -am x"),
      line("npm test > src/add.js"),
      line("npm test && node -e 1"),
      line("npm test $(touch src/add.js)"),
      line("git add ."),
      line("rm -rf src"),
      line("curl http://localhost/"),
      line("npm run evil"),
    ]);
    expect(existsSync(walk.path("src/add.js"))).toBe(false);
  });

  it.each(["TDD", "IMPL", "REVIEW"] as const)(
    "in %s changes neither the contract, nor what Bylaw stores, nor what is installed",
    async (phase) => {
      const walk = await beginWalk();
      walk.put(".orchestrator/schemas/plan.json", "{}");
      walk.put("node_modules/x/index.js", "");
      await walkTo(walk, phase);
      const before = [
        walk.text("agent_workflow.yaml"),
        walk.text(".orchestrator/schemas/plan.json"),
        walk.text("node_modules/x/index.js"),
      ];
      await refusesAll(walk, [
        ["write_files", { path: "agent_workflow.yaml", content: "" }],
        ["write_files", { path: "./src/../agent_workflow.yaml", content: "" }],
        ["edit_files", { path: walk.file, old_string: "strict", new_string: "advisory" }],
        ["write_files", { path: ".orchestrator/schemas/plan.json", content: "{}" }],
        ["write_files", { path: "node_modules/x/index.js", content: "x" }],
        line("sed -i s/strict/advisory/ agent_workflow.yaml"),
        line("cp package.json agent_workflow.yaml"),
        line("mv agent_workflow.yaml x.yaml"),
        line("ln -sf package.json agent_workflow.yaml"),
        line("git checkout HEAD~1 -- agent_workflow.yaml"),
        line("rm -rf .orchestrator"),
        line("echo '{}' > .orchestrator/schemas/plan.json"),
        line("echo x > node_modules/x/index.js"),
        line("git commit -am early"),
        line("echo x > ../outside.txt"),
        line("echo x > ~/.npmrc"),
        line("cp package.json /etc/outside.json"),
      ]);
      expect([
        walk.text("agent_workflow.yaml"),
        walk.text(".orchestrator/schemas/plan.json"),
        walk.text("node_modules/x/index.js"),
      ]).toEqual(before);
    },
  );

  it("writes nothing in REVIEW, does not review its own work, and goes back only after a no (defects 1 and 3)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "REVIEW");
    await refusesAll(walk, [
      ["write_files", { path: "src/add.js", content: "" }],
      line("echo > src/add.js"),
      ["git_commit", { command: "git commit -am x" }],
    ]);
    expect(blockers(await walk.move("IMPL"))).toEqual(["gate_not_rejected"]);

    // It tries its own review, one reviewer for all, and a yes with issues.
    const [first, second] = openDirectives(walk.run.view, { task: TASK });
    const report = {
      task: TASK,
      ok: true,
      verdict: "approved" as const,
      blocking_issues: [],
      summary: "fine",
    };
    const refused = { code: expect.stringMatching(/^BYLAW_EVENT_/) as string };
    for (const agent of [AGENT, "ANN", ""]) {
      await expect(
        completeDirective(walk.run, { ...report, agent, directive: first?.directive ?? "" }),
        agent,
      ).rejects.toMatchObject(refused);
    }
    await completeDirective(walk.run, {
      ...report,
      agent: "rex",
      directive: first?.directive ?? "",
    });
    await expect(
      completeDirective(walk.run, { ...report, agent: "rex", directive: second?.directive ?? "" }),
    ).rejects.toMatchObject(refused);
    await expect(
      completeDirective(walk.run, {
        ...report,
        agent: "quinn",
        blocking_issues: ["a hole"],
        directive: second?.directive ?? "",
      }),
    ).rejects.toMatchObject(refused);
    expect(blockers(await walk.move("COMPLETE", HANDED.review()))).toContain("gate_pending");

    // It tries a report that leaves out what a reviewer found, and one under another name.
    await walk.review({ quality: ["a hole"] });
    const clean = HANDED.review();
    const bad = HANDED.review(["a hole"]);
    expect(blockers(await walk.move("COMPLETE", clean))).toContain("gate_blocked");
    expect(
      blockers(await walk.move("COMPLETE", { review_results: clean["review_report"] ?? null })),
    ).toContain("artifact_missing");
    expect(
      blockers(
        await walk.move("COMPLETE", {
          ...bad,
          review_results: { approved: true, blocking_issues: [] },
        }),
      ),
    ).toContain("gate_blocked");
    await expect(walk.decide("review_approved", "rita", "approved")).rejects.toFailWith(
      "BYLAW_GATE_NOT_OPEN",
    );
    expect(walk.phase()).toBe("REVIEW");
  });

  it("has every refusal on record, with its reason and without a token (WF-113)", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "PLAN");
    await refusesAll(walk, [
      line("touch x"),
      ["write_files", { path: "x", content: "" }],
      ["unknown_tool", {}],
    ]);
    await walk.move("COMPLETE");
    const denied = await walk.events("tool_denied");
    expect(denied.map(({ details }) => details["tool"])).toEqual([
      "bash",
      "write_files",
      "unknown_tool",
    ]);
    expect(await walk.events("transition_blocked")).toHaveLength(1);
    const log = `${JSON.stringify(await walk.events())}${walk.text(".bylaw/log.jsonl")}`;
    expect(log).not.toContain(walk.token());
  });
});
