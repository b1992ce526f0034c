import type { ToolCall } from "@bylaw/kernel";
import { readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { compilePolicy, lineReport, type RuleReport } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { policyOf, type RuleData } from "./toml.ts";

function report(rule: RuleData, one: ToolCall): RuleReport {
  const [found] = compilePolicy([policyOf([{ name: "r", ...rule }])]).explain(one);
  if (found === undefined) throw new Error("no report");
  return found;
}
const deny = (rule: RuleData): RuleData => ({ action: "deny", ...rule });
const allow = (rule: RuleData): RuleData => ({ action: "allow", ...rule });

describe("a rule that does not match reports what it requires and what the call has", () => {
  it.each(readCases<[string, RuleData, ToolCall, string, string]>(import.meta, "unmatched-rules"))(
    "%s: %j",
    (failed, rule, one, expected, actual) => {
      const found = report(rule, one);
      expect(found).toMatchObject({ matched: false, failed, expected });
      expect(found.actual?.startsWith(actual)).toBe(true);
    },
  );

  it("reports nothing for a rule that matches", () => {
    const found = report(deny({ command: "rm *" }), run("rm a"));
    expect(found.matched).toBe(true);
    for (const key of ["failed", "expected", "actual", "elsewhere"])
      expect(found).not.toHaveProperty(key);
  });

  it("distinguishes a rule about other tools from one whose arguments fail", () => {
    expect(report(deny({ command: "rm *" }), call("read_file", { path: "a" })).elsewhere).toBe(
      true,
    );
    expect(report(deny({ paths: "/etc/**" }), call("send_mail")).elsewhere).toBe(true);
    expect(report(deny({ network: "a.example" }), call("send_mail")).elsewhere).toBe(true);
    expect(report(deny({ command: "rm *" }), run("ls")).elsewhere).toBeUndefined();
    expect(
      report(deny({ paths: "/etc/**" }), call("write_file", { path: "a" })).elsewhere,
    ).toBeUndefined();
  });

  it("gives the reason why a line is unknown", () => {
    expect(report(allow({ command: "ls *" }), run("ls 'a")).actual).toMatch(/not known: /);
    expect(report(allow({ command: "ls *" }), run("$x")).actual).toMatch(/not known: /);
  });

  it("stays short for a line of many commands", () => {
    const { actual = "" } = report(
      deny({ command: "rm *" }),
      run(Array.from({ length: 50 }, (_, at) => `echo ${at}`).join("; ")),
    );
    expect(actual).toBe("`echo 0`, `echo 1`, `echo 2`, `echo 3` and 46 more");
  });
});

describe("the report of a line", () => {
  it("lists every command with its effects", () => {
    expect(lineReport(run("FOO=1 cat a > b; sudo rm c"))).toMatchObject({
      unknown: [],
      commands: [
        {
          text: "FOO=1 cat a > b",
          origin: "line",
          effects: expect.arrayContaining(["read a", "write b"]) as unknown,
        },
        { text: "sudo rm c", effects: expect.arrayContaining(["privilege"]) as unknown },
        { text: "rm c", origin: "wrapper", effects: ["delete c"] },
      ],
    });
  });

  it("marks what only bash can know, and gives the reason for an unknown line or command", () => {
    expect(lineReport(run("cat $x"))?.commands[0]?.text).toBe("cat …");
    expect(lineReport(run("eval $x"))?.commands.some(({ unknown }) => unknown.length > 0)).toBe(
      true,
    );
    expect(lineReport(run("echo 'a"))?.unknown).not.toEqual([]);
  });

  it("is undefined for a call that runs no line", () => {
    expect(lineReport(call("read_file", { path: "a" }))).toBeUndefined();
    expect(lineReport(call("bash", { command: 5 }))).toBeUndefined();
    expect(lineReport(call("bash", []))).toBeUndefined();
  });
});
