import type { LogEvent, ToolCall } from "@bylaw/kernel";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePolicy, compiledPolicy, parsePolicy, PolicyError } from "../src/index.ts";
import { monitor, type Step } from "./marks-monitor.ts";

const load = (text: string) => parsePolicy(text, { file: "p.toml", operator: true });
const mark = '[[marks]]\nname = "m"\ntool = "m"\n';
const rule = (more: string): string => `[[rules]]\nname = "r"\naction = "deny"\n${more}\n`;

test.each([
  ["name", "nmae"],
  ["tool", "tol"],
  ["tool", "comand"],
])("a mark with `%s` written as `%s` is one fault", (key, written) => {
  const text = mark.replace(key, written) + rule('after = "m"');
  // The message ends with the number of further faults, if any.
  expect(() => load(text)).toThrow(new RegExp(`: Unknown key \`${written}\`$`));
});

test.each([
  [
    "with a mark that is not there",
    mark + rule('after = ["m", "n"]'),
    "No mark of this file is named `n`",
  ],
  [
    "with a misspelt mark",
    `${mark.replace('"m"', '"tested"')}${rule('after = "testd"')}`,
    "No mark of this file is named `testd`",
  ],
  ["with two marks of one name", mark + mark + rule('after = "m"'), "Another mark is named `m`"],
  [
    "with a mark that clears itself",
    `${mark}cleared_by = "m"\n${rule('after = "m"')}`,
    "cannot clear itself",
  ],
  ["with an unknown clearing mark", `${mark}cleared_by = "x"\n${rule('after = "m"')}`, "named `x`"],
  [
    "with another outcome",
    `${mark}outcome = "failed"\n${rule('after = "m"')}`,
    "`outcome` must be `passed`",
  ],
  [
    "with an action on a mark",
    `${mark}action = "deny"\n${rule('after = "m"')}`,
    "Unknown key `action`",
  ],
  ["with a mark without a name", `[[marks]]\ntool = "m"\n`, "The mark lacks `name`"],
  [
    "with a span that is none",
    mark + rule('after = { mark = "m", within = "soon" }'),
    "a span of time like `10m`",
  ],
  ["with too many times", mark + rule('after = { mark = "m", times = 1000 }'), "from 1 to 100"],
  ["with an unknown key", mark + rule('after = { mark = "m", time = 2 }'), "Unknown key `time`"],
  [
    "with a command of no shell",
    `[[marks]]\nname = "m"\ntool = "x"\ncommand = "ls"\n${rule('after = "m"')}`,
    "needs a tool that runs a shell line",
  ],
  [
    "with a mark that is never certain",
    `[[marks]]\nname = "m"\ntool = "mcp__a__b__c"\n${rule('unless_after = "m"')}`,
    "No call can certainly set the mark `m`",
  ],
])("a policy does not load: %s", (_, text, message) => {
  expect(() => load(text)).toThrow(PolicyError);
  expect(() => load(text)).toThrow(message);
});

test("a mark that no rule asks about gets a warning", () => {
  const [warning] = load(mark).warnings;
  expect(warning).toMatchObject({ line: 2, message: "No rule asks about the mark `m`" });
});

test("a compiled form keeps marks", () => {
  const text = `[[marks]]\nname = "m"\ncommand = "npm test"\noutcome = "passed"\n${rule('tool = "t"\nunless_after = "m"')}`;
  const form = compiledPolicy(text);
  if (form === undefined) throw new Error("there is none");
  const compiled = [JSON.parse(JSON.stringify(form)) as typeof form];
  const file = parsePolicy(text, { file: "p.toml", operator: true, compiled });
  expect(file.marks?.map(({ source }) => source)).toEqual(
    load(text).marks?.map(({ source }) => ({ ...source, line: 1 })),
  );
  expect(file.rules[0]?.source.unless_after).toEqual({ marks: ["m"], times: 1 });
});

describe("marks equal those of a monitor that looks at the whole history", () => {
  const TEXT = `
${["a", "b"].map((name) => `[[marks]]\nname = "${name}"\ntool = "${name}|ab"\n`).join("")}
[[marks]]
name = "ok"
tool = "ok"
outcome = "passed"
cleared_by = ["a"]
[[marks]]
name = "c"
tool = "c"
cleared_by = "b"
${[
  ["after-a", "deny", 'after = "a"'],
  ["after-c", "deny", 'after = { mark = "c", times = 2, within = "10s" }'],
  ["unless-ok", "deny", 'unless_after = "ok"'],
  ["allow-after-c", "allow", 'after = "c"'],
  ["allow-unless-b", "allow", 'unless_after = ["b", "ok"]'],
]
  .map(
    ([name, action, more]) =>
      `[[rules]]\nname = "${name}"\naction = "${action}"\ntool = "ask-${name}"\n${more}\n`,
  )
  .join("")}`;
  const pool = compilePolicy([load(TEXT)]);
  const { marks } = pool;
  if (marks === undefined) throw new Error("there are none");
  const questions = pool.rules.map(({ name }) => name);
  const step: fc.Arbitrary<Step> = fc.record({
    kind: fc.constantFrom("allowed", "asked", "denied", "result", "result", "cleared"),
    tool: fc.constantFrom("a", "b", "ab", "ok", "ok", "c", "other"),
    id: fc.constantFrom("1", "2", "3"),
    ok: fc.boolean(),
    reported: fc.boolean(),
    seconds: fc.nat(6),
  });
  const runs = Number(process.env["BYLAW_HISTORIES"] ?? 2_000);
  test(`${runs} histories`, () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 24 }), (steps) => {
        let now = Date.parse("2026-01-01T00:00:00.000Z");
        let state = marks.initial;
        const events: LogEvent[] = [];
        for (const one of steps) {
          now += one.seconds * 1_000;
          const event = eventOf(one, events.length + 1, now);
          events.push(event);
          state = marks.reduce(state, event);
        }
        const at = new Date(now).toISOString();
        for (const name of questions) {
          const call: ToolCall = { hook: "beforeToolCall", tool: `ask-${name}`, args: {}, at };
          const votes = pool.evaluate(call, { recorded: true, stateOf: () => state });
          expect([name, votes !== undefined]).toEqual([name, monitor(name, steps)]);
        }
      }),
      { numRuns: runs },
    );
  }, 3_600_000);
});

function eventOf({ kind, tool, id, ok, reported }: Step, sequence: number, at: number): LogEvent {
  const envelope = {
    ...{ timestamp: new Date(at).toISOString(), sequence, session_id: "" },
    ...{ agent_id: null, task_id: null },
  };
  if (kind === "cleared")
    return { ...envelope, event_type: "mark_cleared", details: { mark: tool, by: "ann" } };
  if (kind !== "result")
    return { ...envelope, event_type: `tool_${kind}`, details: { id, tool, args: {} } };
  const said = reported ? { reported } : {};
  return {
    ...envelope,
    event_type: "tool_result",
    details: { id, tool, ok, result: null, ...said },
  };
}
