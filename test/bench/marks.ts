// Measures what marks cost a decision: 100 rules without marks, with marks but no run, and with marks in a run.
import { createKernel, type Kernel, type ToolCall } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";

const RULES = 100;
const CALLS = 50;
const WARM_UPS = 400;
const PASSES = 200;
const ROUNDS = 7;

/** Each rule is about its own program, and asks about its own mark or about one that all rules share. */
function policyOf(marks: boolean, all: boolean): string {
  const rules = Array.from({ length: RULES }, (_, at) => {
    const about = all ? 'effects = ["network"]' : `command = "prog${at} *"`;
    return (
      (marks ? `[[marks]]\nname = "m${at}"\ncommand = "mark${at} *"\n` : "") +
      `[[rules]]\nname = "r${at}"\naction = "deny"\n${about}\n${marks ? `after = "m${at}"\n` : ""}`
    );
  });
  return `default = "allow"\n${rules.join("")}`;
}

const line = (command: string): ToolCall => ({
  ...{ hook: "beforeToolCall", tool: "bash", args: { command } },
  ...{ cwd: "/w", workspace: "/w", home: "/h", at: "2026-01-01T00:00:00.000Z" },
});

const kernelOf = (marks: boolean, all: boolean): Kernel =>
  createKernel({ plugins: [policy({ text: policyOf(marks, all) })] });

/** Processor time of a call in microseconds, as the best of a few rounds, so that other programs on the machine do not count. */
function microseconds(calls: readonly ToolCall[], decide: (call: ToolCall) => unknown): number {
  const pass = (times: number): void => {
    for (let round = 0; round < times; round += 1) for (const call of calls) decide(call);
  };
  pass(WARM_UPS);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage();
    pass(PASSES);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / PASSES / calls.length;
  });
  return Math.min(...rounds);
}

const rows: string[] = [];
for (const [name, all, command] of [
  ["one rule asks", false, (at: number) => `prog${at} x`],
  ["a call sets a mark", false, (at: number) => `mark${at} x`],
  ["100 rules ask", true, (at: number) => `curl https://h${at}.example`],
  ["no rule asks", false, (at: number) => `ls a${at}`],
] as const) {
  const calls = Array.from({ length: CALLS }, (_, at) => line(command(at)));
  const plain = kernelOf(false, all);
  const marked = kernelOf(true, all);
  const run = await openRun(marked, { run: "r" });
  const without = microseconds(calls, (call) => plain.decide(call));
  const stateless = microseconds(calls, (call) => marked.decide(call));
  const inRun = microseconds(calls, (call) => marked.decide(call, run.view));
  const figures = [without, stateless, inRun, inRun - stateless].map((one) => one.toFixed(2));
  const [bare, alone, together, more] = figures;
  rows.push(
    `${name.padEnd(20)} ${bare} µs without marks, ${alone} µs with, ${together} µs in a run, ${more} more`,
  );
}
for (const row of rows) console.log(row);
