// Compares rules over the past with a monitor that searches the whole run again at each step, on recorded runs of real agents: `npm
// run bench:sequences -- SET [--mixed COUNT] [--seed N]`. It also mixes whole runs with each other. Programs that run tests pass or
// fail at random.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";

const POLICY = `
default = "allow"
[[marks]]
name = "edited"
tool = "write_file"
[[marks]]
name = "tested"
command = ["python *", "python3 *"]
outcome = "passed"
cleared_by = "edited"
[[marks]]
name = "read"
command = ["cat *", "strings *", "file *"]
[[rules]]
name = "submit-needs-tests"
action = "deny"
tool = "submit"
unless_after = "tested"
[[rules]]
name = "no-network-after-reading"
action = "deny"
command = "curl *"
after = "read"
[[rules]]
name = "few-edits"
action = "deny"
tool = "write_file"
after = { mark = "edited", times = 6 }
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { mixed: { type: "string", default: "500" }, seed: { type: "string", default: "1" } },
});
const [set] = positionals;
if (set === undefined) throw new Error("Name a set whose cases have a `run`");

interface Step {
  readonly tool: string;
  readonly command: string;
  /** Whether the step succeeds if it is allowed to run. */
  readonly passes: boolean;
}

let state = Number(values.seed) >>> 0;
/** A random integer from 0 to below `most`, the same for the same seed. */
function chance(most: number): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * most);
}

const TOOLS: Readonly<Record<string, string>> = {
  ...{ edit: "write_file", create: "write_file", insert: "write_file" },
  ...{ open: "read_file", find_file: "glob", submit: "submit" },
};
const runs = new Map<string, string[]>();
for (const line of readFileSync(join(set, "cases.jsonl"), "utf8").trimEnd().split("\n")) {
  const { run, command } = JSON.parse(line) as { readonly run: string; readonly command: string };
  runs.set(run, [...(runs.get(run) ?? []), command]);
}
const stepOf = (command: string): Step => {
  const tool = TOOLS[command.split(/\s/, 1)[0] ?? ""] ?? "bash";
  return { tool, command, passes: chance(2) === 1 };
};
const recorded = [...runs.values()].map((commands) => commands.map(stepOf));
/** Two runs interleaved, as if two agents made them at once. */
function mixed(): readonly Step[] {
  const [one, other] = [0, 1].map(() => [...(recorded[chance(recorded.length)] ?? [])]);
  const steps: Step[] = [];
  for (;;) {
    const next = (chance(2) === 0 ? one : other)?.shift() ?? one?.shift() ?? other?.shift();
    if (next === undefined) return steps;
    steps.push({ ...next, passes: chance(2) === 1 });
  }
}

/** The rule that a step breaks, given the steps before it that ran. */
function monitored({ tool, command }: Step, ran: readonly Step[]): string | undefined {
  const edited = (one: Step): boolean => one.tool === "write_file";
  const isCommand = (names: RegExp) => (one: Step) =>
    one.tool === "bash" && names.test(one.command);
  const lastEdit = ran.findLastIndex(edited);
  const lastTests = ran.findLastIndex((one) => isCommand(/^python3? /)(one) && one.passes);
  if (tool === "submit" && lastTests <= lastEdit) return "submit-needs-tests";
  if (
    isCommand(/^curl /)({ tool, command, passes: true }) &&
    ran.some(isCommand(/^(cat|strings|file) /))
  )
    return "no-network-after-reading";
  if (tool === "write_file" && ran.filter(edited).length >= 6) return "few-edits";
  return undefined;
}

const kernel = createKernel({ plugins: [policy({ text: POLICY })] });
const counts = { sequences: 0, decisions: 0 };
const denied: Record<string, number> = {};
const differences: string[] = [];

async function replay(name: string, steps: readonly Step[]): Promise<void> {
  const run = await openRun(kernel, { run: name });
  const ran: Step[] = [];
  for (const [at, step] of steps.entries()) {
    const { tool, command, passes } = step;
    const id = `${name}-${at}`;
    const args = tool === "write_file" ? { path: `/w/${at}.py`, content: command } : { command };
    const place = { cwd: "/w", workspace: "/w", home: "/h" };
    const { applied, decision } = await run.toolCall({ id, tool, args, ...place });
    const rule = applied === "deny" ? (decision.rule?.name ?? decision.code) : undefined;
    const wanted = monitored(step, ran);
    counts.decisions += 1;
    if (rule !== undefined) denied[rule] = (denied[rule] ?? 0) + 1;
    if (rule !== wanted) differences.push(`${id} \`${command}\`: ${rule} instead of ${wanted}`);
    if (rule !== undefined) continue;
    ran.push(step);
    await run.toolResult({ id, tool, ok: passes, result: { exit_code: passes ? 0 : 1 } });
  }
  counts.sequences += 1;
  await run.close();
}

for (const [at, steps] of recorded.entries()) await replay(`recorded-${at}`, steps);
for (let at = 0; at < Number(values.mixed); at += 1) await replay(`mixed-${at}`, mixed());
for (const line of differences.slice(0, 20)) console.log(line);
console.log(
  `${counts.sequences} sequences (${recorded.length} as recorded), ${counts.decisions} decisions, denied ${JSON.stringify(denied)}, ${differences.length} differences`,
);
if (differences.length > 0) process.exitCode = 1;
