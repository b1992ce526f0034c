// Measures a permission check with a token, and a transition, with one task in the run and with ten thousand.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadContract } from "@bylaw/contract";
import {
  createKernel,
  type Decision,
  type Json,
  type JsonObject,
  type Subject,
} from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { artifacts } from "@bylaw/plugin-artifacts";
import { gates } from "@bylaw/plugin-gates";
import { phases } from "@bylaw/plugin-phases";
import { createTasks, tasks as claims } from "@bylaw/plugin-tasks";
import { createSigner, grantToken, tokens } from "@bylaw/plugin-tokens";
import { Ajv2020 } from "ajv/dist/2020.js";
import { MACHINE, benchFolder, median } from "./bench-kit.ts";
import { ARTIFACTS, CONTRACT } from "./workflow/contract.ts";

const TASKS = [1, 100, 10_000];
const ROUNDS = 9;
const SAMPLES = 400;
const MOVES = 60;

const folder = benchFolder();
mkdirSync(join(folder, "src"));
mkdirSync(join(folder, "tests"));
for (const file of ["src/add.ts", "src/index.ts", "tests/add.test.ts"])
  writeFileSync(join(folder, file), "export {};\n");
const contract = join(folder, "agent_workflow.yaml");
writeFileSync(contract, CONTRACT);
process.env["BENCH_SECRET"] = "a secret of this benchmark that is long enough";
const keys = [{ id: "bench", env: "BENCH_SECRET" }];
const options = { contract, checks: [] };
const kernel = createKernel({
  plugins: [
    phases(options),
    artifacts(options),
    gates({ contract, workspace: folder }),
    tokens({ ...options, keys }),
    claims(),
  ],
});
const signer = createSigner({ contract, keys });

const say = (text = ""): void => console.log(text);
interface Session {
  readonly run: Run;
  readonly tasks: readonly string[];
  readonly held: Map<string, string>;
  turns: number;
}

/** Takes all tasks in turn, in an order unrelated to their own. */
function next(session: Session): string {
  session.turns += 1;
  return session.tasks[(session.turns * 7919) % session.tasks.length] ?? "";
}

/** A run with `count` tasks in the phase WORK, each with its valid token. */
async function sessionOf(count: number): Promise<Session> {
  const run = await openRun(kernel, { run: `bench-${count}`, store: createMemoryStore() });
  const session: Session = {
    run,
    tasks: Array.from({ length: count }, (_, at) => `task-${at}`),
    held: new Map(),
    turns: 0,
  };
  const board = createTasks(run, loadContract(contract));
  for (const task of session.tasks) {
    await board.create({ id: task });
    await board.claim({ agent: agentOf(task), task });
    await renew(session, task, null);
  }
  for (const task of session.tasks) await move(session, task, "WORK");
  // Warms up, so that each token has been read once.
  await check(session, Object.values(CALLS)[0] as Call, count);
  return session;
}

async function renew({ run, held }: Session, task: string, phase: string | null): Promise<void> {
  const allowed_tools = ["read_files", "write_files", "ask_user_question", "bash"];
  held.set(
    task,
    (await grantToken(run, signer, { task, agent: agentOf(task), phase, allowed_tools })).token,
  );
}

const who = ({ held }: Session, task: string) => ({
  agent: agentOf(task),
  task,
  host: { token: held.get(task) ?? "" },
});

const agentOf = (task: string): string => `agent of ${task}`;

async function move(session: Session, task: string, to: string): Promise<number> {
  const request = {
    ...who(session, task),
    to,
    artifacts: to === "REST" ? (ARTIFACTS as JsonObject) : {},
  };
  const start = performance.now();
  const { decision } = await session.run.transition(request);
  const took = performance.now() - start;
  if (decision.effect !== "allow")
    throw new Error(`${task} was refused ${to} with ${decision.code}: ${decision.reason}`);
  await renew(session, task, to);
  return took;
}

interface Call {
  readonly tool: string;
  readonly args: JsonObject;
}

const CALLS: Readonly<Record<string, Call>> = {
  "a question": { tool: "ask_user_question", args: { question: "why?" } },
  "a file": { tool: "write_files", args: { path: "src/add.ts" } },
  "a shell line": { tool: "bash", args: { command: "npm test" } },
};

