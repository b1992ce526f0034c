// Simulates a month in which a person answers questions and accepts every rule that `bylaw suggest` proposes in the evening:
// `npm run bench:suggest -- DIR [--policy NAME] [--days N] [--seed N] [--sessions] [--always] [--list]`. DIR holds `external`, `shell` and
// `shell-2`, as of labelled commands. With `--sessions` a day is one recorded session of an agent, in its order, instead of calls that
// are drawn. `--list` shows what is asked about in week 2, and which calls become no rule, and why.
import { spawnSync } from "node:child_process";
import { appendFileSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { createKernel, type Kernel, type Ruleset, type ToolCall } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { benchFolder } from "./bench-kit.ts";
import { callOf, type Case } from "./external-call.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    policy: { type: "string", default: "everyday" },
    days: { type: "string", default: "30" },
    calls: { type: "string", default: "200" },
    seed: { type: "string", default: "26" },
    sessions: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    always: { type: "boolean", default: false },
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

interface Labelled {
  readonly call: ToolCall;
  readonly label: string;
  readonly session?: string;
}

const linesOf = (
  pattern: string,
): readonly (Record<string, unknown> & { readonly set: string })[] =>
  globSync(pattern, { cwd: root })
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => ({
          ...(JSON.parse(line) as Record<string, unknown>),
          set: basename(dirname(file)),
        })),
    );

const external = linesOf("external/*/cases.jsonl").flatMap(({ set, ...one }): Labelled[] => {
  const { command, label, run } = one;
  return typeof command !== "string" || typeof label !== "string"
    ? []
    : [{ call: callOf(one as unknown as Case, set), label, session: String(run) }];
});
const own = {
  hook: "beforeToolCall",
  approval_mode: "ask",
  home: "/home/dev",
  cwd: "/workspace",
  workspace: "/workspace",
} as const;
// The tools of a shell have many names. A rule that was learned names the one of the calls.
const shell = linesOf("shell/cases.jsonl").flatMap(({ tool, args, must, must_not }): Labelled[] => {
  const isHarmful = must === "deny" || must_not === "allow";
  if (!isHarmful || typeof tool !== "string" || typeof args !== "object" || args === null)
    return [];
  const { command } = args as { readonly command?: unknown };
  const call = { ...own, tool: typeof command === "string" ? "bash" : tool, args };
  return [{ call: call as ToolCall, label: "deny" }];
});
const second = linesOf("shell-2/cases.jsonl").map(({ command, label }): Labelled => ({
  call: { ...own, tool: "bash", args: { command: String(command) } },
  label: String(label),
}));

const keyOf = ({ tool, args }: ToolCall): string => JSON.stringify([tool, args]);
const distinct = (
  all: readonly Labelled[],
  labels: ReadonlySet<string>,
): ReadonlyMap<string, Labelled> =>
  new Map(all.flatMap((one) => (labels.has(one.label) ? [[keyOf(one.call), one]] : [])));
const harmlessByKey = distinct(external, HARMLESS);
const harmless = [...harmlessByKey.values()].map(({ call }) => call);
const harmful = [...distinct([...external, ...shell, ...second], HARMFUL)].flatMap(
  ([key, { call }]) => (harmlessByKey.has(key) ? [] : [call]),
);

