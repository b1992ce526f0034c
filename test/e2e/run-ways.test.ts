// FR-8 by tracks and choices, loops without progress, older readings, changed templates, and requests that are read while a step runs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bylaw, bylawHere, json, workplace } from "./bylaw.ts";
import { change, project, step, stepsOf } from "./run-kit.ts";

describe("tracks and choices", () => {
  const parts = {
    steps: [
      step("plan"),
      step("draft", { tracks: ["quick"] }),
      step("design", { tracks: ["full"] }),
      step("docs", { choices: ["with-docs"] }),
      step("ship"),
    ],
    more: {
      tracks: { question: "How?", options: { quick: { label: "Quick" }, full: {} } },
      choices: { extras: { multiple: true, options: { "with-docs": {}, "with-tests": {} } } },
    },
    requests: { "plan.1.worker": { action: "checkpoint" } },
  };

  it("select the steps of a run, which keeps its selection when it continues", async () => {
    const at = project(parts);
    expect((await at.go("--track", "full", "--choose", "with-docs")).code).toBe(3);
    expect(await at.go("--resume", "--track", "quick", "--by", "ada")).toMatchObject({ code: 2 });
    expect((await at.go("--resume", "--by", "ada")).code).toBe(0);
    expect(stepsOf(at.trace())).toEqual(["plan", "design", "docs", "ship"]);
    expect(await at.events("workflow_started")).toMatchObject([
      { details: { track: "full", chosen: ["with-docs"] } },
    ]);
    expect(await at.events("step_skipped")).toMatchObject([
      { details: { step: "draft", why: "track" } },
    ]);
  });

  it.each([
    [[], "How? Choose"],
    [["--track", "qick"], "quick (Quick), full"],
    [["--track", "quick", "--choose", "nothing"], "`nothing`"],
  ])("must be named: %j", async (args, said) => {
    const at = project(parts);
    const ran = await at.go(...args);
    expect(ran).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_TEMPLATE_CHOICE_INVALID"),
    });
    if (args.length > 0) expect(ran.stderr).toContain(said);
    expect(at.trace()).toEqual([]);
  });

  it("of a CodeMachine workflow are chosen by its users", async () => {
    const agent = { run: { command: ["sh", "agent.sh"] } };
    const older = {
      name: "older",
      tracks: {
        question: "Mode?",
        options: { expert: { label: "Expert" }, quick: { label: "Quick" } },
      },
      conditionGroups: [
        {
          id: "scope",
          question: "How much?",
          tracks: ["expert"],
          conditions: { all: { label: "All" }, parts: { label: "Parts" } },
          children: {
            parts: { question: "Which?", multiSelect: true, conditions: { ideas: {}, agents: {} } },
          },
        },
      ],
      steps: [
        { type: "module", agentId: "one", tracks: ["quick"] },
        { type: "module", agentId: "two", tracks: ["expert"], conditionsAny: ["all", "ideas"] },
        { type: "module", agentId: "three", conditions: ["agents"] },
      ],
    };
    const at = project({
      steps: [step("a")],
      files: {
        "older.json": JSON.stringify(older),
        "agents.json": JSON.stringify({ one: agent, two: agent, three: agent }),
      },
    });
    const go = (...args: readonly string[]) =>
      bylawHere(["run", "older.json", "--agents", "agents.json", ...args], { cwd: at.cwd });
    expect(await go("--track", "expert")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "How much? Choose one with --choose: all (All), parts (Parts)",
      ),
    });
    expect((await go("--track", "quick")).code).toBe(0);
    expect((await go("--track", "expert", "--choose", "parts", "agents")).code).toBe(0);
    expect((await go("--track", "expert", "--choose", "parts", "ideas")).code).toBe(0);
    expect(at.trace()).toEqual(["one.1.one", "three.1.three", "two.1.two"]);
  });
});

describe("a loop with `stall`", () => {
  const failing = (script: string) => ({
    id: "test",
    run: { command: ["sh", "-c", script] },
    continue_on_error: true,
  });
  const check = step("check", {
    loop: { steps: 2, max_iterations: 50, stall: 2, on_limit: "hold" },
  });
  const requests = Object.fromEntries(
    Array.from({ length: 9 }, (_, visit) => [
      `check.${visit + 1}.worker`,
      { action: "loop", reason: `try ${visit}` },
    ]),
  );

  it("ends if the same checks fail in the same way, whatever their names and times", async () => {
    const at = project({
      steps: [
        step("code"),
        failing('date +%T; echo "took $((BYLAW_VISIT * 7)) ms"; echo "3 failed" >&2; exit 1'),
        check,
      ],
      requests,
    });
    expect(await at.go("--json")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"why":"limit"'),
    });
    expect(await at.events("behavior_applied")).toHaveLength(2);
    expect(await at.events("behavior_rejected")).toMatchObject([
      { details: { decision: { code: "loop_stalled" } } },
    ]);
  });

  it("continues if something changes", async () => {
    const at = project({
      steps: [
        step("code"),
        failing('echo "$((6 - BYLAW_VISIT)) failed"; [ "$BYLAW_VISIT" -ge 6 ]'),
        check,
      ],
      requests: { ...requests, "check.6.worker": { action: "stop" } },
    });
    expect((await at.go()).code).toBe(0);
    expect(await at.events("behavior_applied")).toHaveLength(6);
  });
});

