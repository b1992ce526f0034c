import { readFileSync } from "node:fs";
import type { Json, JsonObject } from "@bylaw/kernel";
import { countOf, loopCounters } from "@bylaw/plugin-loop";
import { resumeCheckpoint } from "@bylaw/plugin-checkpoint";
import {
  parseTemplate,
  workflowState,
  type CodemachineCase,
  type CodemachineTrace,
  type StepContext,
} from "../src/index.ts";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { stage, templateOf, write, stageOf } from "./kit.ts";

type Case = CodemachineCase & { readonly name: string; readonly result: CodemachineTrace };
const cases = JSON.parse(
  readFileSync(new URL("fixtures/loop-traces.json", import.meta.url), "utf8"),
) as readonly Case[];
const play = { run: { function: "play" }, prompt: "", env: [] };
const agentOf = (step: JsonObject): string => String(step["agentId"]);

const more = readCases<Omit<Case, "result">>(import.meta, "more");

/** Runs a workflow of CodeMachine with the runner, and returns what happened in the format of the traces. */
async function walked({
  steps,
  writes,
  onCheckpoint = "continue",
  completed = [],
}: Omit<Case, "result" | "name">) {
  const origins = steps.flatMap((step, index) => (step["type"] === "module" ? [index] : []));
  const agents = Object.fromEntries(
    [...steps.map(agentOf), "git-commit"].map((agent) => [agent, play]),
  );
  const loaded = await parseTemplate(JSON.stringify({ name: "w", steps }), {
    file: "w.json",
    agents,
    compat: "codemachine",
  });
  const indexOf = (id: string): number =>
    origins[loaded.template.steps.findIndex((step) => step.id === id)] ?? -1;
  const at = stage(loaded, {
    play: ({ step, agent, visit, controlFile }: StepContext) => {
      const list =
        agent === agentOf(steps[indexOf(step)] ?? {}) ? (writes[String(indexOf(step))] ?? []) : [];
      const request: Json | undefined = list[Math.min(visit, list.length) - 1];
      if (request !== undefined && request !== "<delete>")
        write(controlFile, request as object | string);
      return undefined;
    },
  });
  const done = completed.flatMap((origin) =>
    loaded.template.steps.filter(({ id }) => indexOf(id) === origin).map(({ id }) => id),
  );
  for (;;) {
    const { outcome } = await at.go({ completed: done });
    if (outcome !== "paused" || onCheckpoint === "quit") break;
    const run = await at.open();
    for (const { checkpoint } of run.view(workflowState).pauses)
      await resumeCheckpoint(run, { checkpoint, by: "ada", definition: loaded.definition });
    await run.close();
  }
  const trace: Record<string, Json>[] = [];
  for (const { event_type, details } of await at.store.events("r", 0, 10_000)) {
    const step = indexOf(String(details["step"]));
    const directive = (details["directive"] ?? {}) as JsonObject;
    if (event_type === "step_started") trace.push({ step, visit: details["visit"] ?? null });
    else if (event_type === "step_skipped" && details["why"] === "loop")
      trace.push({ step, skipped: true });
    else if (event_type === "call_started")
      Object.assign(trace.at(-1) ?? {}, { trigger: details["agent"] });
    else if (directive["action"] === "checkpoint")
      Object.assign(trace.at(-1) ?? {}, { checkpoint: details["reason"] });
    else if (directive["action"] === "loop")
      Object.assign(trace.at(-1) ?? {}, {
        loopTo: indexOf(String(directive["to"])),
        iteration: directive["iteration"],
        skip: directive["skip"],
      });
  }
  const run = await at.open();
  const counts = run.view(loopCounters);
  const counters = Object.fromEntries(
    loaded.template.steps.flatMap(({ id, loop }) =>
      loop === null ? [] : [[indexOf(id), countOf(counts, null, id).iterations]],
    ),
  );
  await run.close();
  return { trace, counters };
}

/** A trace of CodeMachine without the parts that the runner words differently. */
function told({ steps }: Pick<Case, "steps">, { trace, counters }: CodemachineTrace) {
  const real = (index: Json | undefined): number =>
    steps.findIndex((step, at) => at >= Number(index) && step["type"] === "module");
  return {
    trace: trace.map(
      ({ agent: _, activeSkipAfter: __, stopped: ___, skipped, loopTo, ...entry }) => ({
        ...entry,
        ...(skipped === undefined ? {} : { skipped: true }),
        ...(loopTo === undefined ? {} : { loopTo: real(loopTo) }),
      }),
    ),
    counters: Object.fromEntries(
      steps.flatMap((step, index) => {
        const { behavior = {} } = (step["module"] ?? {}) as { readonly behavior?: JsonObject };
        return behavior["type"] === "loop"
          ? [
              [
                index,
                counters[`${String(((step["module"] ?? {}) as JsonObject)["id"])}:${index}`] ?? 0,
              ],
            ]
          : [];
      }),
    ),
  };
}

describe("the runner under `codemachine` takes the same steps as CodeMachine", () => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    expect(await walked(one)).toEqual(told(one, one.result));
  });

  it.each(more.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    const { codemachineTrace } = await import("../src/index.ts");
    expect(await walked(one)).toEqual(told(one, codemachineTrace(one)));
  });
});

describe("the runner under `radium`", () => {
  const visits = async (
    parts: object,
    requests: Readonly<Record<string, readonly object[]>>,
  ): Promise<readonly string[]> => {
    const seen: string[] = [];
    const at = await stageOf(
      { compat: "radium", ...parts },
      {
        play: ({ step, visit, controlFile }) => {
          seen.push(`${step}${visit}`);
          const request = requests[step]?.[visit - 1];
          if (request !== undefined) write(controlFile, request);
          return undefined;
        },
        fail: () => {
          throw new Error("no");
        },
      },
    );
    const end = await at.go();
    return [...seen, end.outcome];
  };
  const step = (id: string, said: object = {}) => ({ id, run: { function: "play" }, ...said });

  it("checks the limit first, ignores a stop at the limit, and ignores a missing file", async () => {
    const steps = [step("a"), step("b", { loop: { steps: 1, max_iterations: 1 } }), step("c")];
    const asked = {
      b: [{ action: "loop" }, { action: "stop" }],
      a: [{ action: "loop" }],
      c: [{ action: "stop" }],
    };
    expect(await visits({ steps }, asked)).toEqual(["a1", "b1", "a2", "b2", "c1", "completed"]);
  });

  it("takes an unreadable condition for true, and says so", async () => {
    const steps = [
      step("a", { run: { function: "fail" }, continue_on_error: true }),
      step("b", { when: "a.success == true" }),
      step("c", { when: "a.result.success == true" }),
      step("d", { skip_if: "nonsense" }),
    ];
    expect(await visits({ steps }, {})).toEqual(["b1", "completed"]);
    const { warnings } = await templateOf({ compat: "radium", steps });
    expect(warnings.map(({ message }) => message)).toEqual([
      "`when` is always true, as in Radium, which cannot read it",
      "`skip_if` is always true, as in Radium, which cannot read it",
    ]);
  });

  it("still holds for a broken file, because Radium treated it as an error", async () => {
    expect(await visits({ steps: [step("a"), step("b")] }, { a: [{ action: "Loop" }] })).toEqual([
      "a1",
      "held",
    ]);
  });
});