/** Microseconds of a call that is prepared and decided against the log, but not recorded: the median of many. */
async function check(session: Session, call: Call, samples = SAMPLES): Promise<number> {
  const { run } = session;
  const times: number[] = [];
  for (let sample = 0; sample < samples; sample += 1) {
    const task = next(session);
    const subject = {
      ...{
        hook: "beforeToolCall",
        run: run.run,
        session: run.session,
        phase: "WORK",
        at: new Date().toISOString(),
      },
      ...{ ...who(session, task), ...call, cwd: folder, workspace: folder, interactive: false },
    } as Subject;
    const start = performance.now();
    const decision: Decision = await kernel.decidePrepared(await kernel.prepare(subject), run.view);
    times.push((performance.now() - start) * 1e3);
    if (decision.effect !== "allow")
      throw new Error(`Refused with ${decision.code}: ${decision.reason}`);
  }
  return median(times);
}

/** Milliseconds of a transition that is decided and recorded in memory. */
async function transition(session: Session): Promise<number> {
  const times: number[] = [];
  for (let sample = 0; sample < MOVES; sample += 1) {
    const task = next(session);
    times.push(await move(session, task, "REST"));
    await move(session, task, "WORK");
  }
  return median(times);
}

/** The floor, by hand: looks up a known token and the tools of a phase. */
function bareCheck(session: Session): number {
  const known = new Map(
    [...session.held].map(([task, token]) => [
      token,
      { task, tools: new Set(["ask_user_question"]) },
    ]),
  );
  const times: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const task = next(session);
    const token = session.held.get(task) ?? "";
    const start = performance.now();
    const found = known.get(token);
    const allowed = found?.task === task && found.tools.has("ask_user_question");
    times.push((performance.now() - start) * 1e3);
    if (!allowed) throw new Error(`${task} was denied`);
  }
  return median(times);
}

/** The floor, by hand: checks the ten artifacts against their schemas. */
function bareTransition(): () => number {
  const ajv = new Ajv2020({ allErrors: true });
  const handed = ARTIFACTS as Readonly<Record<string, Json>>;
  const required = loadContract(contract).phases.flatMap((phase) => phase.artifacts);
  const wanted = required.map(
    ({ type, schema }) =>
      [ajv.compile(structuredClone(schema?.value ?? {})), handed[type]] as const,
  );
  return () => {
    const times: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const start = performance.now();
      const fits = wanted.every(([validate, value]) => validate(value));
      times.push(performance.now() - start);
      if (!fits) throw new Error("The artifact does not fit");
    }
    return median(times);
  };
}

type Timed = () => number | Promise<number>;

/** A row of a table: medians over rounds in which all cells are timed in turn, so that a slow minute affects all of them. */
async function row(cells: readonly Timed[]): Promise<readonly number[]> {
  const times: number[][] = cells.map(() => []);
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const [index, cell] of cells.entries()) {
      const took = await cell();
      // The first round is for warming up.
      if (round > 0) times[index]?.push(took);
    }
  return times.map(median);
}

function table(
  head: string,
  rows: readonly (readonly [name: string, values: readonly number[]])[],
  digits: number,
): void {
  say(
    `| ${head} | ${TASKS.map((count) => `${count.toLocaleString("en-US")} tasks`).join(" | ")} | last / first |`,
  );
  say(`| --- |${" ---: |".repeat(TASKS.length + 1)}`);
  for (const [name, values] of rows) {
    const ratio = (values.at(-1) ?? Number.NaN) / (values[0] ?? Number.NaN);
    say(
      `| ${name} | ${values.map((value) => value.toFixed(digits)).join(" | ")} | ${ratio.toFixed(2)} |`,
    );
  }
  say();
}

say(MACHINE);
say(
  `Medians of ${ROUNDS} rounds in which all are timed in turn, each the median of ${SAMPLES} checks or ${MOVES} transitions.\n`,
);
const sessions = [];
for (const count of TASKS) sessions.push(await sessionOf(count));
const names = Object.keys(CALLS);
const cells = sessions.flatMap((session) => [
  () => bareCheck(session),
  ...Object.values(CALLS).map((call) => () => check(session, call)),
]);
const checks = await row(cells);
const wide = names.length + 1;
const column = (at: number): readonly number[] =>
  TASKS.map((_, index) => checks[index * wide + at] ?? Number.NaN);
table(
  "permission check, µs",
  [
    ["floor: a Map by hand", column(0)] as const,
    ...names.map((name, at) => [`about ${name}`, column(at + 1)] as const),
  ],
  2,
);
const bare = bareTransition();
const moves = await row([...sessions.map((session) => () => transition(session)), bare]);
const floor = moves.at(-1) ?? Number.NaN;
table(
  "transition, ms",
  [["10 artifacts, a gate of 5 checks, recorded in memory", moves.slice(0, -1)]],
  3,
);
say(
  `floor, the 10 artifacts against their schemas alone: ${floor.toFixed(3)} ms; ratios ${moves
    .slice(0, -1)
    .map((took) => (took / floor).toFixed(0))
    .join(", ")}.`,
);
