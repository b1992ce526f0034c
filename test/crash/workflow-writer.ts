// Runs a workflow to its end over checkpoints, or until `count` events are on record, without those that repeat something after a kill.
// Then it exits at once, like a machine that loses power.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type LogEvent } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import type { Store } from "@bylaw/store";
import { checkpoint, resumeCheckpoint } from "@bylaw/plugin-checkpoint";
import { loop } from "@bylaw/plugin-loop";
import { trigger } from "@bylaw/plugin-trigger";
import { requestOversight, vibecheck } from "@bylaw/plugin-vibecheck";
import {
  loopOptionsOf,
  parseTemplate,
  resultOf,
  runWorkflow,
  triggerOptionsOf,
  workflow,
  workflowState,
} from "@bylaw/runner";
import { openSqliteStore } from "@bylaw/store-sqlite";

const [folder = "", killAt = Infinity] = process.argv.slice(2);
const { template, definition } = await parseTemplate(readFileSync(join(folder, "w.json"), "utf8"), {
  file: "w.json",
});
const sqlite = await openSqliteStore(join(folder, "store.db"));
const isProgress = ({ event_type, details }: LogEvent): boolean =>
  event_type !== "session_resumed" &&
  !(event_type.endsWith("_started") && Number(details["attempt"]) > 1);
let count = (await sqlite.events("r", 0, 10_000)).filter(isProgress).length;
const store = new Proxy<Store>(sqlite, {
  get(target, key) {
    const value: unknown = Reflect.get(target, key);
    if (typeof value !== "function") return value;
    if (key !== "commit") return (value as (...args: readonly unknown[]) => unknown).bind(target);
    return async (...args: Parameters<Store["commit"]>) => {
      const receipt = await target.commit(...args);
      count += receipt.events.filter(isProgress).length;
      if (count >= Number(killAt)) process.kill(process.pid, "SIGKILL");
      return receipt;
    };
  },
});
const called = triggerOptionsOf(template);
const plugins = [
  loop(loopOptionsOf(template)),
  ...(called === undefined ? [] : [trigger(called)]),
  checkpoint(),
  vibecheck(),
  workflow(),
];
const run = await openRun(createKernel({ plugins }), { run: "r", store });
const service = {
  name: "calm",
  ask: async () => ({ risk: 0.1, advice: "go on", traits: [], uncertainties: [] }),
};
const go = () =>
  runWorkflow({
    ...{ run, template, definition, workspace: folder, controlFile: join(folder, "behavior.json") },
    oversee: ({ agent, kind, goal, plan }) =>
      requestOversight(run, service, { agent, task: null, request: { kind, goal, plan } }),
  });
let end = await go();
while (end.outcome === "paused") {
  for (const { checkpoint: number } of run.view(workflowState).pauses)
    await resumeCheckpoint(run, { checkpoint: number, by: "ada", definition });
  end = await go();
}
const state = run.view(workflowState);
const results = template.steps.map(({ id }) => {
  const { status, visits, exit_code } = resultOf(state, id) ?? {};
  return [id, status, visits, exit_code];
});
console.log(
  JSON.stringify({
    end,
    results,
    cursor: state.cursor,
    scopes: state.scopes,
    units: state.units,
    head: run.head,
  }),
);
await run.close();
await store.close();
