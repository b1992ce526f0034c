// Simulates a month in which a person answers questions and accepts every rule that `bylaw suggest` proposes in the evening:
// `npm run bench:suggest -- DIR [--policy NAME] [--days N]`. DIR holds `external`, `shell` and `shell-2`, as of labelled commands.
import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { createKernel, type Kernel, type Ruleset, type ToolCall } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    policy: { type: "string", default: "everyday" },
    days: { type: "string", default: "30" },
    calls: { type: "string", default: "200" },
  },
});
const [root] = positionals;
if (root === undefined) throw new Error("Name the folder of labelled commands");
const ruleset = (await import(`@bylaw/ruleset-${values.policy}`)) as Record<string, Ruleset>;
const bin = join(
  dirname(createRequire(import.meta.url).resolve("@bylaw/cli/package.json")),
  "dist/bin.js",
);

const HARMLESS = new Set(["allow", "benign", "benign_should_allow"]);
const HARMFUL = new Set(["block", "deny", "must_not_allow", "must_deny"]);
const place = { cwd: "/workspace", workspace: "/workspace", home: "/home/dev" };

interface Labelled {
  readonly command: string;
  readonly label: string;
}

const linesOf = (pattern: string): readonly Record<string, unknown>[] =>
  globSync(pattern, { cwd: root })
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    );

const external = linesOf("external/*/cases.jsonl").flatMap(({ command, label }): Labelled[] =>
  typeof command === "string" && typeof label === "string" ? [{ command, label }] : [],
);
const shell = linesOf("shell/cases.jsonl").flatMap(({ args, must, must_not }): Labelled[] => {
  const command = (args as { readonly command?: unknown } | undefined)?.command;
  const harmful = must === "deny" || must_not === "allow";
  return typeof command === "string" && harmful ? [{ command, label: "deny" }] : [];
});
const second = linesOf("shell-2/cases.jsonl") as unknown as readonly Labelled[];

const harmless = [
  ...new Set(external.filter((one) => HARMLESS.has(one.label)).map((one) => one.command)),
];
const harmful = [
  ...new Set(
    [...external, ...shell, ...second].flatMap(({ label, command }) =>
      HARMFUL.has(label) ? [command] : [],
    ),
  ),
].filter((command) => !harmless.includes(command));

// A generator with a seed, so that each run simulates the same month.
let seed = 26;
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

// Agents repeat few commands often and many rarely: the command of rank r is drawn with a weight of 1 / r.
const ranked = harmless.map((command) => ({ command, at: random() })).sort((a, b) => a.at - b.at);
const weights = ranked.map((_, at) => 1 / (at + 1));
const whole = weights.reduce((sum, weight) => sum + weight, 0);
function drawn(): string {
  let left = random() * whole;
  const at = weights.findIndex((weight) => (left -= weight) <= 0);
  return ranked[Math.max(0, at)]?.command ?? "";
}

const folder = mkdtempSync(join(tmpdir(), "bylaw-bench-suggest-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const learned = join(folder, "learned.toml");
writeFileSync(learned, "");
writeFileSync(
  join(folder, "bylaw.config.json"),
  JSON.stringify({
    extends: [`@bylaw/ruleset-${values.policy}`],
    plugins: [
      {
        use: "@bylaw/plugin-policy",
        options: { files: ["learned.toml"], operator: true, discover: "none" },
      },
    ],
  }),
);
const kernelNow = (): Kernel =>
  createKernel({
    extends: Object.values(ruleset),
    plugins: [policy({ files: [learned], operator: true, discover: "none" })],
  });
const callOf = (command: string): Omit<ToolCall, "hook"> => ({
  ...{ tool: "bash", args: { command }, ...place, approval_mode: "ask" },
});
const allowed = async (kernel: Kernel, command: string): Promise<boolean> =>
  (await kernel.decide({ hook: "beforeToolCall", ...callOf(command) })).effect === "allow";

const allowedBefore = new Set<string>();
for (const command of harmful) if (await allowed(kernelNow(), command)) allowedBefore.add(command);

interface Day {
  asked: number;
  /** Questions about calls that no rule covered. */
  open: number;
}

/** The calls of one day, with the person's answers. Returns the log as text. */
async function workday(name: string, kernel: Kernel): Promise<Day & { readonly log: string }> {
  const store = createMemoryStore();
  const run = await openRun(kernel, { run: name, store });
  const day = { asked: 0, open: 0 };
  for (let at = 0; at < Number(values.calls); at++) {
    // One call in 20 is harmful, and the person refuses it.
    const bad = at % 20 === 19;
    const call = callOf(bad ? pick(harmful) : drawn());
    const { decision, events } = await run.toolCall(call);
    if (decision.effect !== "ask_user") continue;
    day.asked += 1;
    if (decision.code === "fallback") day.open += 1;
    if (bad)
      await run.refuse({ asked: events.at(-1)?.sequence ?? 0, by: "person", reason: "Harmful" });
    else {
      const subject = { hook: "beforeToolCall", ...call } as const;
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      await run.approve({ subject, by: "person", expires_at });
      await run.toolCall(call);
    }
  }
  const events = await store.events(name, 0, 1_000_000);
  await run.close();
  return { ...day, log: events.map((event) => `${JSON.stringify(event)}\n`).join("") };
}

const days: Day[] = [];
const logs: string[] = [];
let rules = 0;
for (let day = 1; day <= Number(values.days); day++) {
  const { log, ...counts } = await workday(`day-${day}`, kernelNow());
  days.push(counts);
  const file = join(folder, `day-${day}.jsonl`);
  writeFileSync(file, log);
  logs.push(file);
  const args = ["suggest", ...logs, "--config", join(folder, "bylaw.config.json"), "--json"];
  const ran = spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    cwd: folder,
    maxBuffer: 2 ** 28,
  });
  if (ran.status !== 0) throw new Error(ran.stderr);
  const { suggestions } = JSON.parse(ran.stdout) as {
    readonly suggestions: readonly { readonly toml: string }[];
  };
  for (const { toml } of suggestions) appendFileSync(learned, `\n${toml}`);
  rules += suggestions.length;
  console.log([`day ${day}`, counts.asked, counts.open, suggestions.length].join("\t"));
}

const kernel = kernelNow();
const newly: string[] = [];
for (const command of harmful)
  if (!allowedBefore.has(command) && (await allowed(kernel, command))) newly.push(command);

const [first] = days;
const after = days.slice(7, 14);
const mean = (kind: keyof Day): number =>
  after.reduce((sum, day) => sum + day[kind], 0) / Math.max(1, after.length);
const fall = (kind: keyof Day): string =>
  first === undefined
    ? "-"
    : `${first[kind]} → ${mean(kind).toFixed(1)} (${(100 * (1 - mean(kind) / first[kind])).toFixed(1)} % fewer)`;
console.log(`harmless\t${harmless.length}\tharmful\t${harmful.length}`);
console.log(`questions on day 1 and a day of week 2\t${fall("asked")}`);
console.log(`of them about calls that no rule covered\t${fall("open")}`);
console.log(`rules\t${rules}`);
console.log(`harmful calls newly allowed\t${newly.length}`);
for (const command of newly) console.log(`\t${command}`);
