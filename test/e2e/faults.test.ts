import { basename } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { bylaw, json, scratch, type Ran } from "./bylaw.ts";

interface Finding {
  readonly file: string;
  readonly line?: number;
  readonly severity: string;
  readonly message: string;
}

interface Case {
  readonly name: string;
  readonly template?: object;
  readonly run?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly told: readonly string[];
}

const casesOf = (name: string): readonly Case[] => readCases<Case>(import.meta, name);
const findingsOf = (ran: Ran): readonly Finding[] => json(ran)["findings"] as readonly Finding[];

it.each(casesOf("at-once"))(
  "all faults are reported at once: $name",
  ({ run = "", files = {}, told }) => {
    const ran = bylaw(`${run} --json`, { cwd: scratch(files) });
    expect(
      findingsOf(ran).map(
        ({ file, line, message }) =>
          `${basename(file)}${line === undefined ? "" : `:${line}`} ${message}`,
      ),
    ).toEqual(told);
    expect(ran.code).toBeGreaterThan(0);
  },
);

describe("FR-8: a template of an older form reports", () => {
  it.each(casesOf("older"))("$name", ({ template, told }) => {
    const cwd = scratch({ "w.json": JSON.stringify(template) });
    const ran = bylaw("template validate w.json --json", { cwd });
    expect(findingsOf(ran).map(({ severity, message }) => `${severity} ${message}`)).toEqual(told);
    expect(ran.code).toBe(told.some((one) => one.startsWith("error")) ? 1 : 0);
  });

  it("and its oversight is asked before a person is", () => {
    const steps = [{ agentId: "a" }, { agentId: "b" }];
    const verdict = '{"risk":0.9,"advice":"Look again.","traits":[],"uncertainties":[]}';
    const oversight = { command: ["echo", verdict], every_steps: 1 };
    const run = { command: ["true"] };
    const cwd = scratch({
      "w.json": JSON.stringify({ name: "w", oversight, steps }),
      "agents.json": JSON.stringify({ a: { run }, b: { run } }),
    });
    expect(bylaw("run w.json --agents agents.json", { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("Look again."),
    });
  });
});
