// The acceptance criteria of FR-1 to FR-4 and FR-7, and the success criteria 1 to 4 and 7 (SC), by name.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bylawHere, json, jsonLines, type Ran } from "./bylaw.ts";
import { change, project, step, stepsOf, tokenOf } from "./run-kit.ts";

describe("FR-1, SC-1 loop", () => {
  it("goes back by its number of steps, skips its list, counts, and ends at its limit", async () => {
    const again = { action: "loop", reason: "Tests are failing, need to fix implementation" };
    const at = project({
      steps: [
        step("plan"),
        step("code"),
        step("lint"),
        step("check", { loop: { steps: 2, max_iterations: 2, skip: ["lint"] } }),
        step("ship"),
      ],
      requests: { "check.1.worker": again, "check.2.worker": again, "check.3.worker": again },
    });
    expect((await at.go()).code).toBe(0);
    expect(stepsOf(at.trace())).toEqual([
      "plan",
      "code",
      "lint",
      "check",
      "code",
      "check",
      "code",
      "check",
      "ship",
    ]);
    const applied = (await at.events("behavior_applied")).map(
      ({ details }) =>
        details as { readonly reason: string; readonly directive: { readonly iteration: number } },
    );
    expect(applied.map(({ directive }) => directive.iteration)).toEqual([1, 2]);
    expect(applied[0]?.reason).toBe(again.reason);
    expect(await at.events("behavior_rejected")).toHaveLength(1);
  });

  it("that the step does not declare is refused, and the workflow waits for a person", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: { "b.1.worker": { action: "loop" } },
    });
    const ran = await at.go("--json");
    expect(ran.code).toBe(1);
    expect(json(ran)).toMatchObject({ outcome: "held", step: "b", why: "rejected" });
  });
});

it("FR-2, SC-2 trigger runs the agent that the file names, or else the step's agent, inside the workflow, and checks that it exists", async () => {
  const at = project({
    steps: [step("a", { trigger: "second" }), step("b", { trigger: "second" }), step("c")],
    requests: {
      "a.1.worker": {
        action: "trigger",
        triggerAgentId: "helper",
        reason: "Need code review before proceeding",
      },
      "b.1.worker": { action: "trigger" },
    },
  });
  expect((await at.go()).code).toBe(0);
  expect(at.trace()).toEqual([
    "a.1.worker",
    "a.1.helper",
    "b.1.worker",
    "b.1.second",
    "c.1.worker",
  ]);
  expect((await at.events("agent_returned")).map(({ details }) => details)).toEqual([
    { agent: "helper", ok: true },
    { agent: "second", ok: true },
  ]);
  const other = project({
    steps: [step("a"), step("b")],
    requests: { "a.1.worker": { action: "trigger", triggerAgentId: "nobody" } },
  });
  expect(await other.go()).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("There is no agent `nobody`"),
  });
  expect(other.trace()).toEqual(["a.1.worker"]);
});

describe("FR-3, SC-3 checkpoint", () => {
  const parts = {
    steps: [
      step("a"),
      step("b"),
      step("check", { loop: { steps: 1, max_iterations: 2 } }),
      step("c"),
    ],
    requests: {
      "check.1.worker": { action: "loop" },
      "check.2.worker": {
        action: "checkpoint",
        reason: "Need user approval for database migration",
      },
    },
  };

  it("pauses with its own exit code, keeps its position, and continues in another process when a person says so", async () => {
    const at = project(parts);
    const paused = await at.go("--json");
    expect(paused.code).toBe(3);
    expect(json(paused)).toMatchObject({
      run: "w",
      outcome: "paused",
      step: "check",
      reason: "Need user approval for database migration",
    });
    expect(stepsOf(at.trace())).toEqual(["a", "b", "check", "b", "check"]);
    expect(await at.go("--resume", "--by", "worker")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_EVENT_REFUSED"),
    });
    expect((await at.go("--resume", "--by", "ada")).code).toBe(0);
    expect(stepsOf(at.trace())).toEqual(["a", "b", "check", "b", "check", "c"]);
    expect(await at.events("checkpoint_resumed")).toMatchObject([
      { details: { by: "ada", migrated: false } },
    ]);
  });

  it("cannot be ended without a token, or by a supervisor that restarts what stopped", async () => {
    const at = project(parts);
    await at.go();
    const before = at.trace();
    expect((await at.try("--resume")).code).toBe(3);
    for (const args of [
      ["--by", "ada"],
      ["--by", "ada", "--from", "c"],
      ["--from", "c"],
    ]) {
      expect(await at.try("--resume", ...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("BYLAW_APPROVAL_UNAUTHORIZED"),
      });
    }
    // Without a list of operators only a person at a terminal may answer.
    rmSync(join(at.cwd, ".bylaw/operators.json"));
    expect(await at.go("--resume", "--by", "ada")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_APPROVAL_UNAUTHORIZED"),
    });
    expect(at.trace()).toEqual(before);
    expect(await at.events("checkpoint_resumed")).toEqual([]);
  });

  it("is not passed with a changed template, or by starting again", async () => {
    const at = project(parts);
    await at.go();
    expect(await at.go("--run", "w")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_RUN_EXISTS"),
    });
    change(at, "w.json", readFileSync(join(at.cwd, "w.json"), "utf8").replace('"c"', '"d"'));
    expect(await at.go("--run", "w", "--resume", "--by", "ada")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_TEMPLATE_CHANGED"),
    });
    expect(stepsOf(at.trace())).not.toContain("d");
  });
});

