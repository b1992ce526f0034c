// `bylaw experiment` over real stores and with real processes.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describe, expect, test } from "vitest";
import { bylaw, bylawHere, json, jsonLines, scratch, workplace, type Ran } from "./bylaw.ts";
import { POLICIES, recorded, worked } from "./experiment-kit.ts";
import { beginWalk, HANDED, SHIPPED, walkTo } from "./workflow-walk-kit.ts";

interface Summary {
  readonly runs: number;
  readonly summary: { readonly calls: number; readonly flips: number };
  readonly figures: readonly Record<string, unknown>[];
}
const summaryOf = (ran: Ran): Summary => jsonLines(ran).at(-1) as unknown as Summary;

describe("bylaw experiment replay", () => {
  test("compares two policies over all runs of the project, run by run", async () => {
    const cwd = await recorded(12);
    const ran = bylaw("experiment replay --a a.toml --b b.toml", { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^run r1\nask_user → allow #4 bash /);
    expect(ran.stdout).toContain("\n58 more with --json\n");
    expect(ran.stdout).toContain(
      "\n102 decisions: 24 the same, 78 flips (ask_user → allow 78)\n\nPer run, over 12 runs\n",
    );
    expect(ran.stdout).toMatch(
      /^questions +6\.5 +0 +-6\.5 +-8\.\d+ to -4\.\d+ +b has fewer questions$/m,
    );
    expect(ran.stdout).toMatch(/^denials +1 +1 +0 +0 to 0 +no difference shown$/m);
  });

  test("prints each flip with its run, and the figures, as JSON", async () => {
    const cwd = await recorded(2);
    const lines = jsonLines(
      await bylawHere("experiment replay --a a.toml --b b.toml --json", { cwd }),
    );
    expect(lines).toHaveLength(4);
    expect(lines[0]).toMatchObject({ run: "r1", flip: { recorded: { effect: "ask_user" } } });
    expect(lines.at(-1)).toMatchObject({
      ...{ runs: 2, summary: { calls: 7, flips: 3 } },
      figures: [
        { figure: "blocked", verdict: "not_enough_data" },
        { figure: "questions", a: { units: 2, value: 1.5 }, b: { units: 2, value: 0 } },
        { figure: "denials" },
      ],
    });
  });

  test("counts a call that was approved and made again as one question", async () => {
    const cwd = scratch(POLICIES);
    const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
    const plugins = [policy({ text: POLICIES["a.toml"], discover: "none" })];
    const run = await openRun(createKernel({ plugins }), { run: "main", store });
    const call = { tool: "bash", args: { command: "npm publish x" }, cwd };
    await run.toolCall(call);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    await run.approve({ subject: { hook: "beforeToolCall", ...call }, by: "ada", expires_at });
    expect((await run.toolCall(call)).applied).toBe("allow");
    await run.close();
    await store.close();
    const ran = await bylawHere("experiment replay --a a.toml --b b.toml --json", { cwd });
    expect(summaryOf(ran)).toMatchObject({
      summary: { calls: 2, flips: 2 },
      figures: [{}, { figure: "questions", a: { value: 1 }, b: { value: 0 } }, {}],
    });
  });

  test("looks only at the named run, and only at what was decided since a time", async () => {
    const cwd = await recorded(3);
    const replay = async (...more: readonly string[]): Promise<Summary> =>
      summaryOf(
        await bylawHere(
          ["experiment", "replay", "--a", "a.toml", "--b", "b.toml", "--json", ...more],
          { cwd },
        ),
      );
    expect(await replay("--run", "r3")).toMatchObject({ runs: 1, summary: { calls: 5, flips: 3 } });
    expect(await replay("--since", "1h")).toMatchObject({ runs: 3, summary: { calls: 12 } });
    expect(await replay("--since", "2099-01-01T00:00:00Z")).toMatchObject({ runs: 0, figures: [] });
  });

  test("decides the transitions of a task again under two contracts", async () => {
    const walk = await beginWalk();
    await walkTo(walk, "IMPL");
    await walk.move("REVIEW", HANDED.code);
    walk.put("a.yaml", SHIPPED);
    walk.put(
      "b.yaml",
      SHIPPED.replace(
        'type: "approval" # Requires human/orchestrator approval',
        'type: "validation"',
      )
        .replace('approvers: ["human", "orchestrator"]', "")
        .replace("timeout_seconds: 3600", ""),
    );
    const replay = async (b: string): Promise<Summary> =>
      summaryOf(
        await bylawHere(`experiment replay --a a.yaml --b ${b} --json`, { cwd: walk.folder }),
      );
    expect(await replay("a.yaml")).toMatchObject({ summary: { flips: 0 } });
    const loosened = await replay("b.yaml");
    // The approval was given under another contract, so the request that had it waits under `a` too.
    expect(loosened.summary).toMatchObject({ flips: 2, by_kind: { "deny → allow": 2 } });
    expect(loosened.figures[0]).toMatchObject({ figure: "blocked", difference: { value: -2 } });
  });

  test.each([
    ["", "`--a <version>` is missing"],
    ["--a a.toml --b missing.toml", "File not found"],
    ["--a a.toml --b missing.ts", "File not found: missing.ts"],
    ["--a a.toml --b b.toml --store none.db", "File not found: none.db"],
    ["--a a.toml --b b.toml --since soon", "`--since` takes a time"],
    ["--a a.toml --b b.toml", "there is no `.bylaw/store.db`"],
  ])("refuses %j", async (options, message) => {
    const ran = await workplace(POLICIES).run(`experiment replay ${options}`.trim());
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(message);
  });
});

const CONFIG = (share: number, more: object = {}): string =>
  JSON.stringify({
    plugins: [
      {
        use: "@bylaw/plugin-policy",
        options: {
          ...{ files: ["a.toml"], operator: true, discover: "none" },
          experiment: { name: "fewer-asks", files: ["b.toml"], share, ...more },
        },
      },
    ],
  });

const publish = (cwd: string, session: string): string => {
  const ran = bylaw(["hook", "claude-code", "--config", join(cwd, "bylaw.config.json")], {
    cwd,
    input: JSON.stringify({
      ...{ hook_event_name: "PreToolUse", session_id: session, cwd, tool_name: "Bash" },
      tool_input: { command: "npm publish x" },
    }),
  });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return /"permissionDecision": ?"(\w+)"/.exec(ran.stdout)?.[1] ?? "allow";
};

describe("a live experiment", () => {
  test("assigns each session of a coding agent, and keeps the version after the share changed", () => {
    const cwd = scratch({ ...POLICIES, "bylaw.config.json": CONFIG(1) });
    expect(publish(cwd, "s1")).toBe("allow");
    writeFileSync(join(cwd, "bylaw.config.json"), CONFIG(0));
    expect([publish(cwd, "s1"), publish(cwd, "s2")]).toEqual(["allow", "ask"]);
    const assigned = jsonLines(
      bylaw("log query --type experiment_assigned --json", { cwd }),
    ) as unknown as readonly { readonly run: string; readonly details: object }[];
    expect(assigned.map(({ run, details }) => [run, details])).toEqual([
      ["claude-code-s1", expect.objectContaining({ variant: "b", share: 1 })],
      ["claude-code-s2", expect.objectContaining({ variant: "a", share: 0 })],
    ]);
    expect(bylaw("log verify --run claude-code-s1 --catalogue strict", { cwd }).code).toBe(0);
  });

  test("is no choice of the agent: neither by the name of its session, nor by events of its own", async () => {
    const { cwd, run } = workplace({ ...POLICIES, "bylaw.config.json": CONFIG(0) });
    for (const session of ["b", "variant-b", "fewer-asks", "__proto__", ""])
      expect(publish(cwd, session)).toBe("ask");
    const details = {
      ...{ experiment: "fewer-asks", variant: "b", share: 1 },
      digests: { a: "sha256:a", b: "sha256:b" },
    };
    const forged = await run([
      ...["log", "append", "--run", "claude-code-b", "--resume", "--type", "experiment_assigned"],
      ...["--details", JSON.stringify(details)],
    ]);
    expect(forged.code).not.toBe(0);
    expect(forged.stderr).toMatch(/^error BYLAW_EVENT_INVALID/);
    expect(publish(cwd, "b")).toBe("ask");
  });

  test("decides with version a where nothing is recorded", async () => {
    const { run } = workplace({ ...POLICIES, "bylaw.config.json": CONFIG(1) });
    const args = ["check", "--tool", "bash", "--args", '{"command":"npm publish x"}', "--json"];
    expect(json(await run(args))).toMatchObject({ effect: "ask_user" });
  });

  test.each([
    [CONFIG(2), "experiment.share"],
    [CONFIG(1, { name: "No Name" }), "experiment.name"],
    [CONFIG(1, { files: ["missing.toml"] }), "missing.toml"],
    [CONFIG(1, { other: 1 }), "other"],
  ])("refuses the options %s", async (config, message) => {
    const { run } = workplace({ ...POLICIES, "bylaw.config.json": config });
    const ran = await run("check --tool bash --args {}");
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain(message);
  });
});

describe("bylaw experiment compare", () => {
  test("compares what happened to the tasks of both versions", async () => {
    const cwd = await worked(40);
    const ran = bylaw("experiment compare fewer-asks", { cwd });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toMatch(/^fewer-asks: per task, over 20 in a and 20 in b\n/);
    const row = (name: string): string =>
      new RegExp(`^${name}.*$`, "m").exec(ran.stdout)?.[0] ?? "";
    expect(row("completed tasks")).toMatch(/ 1 +1 +0 +0 to 0 +no difference shown$/);
    expect(row("time to complete")).toMatch(/ 69\.5 +29\.5 +-40 .* b has less time to complete$/);
    expect(row("blocked transitions")).toMatch(/ 1 +1 +0 .* no difference shown$/);
    expect(row("questions")).toMatch(/ 1 +0 +-1 +-1 to -1 +b has fewer questions$/);
    expect(row("denials")).toMatch(/ 1 +1 +0 .* no difference shown$/);
    expect(jsonLines(await bylawHere("experiment compare --json", { cwd }))).toMatchObject([
      { experiment: "fewer-asks", tasks: { a: 20, b: 20 }, figures: [{}, {}, {}, {}, {}, {}] },
    ]);
  });

  test("says when the data is not enough", async () => {
    const cwd = await worked(4);
    const { stdout } = await bylawHere("experiment compare", { cwd });
    expect(stdout).toMatch(/^questions .* not enough data: 2 and 2, about 10 each show ±0\.5$/m);
  });

  test("compares the tasks of runs that used two contracts", async () => {
    const cwd = await worked(2);
    expect(bylaw("log export --run main --to main.jsonl", { cwd }).code).toBe(0);
    expect(bylaw("log import main.jsonl --store .bylaw/store.db --run other", { cwd }).code).toBe(
      0,
    );
    const compare = (options: string): Promise<Ran> =>
      bylawHere(`experiment compare ${options}`, { cwd });
    expect((await compare("--a main --b other")).stdout).toMatch(
      /^per task, over 2 in a and 2 in b\n/,
    );
    for (const [options, message] of [
      ["--a main", "`--a` and `--b` are needed together"],
      ["fewer-asks --a main --b other", "cannot be given together"],
      ["--a main --b main", "is in both"],
      ["--a main --b othre", "fix: Did you mean `other`?"],
      ["fewer-ask", "fix: Did you mean `fewer-asks`?"],
    ] as const) {
      const ran = await compare(options);
      expect([options, ran.code]).toEqual([options, 2]);
      expect(ran.stderr).toContain(message);
    }
  });

  test("says that there is no experiment yet", async () => {
    const cwd = await recorded(1);
    expect(await bylawHere("experiment compare", { cwd })).toMatchObject({
      ...{ code: 0, stdout: "No task was assigned to an experiment yet\n" },
    });
  });
});
