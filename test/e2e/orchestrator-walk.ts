import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";
import type { LogEvent } from "@bylaw/kernel";
import type { StoreReader } from "@bylaw/log";
import { spawnAgent, type SpawnedAgent } from "@bylaw/sdk/node";
import { ENROL, textIn, type Site } from "./orchestrator-kit.ts";
import { CODE, HANDED, TESTS } from "./walk-artifacts.ts";

/** The tasks of the walk. */
export const TASKS = ["adder-1", "adder-2", "adder-3"] as const;
export const PHASES = ["PLAN", "TDD", "IMPL", "REVIEW", "COMPLETE"] as const;

const children = join(import.meta.dirname, "children");
const python =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;
if (!python)
  console.warn("No agent of these walks is in Python: there is no python3 of 3.9 or later here.");
const ARTIFACTS = JSON.stringify({
  ...HANDED,
  review: HANDED.review(),
  tests_text: TESTS,
  code_text: CODE,
});

const running: SpawnedAgent[] = [];
/** Ends every agent that is still running: for `afterAll`. */
export const endAgents = async (): Promise<void> =>
  void (await Promise.all(running.map((agent) => agent.stop({ grace_ms: 0 }))));

/** Starts three agents, the last of them in Python if there is one. */
export async function startAgents(endpoint: string): Promise<readonly SpawnedAgent[]> {
  return Promise.all(
    TASKS.map(async (task_id, index) => {
      const inPython = python && index === TASKS.length - 1;
      const agent = await spawnAgent(
        inPython
          ? ["python3", join(children, "agent.py"), ARTIFACTS]
          : [process.execPath, join(children, "agent.ts")],
        {
          ...{ endpoint, agent_id: `agent-${index + 1}`, enrol_secret: ENROL, task_id },
          env: inPython
            ? {
                PYTHONPATH: join(import.meta.dirname, "../../packages/sdk-python/src"),
                PYTHONDONTWRITEBYTECODE: "1",
              }
            : {},
        },
      );
      running.push(agent);
      return agent;
    }),
  );
}

/** Reads all events of a run from its store. */
export async function eventsOf(reader: StoreReader, run = "main"): Promise<readonly LogEvent[]> {
  try {
    return await reader.events(run, 0, 100_000);
  } finally {
    await reader.close();
  }
}

/** Checks what must be true whatever happened on the way: nothing was lost, and nothing happened twice. */
export function judge(site: Site, events: readonly LogEvent[]): void {
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  for (const task of TASKS) {
    const own = events.filter(({ task_id }) => task_id === task);
    const entered = own
      .filter(({ event_type }) => event_type === "phase_entered")
      .map(({ details }) => details["to"]);
    expect([task, entered]).toEqual([task, [...PHASES, "@completed"]]);
    expect(own.filter(({ event_type }) => event_type === "task_claimed")).toHaveLength(1);
    expect(own.filter(({ event_type }) => event_type === "task_finished")).toHaveLength(1);
    expect(textIn(site, task, "src/journal.js")).toBe("// one\n// two\n// three\n");
    expect(site.git(task, "log", "--format=%s").split("\n")).toEqual(["Add two numbers", "begin"]);
    expect(site.git(task, "status", "--porcelain")).toBe("");
  }
}