describe("FR-4, SC-4 vibecheck", () => {
  const asks = {
    "a.1.worker": { action: "vibecheck", reason: "Uncertain about approach, need oversight" },
  };
  const verdict = (risk: number): string =>
    JSON.stringify({ risk, advice: "Too many tools", traits: ["Overtooling"], uncertainties: [] });
  const oversight = { oversight: { command: ["sh", "oversee.sh"], hold_at: 0.7 } };
  const script = "cat > asked.json\ncat verdict.json\n";

  it("asks the oversight about the kind of work, and records its verdict", async () => {
    const files = { "oversee.sh": script, "verdict.json": verdict(0.2) };
    const at = project({
      steps: [step("a", { kind: "planning" }), step("b")],
      requests: asks,
      more: oversight,
      files,
    });
    expect((await at.go()).code).toBe(0);
    expect(JSON.parse(readFileSync(join(at.cwd, "asked.json"), "utf8"))).toMatchObject({
      kind: "planning",
      goal: "w",
    });
    expect(await at.events("oversight_given")).toMatchObject([
      { details: { verdict: { risk: 0.2, traits: ["Overtooling"] } } },
    ]);
  });

  it("holds the workflow at a high risk until a person acknowledged it", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: asks,
      more: oversight,
      files: { "oversee.sh": script, "verdict.json": verdict(0.9) },
    });
    expect((await at.go()).code).toBe(1);
    expect((await at.go("--resume", "--by", "ada")).code).toBe(0);
    expect(await at.events("oversight_acknowledged")).toMatchObject([{ details: { by: "ada" } }]);
    expect(stepsOf(at.trace())).toEqual(["a", "b"]);
  });

  it("lists the hold among the approvals, and anybody may resume it once a person said yes", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: asks,
      more: oversight,
      files: { "oversee.sh": script, "verdict.json": verdict(0.9) },
    });
    expect((await at.go()).code).toBe(1);
    const yes = (id: string, by: string): Promise<Ran> =>
      bylawHere(["approve", "yes", id], {
        cwd: at.cwd,
        env: { BYLAW_OPERATOR_TOKEN: tokenOf(by) },
      });
    const list = await bylawHere("approve list --json", { cwd: at.cwd });
    const [hold, ...others] = jsonLines(list);
    expect(others).toEqual([]);
    expect(hold).toMatchObject({ kind: "hold", step: "a", why: "risk" });
    const { id } = hold as { readonly id: string };
    expect((await yes(id, "worker")).stderr).toMatch(/BYLAW_APPROVAL_UNAUTHORIZED/);
    expect((await at.go("--resume")).code).toBe(1);
    expect((await yes(id, "ada")).code).toBe(0);
    expect((await yes(id, "ada")).stderr).toMatch(/BYLAW_APPROVAL_MISSING/);
    expect((await at.go("--resume")).code).toBe(0);
    expect(await at.events("workflow_released")).toMatchObject([{ details: { by: "ada" } }]);
    expect(await at.events("oversight_acknowledged")).toMatchObject([{ details: { by: "ada" } }]);
    expect(stepsOf(at.trace())).toEqual(["a", "b"]);
  });

  it("runs at the points that the template names for the kind of work, whatever anybody requests", async () => {
    const at = project({
      steps: [step("plan", { kind: "planning" }), step("code"), step("look", { kind: "review" })],
      more: { oversight: { ...oversight.oversight, at_kinds: true } },
      files: {
        "oversee.sh": `cat >> asked.json\necho >> asked.json\n${script.split("\n").at(1) ?? ""}\n`,
        "verdict.json": verdict(0.1),
      },
    });
    expect((await at.go()).code).toBe(0);
    const asked = readFileSync(join(at.cwd, "asked.json"), "utf8").trim().split("\n");
    expect(asked.map((line) => (JSON.parse(line) as { readonly kind: string }).kind)).toEqual([
      "implementation",
      "review",
    ]);
    expect(await at.events("oversight_due")).toMatchObject([
      { details: { step: "code", why: "kind" } },
      { details: { step: "look" } },
    ]);
  });

  it("distinguishes a service that fails from one that sees no risk", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: asks,
      more: oversight,
      files: { "oversee.sh": "exit 1\n" },
    });
    expect(await at.go()).toMatchObject({ code: 1, stdout: expect.stringContaining("oversight") });
    expect(await at.events("oversight_failed")).toHaveLength(1);
  });
});

