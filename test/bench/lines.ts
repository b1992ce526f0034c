// Measures the processor time of the longest shell lines that the rules of two rulesets read, prepare and decide.
import { createKernel, type Decision, type Kernel, type ToolCall } from "@bylaw/kernel";
import { everyday } from "@bylaw/ruleset-everyday";
import { recommended } from "@bylaw/ruleset-recommended";

const MAX_LENGTH = 16_384;
const WARM_UPS = 10;
const ROUNDS = 5;

/**
 * The parts that a line repeats; each `#` becomes a different number. At most `most` repetitions, so that no line exceeds the
 * limits.
 */
const UNITS: readonly {
  readonly unit: string;
  readonly most?: number;
  readonly before?: string;
}[] = [
  { unit: "rm -rf d#;" },
  { unit: "rm *x;" },
  { unit: "rm -rf d#;", most: 245 },
  { unit: "ln -s a# b#;", most: 245 },
  { unit: "cp a# b#;", most: 245 },
  { unit: "cat d#/**/x y#/*/z w#/*;", most: 245 },
  { unit: "git mv a# b#;", most: 245 },
  { unit: "cp s/*.ts l#;", most: 245 },
  { unit: "ls *;", most: 990 },
  { unit: "git ls-files | xargs cat;", most: 330 },
  { unit: "rm -r a# b# c#;" },
  { unit: "tool a# b# c# d# e#;" },
  { unit: "find . -name #;" },
  { unit: "cat <(ls #);", most: 245 },
  { unit: "cat $(find a# b#);" },
  { unit: "cat $(find a# b#);", most: 120 },
  { unit: "for f in $(ls #);do cat $f;done;" },
  { unit: "find a# | while read -r f;do cat $f;done;", most: 80 },
  { unit: "n=$(wc -l < a#);[ $n -gt 3 ];", most: 120 },
  { unit: " && a", before: "bash <<E\nwhile cd a; do " },
  { unit: "npm a#;", most: 245 },
  { unit: "pnpm a#/b# c# -x#;", most: 245 },
  { unit: "x rm a# sudo b# git c#;", most: 245 },
  { unit: "rm ", before: "git log " },
  { unit: "xargs ", before: "cat " },
  { unit: "git commit --opt#=a ", before: "x " },
  { unit: "--opt# ", before: "kubectl " },
];

function lineOf(unit: string, most = Number.POSITIVE_INFINITY, before = ""): string {
  let line = before;
  for (let at = 0; at < most; at++) {
    const part = unit.replaceAll("#", String(at));
    if (line.length + part.length > MAX_LENGTH) break;
    line += part;
  }
  return line;
}

const cwd = process.cwd();
const RULESETS = { recommended, everyday };

async function decide(kernel: Kernel, command: string): Promise<Decision> {
  const call: ToolCall = {
    hook: "beforeToolCall",
    tool: "bash",
    args: { command },
    cwd,
    workspace: cwd,
    home: "/home/dev",
  };
  return kernel.decide(call);
}

/** Milliseconds of processor time over all threads. Another line is decided first, so that nothing about this one is cached. */
async function costOf(kernel: Kernel, command: string): Promise<number> {
  await decide(kernel, "true");
  const start = process.cpuUsage();
  await decide(kernel, command);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** Prints a table for each ruleset, with the median and the longest of some rounds. Earlier rounds warm up. */
export async function printLines(): Promise<void> {
  console.log(
    `\nMilliseconds of the processor to prepare and decide a line of at most ${MAX_LENGTH} characters: median and longest of ${ROUNDS} rounds.`,
  );
  for (const [name, ruleset] of Object.entries(RULESETS)) {
    console.log(`\n| ${name} | characters | effect | ms | longest |`);
    console.log("| --- | ---: | --- | ---: | ---: |");
    const kernel = createKernel({ extends: [ruleset] });
    for (const { unit, most, before = "" } of UNITS) {
      const line = lineOf(unit, most, before);
      for (let at = 0; at < WARM_UPS; at++) await costOf(kernel, line);
      const times: number[] = [];
      for (let at = 0; at < ROUNDS; at++) times.push(await costOf(kernel, line));
      times.sort((a, b) => a - b);
      const { effect } = await decide(kernel, line);
      const cells = [times[ROUNDS >> 1], times.at(-1)].map((ms = Number.NaN) => ms.toFixed(1));
      const shown = JSON.stringify(before + unit).slice(1, -1);
      console.log(`| \`${shown}\` | ${line.length} | ${effect} | ${cells.join(" | ")} |`);
    }
  }
}
