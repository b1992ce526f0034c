// What marks cost a decision: 100 rules about marks beside 100 that ask as much without a past.
import { createKernel, type Kernel, type ToolCall } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";

const RULES = 100;
const CALLS = 50;
const WARM_UPS = 1_000;
const PASSES = 10;
const ROUNDS = 301;

interface Shape {
  readonly name: string;
  /** What a rule asks of the command. */
  readonly about: (at: number) => string;
  readonly command: (at: number) => string;
  /** The marks are set, so that the rules hold. */
  readonly set?: true;
}

const program = (at: number): string => `command = "prog${at} *"`;
const network = (): string => 'effects = ["network"]';
const url = (at: number): string => `curl https://h${at}.example`;

const SHAPES: readonly Shape[] = [
  { name: "no rule asks", about: program, command: (at) => `ls a${at}` },
  { name: "a call sets a mark", about: program, command: (at) => `mark${at} x` },
  { name: "one rule asks, unset", about: program, command: (at) => `prog${at} x` },
  { name: "one rule asks, set", about: program, command: (at) => `prog${at} x`, set: true },
  { name: "100 rules ask, unset", about: network, command: url },
  { name: "100 rules ask, set", about: network, command: url, set: true },
];

/** `marks`: each rule asks about a mark of its own. Else about an agent, which is never there or always. */
function kernelOf({ about, set }: Shape, marks: boolean): Kernel {
  const rules = Array.from({ length: RULES }, (_, at) => {
    const past = marks ? `after = "m${at}"` : `agent = "${set === true ? "me" : "nobody"}"`;
    return (
      (marks ? `[[marks]]\nname = "m${at}"\ncommand = "mark${at} *"\n` : "") +
      `[[rules]]\nname = "r${at}"\naction = "deny"\n${about(at)}\n${past}\n`
    );
  });
  return createKernel({ plugins: [policy({ text: `default = "allow"\n${rules.join("")}` })] });
}

const line = (command: string): ToolCall => ({
  ...{ hook: "beforeToolCall", tool: "bash", agent: "me", args: { command } },
  ...{ cwd: "/w", workspace: "/w", home: "/h", at: "2026-01-01T00:00:00.000Z" },
});

/** Processor time of a call in microseconds, of each way in short turns: medians, since others use the machine. */
function microseconds(
  calls: readonly ToolCall[],
  ways: readonly ((call: ToolCall) => unknown)[],
): readonly number[] {
  const pass = (decide: (call: ToolCall) => unknown, times: number): number => {
    const before = process.cpuUsage();
    for (let round = 0; round < times; round += 1) for (const call of calls) decide(call);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / times / calls.length;
  };
  for (const decide of ways) pass(decide, WARM_UPS);
  const rounds = Array.from({ length: ROUNDS }, () => ways.map((decide) => pass(decide, PASSES)));
  return ways.map((_, at) => {
    const sorted = rounds.map((round) => round[at] ?? 0).toSorted((a, b) => a - b);
    return sorted[Math.floor(ROUNDS / 2)] ?? 0;
  });
}

for (const shape of SHAPES) {
  const calls = Array.from({ length: CALLS }, (_, at) => line(shape.command(at)));
  const stateless = kernelOf(shape, false);
  const marked = kernelOf(shape, true);
  const run = await openRun(marked, { run: "r" });
  for (let at = 0; shape.set === true && at < RULES; at += 1)
    await run.toolCall(line(`mark${at} x`));
  const [floor = 0, inRun = 0] = microseconds(calls, [
    (call) => stateless.decide(call),
    (call) => marked.decide(call, run.view),
  ]);
  const figures = [floor, inRun, inRun - floor].map((one) => one.toFixed(2));
  console.log(
    `${shape.name.padEnd(22)} ${figures[0]} µs stateless, ${figures[1]} µs with marks, ${figures[2]} more`,
  );
}