it("a pause prints the command that continues, with all its options", async () => {
  const at = project({
    steps: [step("a"), step("b")],
    requests: { "a.1.worker": { action: "checkpoint", reason: "look" } },
    files: { "my agents.json": "{}" },
  });
  const elsewhere = ["--data", "kept", "--control-file", "c.json", "--agents", "my agents.json"];
  const paused = await at.go(...elsewhere);
  expect(paused.code).toBe(3);
  const [, command = ""] = /go on: bylaw run w\.json (.*)\n/.exec(paused.stdout) ?? [];
  expect(command).toMatch(/^--run w --resume --by NAME /);
  expect(command).toContain("--agents '");
  const words = [...command.replace("NAME", "ada").matchAll(/'([^']*)'|(\S+)/g)];
  expect(await at.go(...words.map(([, quoted, bare]) => quoted ?? bare ?? ""))).toMatchObject({
    code: 0,
  });
  expect(stepsOf(at.trace())).toEqual(["a", "b"]);
});

describe("FR-7, SC-7 the control file", () => {
  it.each(["continue", "stop"])("takes %s, and is read once and removed", async (action) => {
    const at = project({ steps: [step("a"), step("b")], requests: { "a.1.worker": { action } } });
    expect((await at.go()).code).toBe(action === "stop" ? 4 : 0);
    expect(stepsOf(at.trace())).toEqual(action === "stop" ? ["a"] : ["a", "b"]);
    expect(existsSync(join(at.cwd, ".bylaw/memory/behavior.json"))).toBe(false);
  });

  it("that is broken holds the workflow, and the message says what is accepted", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: { "a.1.worker": '{"action": "Loop"}' },
    });
    expect(await at.go()).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Unknown action `Loop`"),
    });
    expect(stepsOf(at.trace())).toEqual(["a"]);
  });

  it("may be elsewhere", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: { "a.1.worker": { action: "stop" } },
    });
    expect((await at.go("--control-file", "radium/.radium/memory/behavior.json")).code).toBe(4);
  });
});

describe("FR-4 oversight that gets the context", () => {
  const LOOK = `let text = "";
for await (const part of process.stdin) text += part;
(await import("node:fs")).appendFileSync("asked.jsonl", text + "\\n");
const risk = JSON.parse(text).reason.includes("risky") ? 0.9 : 0.2;
console.log(JSON.stringify({ risk, advice: "Undo must be possible", traits: [], uncertainties: [] }));`;
  const more = { oversight: { command: [process.execPath, "look.mjs"] } };
  const keeps = (id: string): object =>
    step(id, { run: { command: ["sh", "keep.sh"] }, prompt: `do ${id}` });

  it("gets reason, agent, prompt, history and progress, and its advice is only in the next prompt", async () => {
    const at = project({
      steps: [step("a", { prompt: "refund the orders" }), keeps("b"), keeps("c")],
      requests: { "a.1.worker": { action: "vibecheck", reason: "unsure how" } },
      more,
      files: { "look.mjs": LOOK, "keep.sh": 'cat > "prompt.$BYLAW_STEP"\n' },
    });
    expect((await at.go()).code).toBe(0);
    expect(JSON.parse(readFileSync(join(at.cwd, "asked.jsonl"), "utf8"))).toMatchObject({
      reason: "unsure how",
      agent: "worker",
      prompt: "refund the orders",
      progress: "Step 1 of 3",
      uncertainties: ["unsure how"],
      history: [],
    });
    expect(readFileSync(join(at.cwd, "prompt.b"), "utf8")).toContain("Undo must be possible");
    expect(readFileSync(join(at.cwd, "prompt.c"), "utf8")).not.toContain("Undo");
  });

  it("shows its advice when the workflow is held", async () => {
    const at = project({
      steps: [step("a"), step("b")],
      requests: { "a.1.worker": { action: "vibecheck", reason: "risky" } },
      more,
      files: { "look.mjs": LOOK },
    });
    expect(json(await at.go("--json"))).toMatchObject({
      outcome: "held",
      why: "risk",
      reason: expect.stringContaining("Undo must be possible") as string,
    });
  });
});
