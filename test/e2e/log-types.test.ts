import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { chainEvents, openRun, type EventType } from "@bylaw/log";
import { coordinator } from "@bylaw/ruleset-coordinator";
import { openSqliteReader, openSqliteStore } from "@bylaw/store-sqlite";
import { describe, expect, test } from "vitest";
import { filesAt, root, workspaces } from "../contract/workspaces.ts";
import { bylawHere, json, scratch, workplace, type Ran } from "./bylaw.ts";
import { draft, eventsOf, logOf } from "./log-kit.ts";
import { project, step } from "./run-kit.ts";

const strict = (cwd: string, ...args: readonly string[]): Promise<Ran> =>
  bylawHere(["log", "verify", ...args, "--catalogue", "strict", "--json"], { cwd });
const findingsOf = (ran: Ran): unknown => [
  ran.code,
  (json(ran)["findings"] as readonly { rule: string }[]).map(({ rule }) => rule),
];
const CLEAN = [0, []];

/** Verifies every run of a store, and returns the findings. */
async function everyRun(cwd: string, store: string): Promise<Readonly<Record<string, unknown>>> {
  const reader = await openSqliteReader(join(cwd, store));
  const runs = (await reader.runs()).map(({ run }) => run);
  await reader.close();
  const found: Record<string, unknown> = {};
  for (const run of runs)
    found[run] = findingsOf(await strict(cwd, "--store", store, "--run", run));
  return found;
}

describe("bylaw log verify knows every type of event", () => {
  test("in a workflow that calls another agent and waits for a person", async () => {
    const at = project({
      steps: [step("a"), step("b"), step("c")],
      requests: {
        "a.1.worker": { action: "trigger", triggerAgentId: "helper" },
        "b.1.worker": { action: "checkpoint", reason: "look at it" },
      },
    });
    await at.go();
    expect(await at.go("--resume", "--by", "ada")).toMatchObject({ code: 0 });
    expect(await at.events("checkpoint_resumed")).toHaveLength(1);
    expect(await everyRun(at.cwd, ".bylaw/store.db")).toEqual({ w: CLEAN });
  });

  test("in a coordinator's log", async () => {
    const cwd = scratch();
    const store = await openSqliteStore(join(cwd, "runs.db"));
    const run = await openRun(createKernel({ extends: [coordinator] }), {
      run: "main",
      store,
      plan: { file: "plan.md", total_tasks: 1 },
    });
    const event = (event_type: string, agent_id: string, details: object) => ({
      ...{ event_type, agent_id, task_id: "t1" },
      details: { task_id: "t1", agent_id, ...details },
    });
    await run.record([event("developer_dispatched", "dev-1", { blocked_by: [] })]);
    await run.record([event("developer_ready_for_review", "dev-1", { files_modified: ["a.ts"] })]);
    await run.toolCall({ tool: "read_file", args: {}, agent: "dev-1" });
    await run.close();
    await store.close();
    expect(await everyRun(cwd, "runs.db")).toEqual({ main: CLEAN });
    expect(
      findingsOf(
        await strict(cwd, "--store", "runs.db", "--run", "main", "--profile", "coordinator"),
      ),
    ).toEqual(CLEAN);
  });

  test("that a package of this repository declares", async () => {
    const declaring = workspaces.filter(({ folder }) =>
      filesAt("src/**/*.ts", folder).some((file) =>
        /\bkernel\.event\(/.test(readFileSync(join(root, file), "utf8")),
      ),
    );
    expect(declaring.length).toBeGreaterThan(12);
    const types: string[] = [];
    for (const { folder, manifest } of declaring) {
      if (folder === "packages/kernel" || folder === "plugins/coordinator") continue;
      const name =
        "./events" in (manifest.exports ?? {}) ? `${manifest.name}/events` : manifest.name;
      const { EVENT_TYPES = [] } = (await import(name)) as {
        readonly EVENT_TYPES?: readonly EventType[];
      };
      expect([name, EVENT_TYPES.length > 0]).toEqual([name, true]);
      types.push(...EVENT_TYPES.map((type) => type.name));
    }
    const { run } = workplace({
      "log.jsonl": logOf(
        chainEvents(undefined, [
          ...eventsOf(0),
          ...types.map((type, index) => draft(index + 1, type)),
        ]),
      ),
    });
    expect(json(await run("log verify log.jsonl --json"))["findings"]).toEqual([]);
  });
});

describe("bylaw log verify does not know a type", () => {
  const DECLARED = `import { definePlugin } from "@bylaw/kernel";
import { z } from "zod";
const deploys = definePlugin({
  name: "@test/deploys", version: "1.0.0", options: z.undefined(),
  apply: (kernel) => kernel.event({ name: "deployed", details: z.strictObject({ to: z.string() }) }),
});
export default { plugins: [deploys()] };
`;
  const log = (...drafts: readonly ReturnType<typeof draft>[]): string =>
    logOf(
      chainEvents(undefined, [
        draft(0, "session_start", { details: { plan_file: "plan.md", total_tasks: 1 } }),
        ...drafts,
      ]),
    );

  test("that is made up", async () => {
    const { cwd, run } = workplace({ "log.jsonl": log(draft(1, "task_claimd")) });
    expect(findingsOf(await strict(cwd, "log.jsonl"))).toEqual([1, ["UNKNOWN_EVENT_TYPE"]]);
    expect(findingsOf(await run("log verify log.jsonl --json"))).toEqual([
      0,
      ["UNKNOWN_EVENT_TYPE"],
    ]);
  });

  test("of a configuration that is not named with --config", async () => {
    const cwd = scratch({
      "bylaw.config.mjs": DECLARED,
      "log.jsonl": log(draft(1, "deployed", { details: { to: "production" } })),
      "wrong.jsonl": log(draft(1, "deployed", { details: { to: 7 } })),
      "other.jsonl": log(draft(1, "deploied")),
    });
    symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
    expect(findingsOf(await strict(cwd, "log.jsonl"))).toEqual([1, ["UNKNOWN_EVENT_TYPE"]]);
    const config = ["--config", "bylaw.config.mjs"];
    expect(findingsOf(await strict(cwd, "log.jsonl", ...config))).toEqual(CLEAN);
    expect(findingsOf(await strict(cwd, "wrong.jsonl", ...config))).toEqual([
      1,
      ["INVALID_DETAILS"],
    ]);
    expect(findingsOf(await strict(cwd, "other.jsonl", ...config))).toEqual([
      1,
      ["UNKNOWN_EVENT_TYPE"],
    ]);
    expect(await strict(cwd, "log.jsonl", "--config", "none.mjs")).toMatchObject({ code: 2 });
  });

  test("and a configuration that redefines what a run records changes nothing", async () => {
    const cwd = scratch({
      "bylaw.config.mjs": DECLARED.replace('"deployed"', '"approval_granted"').replace(
        "z.strictObject({ to: z.string() })",
        "z.looseObject({})",
      ),
      "log.jsonl": log(draft(1, "approval_granted", { details: {} })),
    });
    symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
    expect(findingsOf(await strict(cwd, "log.jsonl", "--config", "bylaw.config.mjs"))).toEqual([
      1,
      ["INVALID_DETAILS"],
    ]);
  });
});