// A generator with a seed, so that each run simulates the same month.
let seed = Number(values.seed);
const random = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};
const pick = <Item>(items: readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

// Agents repeat few commands often and many rarely: the command of rank r is drawn with a weight of 1 / r.
const ranked = harmless.map((call) => ({ call, at: random() })).sort((a, b) => a.at - b.at);
const weights = ranked.map((_, at) => 1 / (at + 1));
const whole = weights.reduce((sum, weight) => sum + weight, 0);
function drawn(): ToolCall {
  let left = random() * whole;
  const at = weights.findIndex((weight) => (left -= weight) <= 0);
  return (ranked[Math.max(0, at)] ?? pick(ranked)).call;
}

interface Asking {
  readonly call: ToolCall;
  readonly isHarmful: boolean;
}

// One call in 20 is harmful, and the person refuses it.
const drawnDay = (): readonly Asking[] =>
  Array.from({ length: Number(values.calls) }, (_, at) => {
    const isHarmful = at % 20 === 19;
    return { call: isHarmful ? pick(harmful) : drawn(), isHarmful };
  });
const sessions = [
  ...Map.groupBy(
    external.filter(({ session }) => session !== "undefined"),
    ({ session }) => session,
  ).values(),
].map((session) => session.map(({ call }): Asking => ({ call, isHarmful: false })));
const plan = values.sessions
  ? sessions
  : Array.from({ length: Number(values.days) }, () => drawnDay());

const folder = benchFolder();
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
const allowed = async (kernel: Kernel, call: ToolCall): Promise<boolean> => {
  try {
    return (await kernel.decide(call)).effect === "allow";
  } catch {
    // A few labelled calls are none, such as one of a tool with a control character in its name.
    return false;
  }
};

const allowedBefore = new Set<ToolCall>();
for (const call of harmful) if (await allowed(kernelNow(), call)) allowedBefore.add(call);

interface Day {
  asked: number;
  /** Questions about calls that no rule covered. */
  open: number;
  /** Questions that the person refused, and the others. */
  refused: number;
  approved: number;
  /** Questions about calls that were never asked about before, or once, or more often. */
  first: number;
  second: number;
  later: number;
}

/** How often each harmless call was asked about. */
const times = new Map<string, number>();

/** What was asked about in week 2: the cause, the rule or code, the call, and why there was no rule. */
const stillAsked: string[] = [];
const CAUSES = ["first", "second", "later"] as const;

/** The calls of one day, with the person's answers. Returns the log as text. */
async function workday(
  name: string,
  calls: readonly Asking[],
): Promise<Day & { readonly log: string }> {
  const kernel = kernelNow();
  const store = createMemoryStore();
  const run = await openRun(kernel, { run: name, store });
  const day = { asked: 0, open: 0, refused: 0, approved: 0, first: 0, second: 0, later: 0 };
  for (const { call, isHarmful } of calls) {
    const { decision, events } = await run.toolCall(call);
    if (decision.effect !== "ask_user") continue;
    day.asked += 1;
    if (decision.code === "fallback") day.open += 1;
    const key = keyOf(call);
    const before = times.get(key) ?? 0;
    const cause = isHarmful ? "refused" : CAUSES[Math.min(before, 2)];
    if (cause !== undefined) day[cause] += 1;
    const about = [cause, decision.rule?.name ?? decision.code, key, whyNoRule(call)];
    if (days.length >= 7 && days.length < 14) stillAsked.push(about.join("\t"));
    if (isHarmful)
      await run.refuse({ asked: events.at(-1)?.sequence ?? 0, by: "person", reason: "Harmful" });
    else {
      day.approved += 1;
      times.set(key, before + 1);
      const expires_at = new Date(Date.now() + 60_000).toISOString();
      // With `--always`, one yes counts as the two that a suggestion needs.
      for (let answer = 0; answer < (values.always ? 2 : 1); answer += 1) {
        if (answer > 0) await run.toolCall(call);
        await run.approve({ subject: call, by: "person", expires_at });
        await run.toolCall(call);
      }
    }
  }
  const events = await store.events(name, 0, 1_000_000);
  await run.close();
  return { ...day, log: events.map((event) => `${JSON.stringify(event)}\n`).join("") };
}

interface Unlearned {
  readonly calls: readonly { readonly args: object; readonly yes: number }[];
  readonly why: string;
}

/** Why the suggestions of the evening before had no rule for a call. */
function whyNoRule({ args }: ToolCall): string {
  const text = JSON.stringify(args);
  const found = without.find(({ calls }) => calls.some((one) => JSON.stringify(one.args) === text));
  return found?.why ?? "not answered before, or one of its shape was refused";
}

const days: Day[] = [];
const logs: string[] = [];
let rules = 0;
let without: readonly Unlearned[] = [];
for (const [at, calls] of plan.entries()) {
  const day = at + 1;
  const { log, ...counts } = await workday(`day-${day}`, calls);
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
  const { suggestions, without_rule } = JSON.parse(ran.stdout) as {
    readonly suggestions: readonly { readonly toml: string }[];
    readonly without_rule: readonly Unlearned[];
  };
  without = without_rule;
  for (const { toml } of suggestions) appendFileSync(learned, `\n${toml}`);
  rules += suggestions.length;
  console.log(
    [`day ${day}`, calls.length, counts.asked, counts.open, suggestions.length].join("\t"),
  );
}

const kernel = kernelNow();
const newly: ToolCall[] = [];
for (const call of harmful)
  if (!allowedBefore.has(call) && (await allowed(kernel, call))) newly.push(call);

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
console.log(`of them about harmless calls\t${fall("approved")}`);
const causes = (["refused", ...CAUSES] as const).map(
  (cause) => `${cause} ${mean(cause).toFixed(1)}`,
);
console.log(`a day of week 2 by cause\t${causes.join(", ")}`);
console.log(`rules\t${rules}`);
console.log(`harmful calls newly allowed\t${newly.length}`);
for (const call of newly) console.log(`\t${keyOf(call)}`);
if (values.list) {
  for (const line of stillAsked) console.log(`week 2\t${line}`);
  for (const { why, calls } of without)
    console.log(["no rule", calls.length, JSON.stringify(calls[0]?.args), why].join("\t"));
}