describe("older readings of a whole workflow", () => {
  const loop = { id: "check", agent: "worker", loop: { steps: 1, max_iterations: 1, skip: [] } };
  const parts = {
    steps: [step("a"), loop, step("b")],
    requests: {
      "a.1.worker": { action: "loop" },
      "check.1.worker": { action: "loop" },
      "check.2.worker": { action: "stop" },
      "b.1.worker": '{"action":"complete"}',
    },
  };

  it("can be selected by an option of the command or a key of the template", async () => {
    const ours = project(parts);
    expect(await ours.go("--json")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"why":"rejected"'),
    });
    const option = project(parts);
    expect((await option.go("--compat", "codemachine")).code).toBe(0);
    expect(stepsOf(option.trace())).toEqual(["a", "check", "a", "check", "b"]);
    const key = project({ ...parts, more: { compat: "codemachine" } });
    expect((await key.go()).code).toBe(0);
    const radium = project({ ...parts, more: { compat: "radium" } });
    // Radium treated a file that it could not read as an error.
    expect(await radium.go("--json")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"why":"control_file"'),
    });
    expect(stepsOf(radium.trace())).toEqual(["a", "check", "a", "check", "b"]);
    expect((await option.go("--compat", "other")).code).toBe(2);
    const older = {
      name: "o",
      steps: [
        {
          type: "module",
          agentId: "a",
          module: { id: "a", behavior: { type: "loop", action: "stepBack" } },
        },
      ],
    };
    writeFileSync(join(option.cwd, "o.json"), JSON.stringify(older));
    const validate = async (...args: readonly string[]) =>
      (await bylawHere(["template", "validate", "o.json", ...args], { cwd: option.cwd })).code;
    expect([await validate(), await validate("--compat", "codemachine")]).toEqual([1, 0]);
  });
});

describe("a template that changed after the run began", () => {
  const parts = {
    steps: [step("a"), step("b"), step("c")],
    requests: { "a.1.worker": { action: "checkpoint" } },
  };
  const edited = (text: string): string =>
    text.replace(
      '{"id":"b","agent":"worker"}',
      '{"id":"b","agent":"worker"},{"id":"more","agent":"worker"}',
    );

  it("is refused with the changes; --migrate lists them, and moves the run over if a person agrees", async () => {
    const at = project(parts);
    expect((await at.go()).code).toBe(3);
    change(at, "w.json", edited(readFileSync(join(at.cwd, "w.json"), "utf8")));
    expect(await at.go("--resume", "--by", "ada")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("1 change: step `more` is new"),
    });
    const before = (await at.events()).length;
    const told = await at.go("--resume", "--migrate", "--dry-run", "--json");
    expect(await at.events()).toHaveLength(before);
    expect(json(told)).toEqual({
      run: "w",
      changes: ["step `more` is new"],
      notes: [],
      faults: [],
      next: "a",
    });
    expect(await at.try("--resume", "--migrate")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("BYLAW_APPROVAL_UNAUTHORIZED"),
    });
    expect(await at.events("workflow_migrated")).toEqual([]);
    expect((await at.go("--resume", "--migrate", "--by", "ada")).code).toBe(0);
    expect(stepsOf(at.trace())).toEqual(["a", "b", "more", "c"]);
    expect(await at.events("workflow_migrated")).toMatchObject([
      { details: { by: "ada", cursor: 0 } },
    ]);
    expect(await at.events("checkpoint_resumed")).toMatchObject([
      { details: { by: "ada", migrated: true } },
    ]);
  });

  it("is refused if the step under way is gone, until a person says where to continue", async () => {
    const at = project(parts);
    await at.go();
    change(
      at,
      "w.json",
      readFileSync(join(at.cwd, "w.json"), "utf8").replace('{"id":"a","agent":"worker"},', ""),
    );
    expect(await at.go("--resume", "--migrate", "--by", "ada")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("step `a` is running and was removed"),
    });
    expect((await at.go("--resume", "--migrate", "--from", "c", "--by", "ada")).code).toBe(0);
    expect(stepsOf(at.trace())).toEqual(["a", "c"]);
    expect((await at.go("--migrate")).code).toBe(2);
  });
});

it("a request that is read in the middle of a step is carried out once, even if the runner is killed right after it", async () => {
  const script = `echo "$BYLAW_STEP.$BYLAW_ATTEMPT" >> ran.txt
[ "$BYLAW_ATTEMPT" = 1 ] || exit 0
echo '{"action":"trigger","triggerAgentId":"helper"}' > "$BYLAW_CONTROL_FILE"
while [ -f "$BYLAW_CONTROL_FILE" ]; do sleep 0.02; done
kill -9 "$PPID"
`;
  const at = project({
    steps: [step("a", { run: { command: ["sh", "ask.sh"] } }), step("b")],
    files: { "ask.sh": script },
  });
  expect(bylaw("run w.json", at).code).toBe(null);
  expect((await at.go("--resume")).code).toBe(0);
  expect(at.trace()).toEqual(["a.1", "a.2", "a.1.helper", "b.1.worker"]);
  expect(await at.events("behavior_applied")).toHaveLength(1);
  expect(await at.events("behavior_rejected")).toEqual([]);
});

it("a template reports all faults of its tracks and choices", async () => {
  const text = `bylaw: 1
name: w
tracks: { options: { quick: {} }, default: qick }
choices:
  one: { options: { x: {} }, after: y }
  two: { options: { x: {} }, tracks: [slow] }
steps:
  - { id: a, run: { command: [x] }, tracks: [quik], choices: [z] }
`;
  const { cwd, run } = workplace();
  writeFileSync(join(cwd, "w.yaml"), text);
  const { findings } = json(await run("template validate w.yaml --json")) as {
    readonly findings: readonly { readonly line: number; readonly message: string }[];
  };
  expect(findings.map(({ line, message }) => [line, message])).toEqual([
    [3, "Unknown track `qick`"],
    [5, "Unknown option `y`"],
    [6, "The option `x` belongs to two choices; keep it in `one`"],
    [6, "Unknown track `slow`"],
    [8, "Unknown track `quik`"],
    [8, "Unknown option `z`"],
  ]);
});
