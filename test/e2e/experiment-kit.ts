// Records runs, and the tasks of a live experiment.
import { join } from "node:path";
import { loadContract } from "@bylaw/contract";
import { allow, createKernel, deny } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { createTasks, tasks as tasksPlugin } from "@bylaw/plugin-tasks";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pluginOf } from "@bylaw/testing";
import { scratch } from "./bylaw.ts";

const SHIPPED_FILE = join(import.meta.dirname, "../../rulesets/tdd/agent_workflow.yaml");

const rules = (publishing: string): string => `
[[rules]]
name = "look"
action = "allow"
command = "ls *"

[[rules]]
name = "publishing"
action = "${publishing}"
command = "npm publish *"

[[rules]]
name = "no-secrets"
action = "deny"
paths = ["**/.env"]
`;
/** The two versions: `b` allows what `a` asks about. */
export const POLICIES = { "a.toml": rules("ask_user"), "b.toml": rules("allow") };

/** A store with one run in which so many tasks were worked on, half of them under each version, and completed after a while. */
export async function worked(tasks: number): Promise<string> {
  const cwd = scratch(POLICIES);
  const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
  let clock = Date.parse("2026-01-17T09:00:00Z");
  const now = (): string => new Date(clock).toISOString();
  const moves = pluginOf(
    "moves",
    (kernel) =>
      kernel.hooks.onTransition.tap("any", ({ artifacts }) =>
        artifacts["ok"] === false ? deny("It is not done") : allow("It may"),
      ),
    { grants: true },
  );
  const rulesOf = (share: number) =>
    createKernel({
      plugins: [
        moves,
        tasksPlugin(),
        policy({
          ...{ files: [join(cwd, "a.toml")], operator: true, discover: "none" },
          experiment: { name: "fewer-asks", files: [join(cwd, "b.toml")], share },
        }),
      ],
    });
  for (const share of [0, 1]) {
    const run = await openRun(rulesOf(share), { run: "main", store, now });
    const board = createTasks(run, loadContract(SHIPPED_FILE), { now });
    for (let at = 0; at < tasks / 2; at += 1) {
      const task = `task-${share}-${at}`;
      const who = { task, agent: "ann" };
      await board.create({ id: task });
      const held = await board.claim({ ...who });
      const call = (id: string, command: string) =>
        run.toolCall({ ...who, id, tool: "bash", args: { command }, cwd });
      await call("1", "cat .env");
      await call("2", "npm publish x");
      // Asking again before an answer is the same question.
      await call("3", "npm publish x");
      await run.transition({ ...who, to: "COMPLETED", artifacts: { ok: false } });
      clock += (share === 0 ? 60_000 : 20_000) + at * 1_000;
      await board.complete({ ...who, fence: held?.fence ?? 0, artifacts: {} });
    }
    await run.close();
  }
  await store.close();
  return cwd;
}

/** A project with a store of so many runs. In each, the agent makes one call once more than in the run before. */
export async function recorded(runs: number, publish = "npm publish x"): Promise<string> {
  const cwd = scratch(POLICIES);
  const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
  const kernel = createKernel({
    plugins: [policy({ text: POLICIES["a.toml"], discover: "none" })],
  });
  for (let at = 1; at <= runs; at += 1) {
    const run = await openRun(kernel, { run: `r${at}`, store });
    const lines = ["ls src", "cat .env", ...Array.from({ length: at }, () => publish)];
    for (const [id, command] of lines.entries())
      await run.toolCall({ tool: "bash", args: { command }, cwd, id: `${id}` });
    await run.close();
  }
  await store.close();
  return cwd;
}
