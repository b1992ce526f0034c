import { readFileSync } from "node:fs";
import {
  codemachineResumeIndex,
  codemachineTrace,
  radiumCondition,
  radiumResumeIndex,
  type CodemachineCase,
  type CodemachineTrace,
} from "../src/index.ts";
import type { Json, JsonObject } from "@bylaw/kernel";
import { describe, expect, it } from "vitest";

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));

const traces = fixture("loop-traces") as readonly (CodemachineCase & {
  readonly name: string;
  readonly result: CodemachineTrace;
})[];

it.each(traces.map((one) => [one.name, one] as const))(
  "a workflow of CodeMachine 0.7 runs as in CodeMachine: %s",
  (_, one) => {
    expect(codemachineTrace(one)).toEqual(one.result);
  },
);

const conditions = fixture("step-conditions") as {
  readonly context: JsonObject;
  readonly cases: readonly { readonly condition: string; readonly result: boolean }[];
};

it.each(conditions.cases.map(({ condition, result }) => [condition, result] as const))(
  "a condition of Radium means the same as in Radium: %j is %s",
  (condition, result) => {
    expect(radiumCondition(condition, conditions.context)).toBe(result);
  },
);

const resumes = fixture("resume-index") as {
  readonly codemachine_v070: readonly { readonly tracking: Json; readonly resume: number }[];
  readonly radium_step_tracker: readonly {
    readonly completed: readonly string[];
    readonly total: number;
    readonly resume: number;
  }[];
};

describe("a workflow resumes where the older system resumed", () => {
  it.each(resumes.codemachine_v070)("CodeMachine: $tracking", ({ tracking, resume }) =>
    expect(codemachineResumeIndex(tracking)).toBe(resume),
  );
  it.each(resumes.radium_step_tracker)("Radium: $completed", ({ completed, total, resume }) =>
    expect(radiumResumeIndex(completed, total)).toBe(resume),
  );
});
