import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { temporaryFolder } from "@bylaw/testing";
import { build } from "rolldown";
import { beforeAll, expect, it } from "vitest";
import { root } from "../contract/workspaces.ts";
import { scratch } from "./bylaw.ts";

// The request of each step at each visit; all others request nothing.
const REQUESTS: Readonly<Record<string, object>> = {
  "draft.1.worker": { action: "vibecheck", reason: "sure?" },
  "inner.1.worker": { action: "loop", reason: "again" },
  "inner.3.worker": { action: "loop" },
  "call.1.worker": { action: "trigger", triggerAgentId: "helper" },
  "call.1.helper": { action: "trigger", triggerAgentId: "second" },
  "pause.1.worker": { action: "checkpoint", reason: "look" },
  "outer.1.worker": { action: "loop" },
  "side.1.worker": { action: "trigger" },
  "last.1.worker": { action: "continue" },
};

const SCRIPT = `echo "$BYLAW_STEP.$BYLAW_VISIT.$BYLAW_AGENT $BYLAW_ATTEMPT" >> ran.txt
request="requests/$BYLAW_STEP.$BYLAW_VISIT.$BYLAW_AGENT"
if [ -f "$request" ]; then cp "$request" "$BYLAW_CONTROL_FILE"; fi
`;

const run = { command: ["sh", "step.sh"] };
const step = (id: string, more: object = {}) => ({ id, agent: "worker", ...more });
const WORKFLOW = {
  bylaw: 1,
  name: "w",
  agents: { worker: { run }, helper: { run }, second: { run } },
  steps: [
    step("plan", { once: true }),
    step("draft"),
    step("code"),
    step("lint"),
    step("inner", { loop: { steps: 2, max_iterations: 2, skip: ["lint"] } }),
    step("call"),
    step("pause"),
    step("outer", { loop: { steps: 7, max_iterations: 1, skip: ["pause"] } }),
    step("side", { parallel: "g", trigger: "second" }),
    step("beside", { parallel: "g" }),
    step("never", { when: "plan.success == false" }),
    step("last"),
  ],
};

function prepared(): string {
  const folder = scratch();
  mkdirSync(join(folder, "requests"));
  writeFileSync(join(folder, "w.json"), JSON.stringify(WORKFLOW));
  writeFileSync(join(folder, "step.sh"), SCRIPT);
  for (const [name, request] of Object.entries(REQUESTS))
    writeFileSync(join(folder, "requests", name), JSON.stringify(request));
  return folder;
}

interface Ran {
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

// Bundled into one file, because it starts some 100 times and its packages have hundreds of files.
const bundled = temporaryFolder();
const WRITER = join(bundled, "workflow-writer.js");
beforeAll(async () => {
  symlinkSync(join(root, "node_modules"), join(bundled, "node_modules"));
  await build({
    input: join(import.meta.dirname, "../crash/workflow-writer.ts"),
    platform: "node",
    external: ["better-sqlite3"],
    output: { file: WRITER, codeSplitting: false },
    logLevel: "silent",
  });
});

function start(folder: string, killAt = Infinity): Promise<Ran> {
  const child = spawn(process.execPath, [WRITER, folder, String(killAt)], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Uint8Array) => (out += String(chunk)));
  child.stderr.on("data", (chunk: Uint8Array) => (err += String(chunk)));
  return new Promise((resolve) =>
    child.once("close", (_, signal) => resolve({ signal, out, err })),
  );
}

/** The state that must be the same, however often the runner was killed. */
function finalState({ out, err }: Ran): unknown {
  expect(err).toBe("");
  const { head: _, ...state } = JSON.parse(out) as { readonly head: number };
  return state;
}

/** How often each visit of each step completed: more than once means that its work was done twice. */
async function completions(folder: string): Promise<readonly (readonly [string, number])[]> {
  const store = await openSqliteStore(join(folder, "store.db"));
  const events = await store.events("r", 0, 10_000);
  await store.close();
  const visits = new Map<string, number>();
  const counts = new Map<string, number>();
  for (const { event_type, details } of events) {
    const id = String(details["step"]);
    if (event_type === "step_started") visits.set(id, Number(details["visit"]));
    if (event_type !== "step_completed" && event_type !== "call_completed") continue;
    const key = `${id}.${visits.get(id)}.${String(details["agent"] ?? "")}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].toSorted(([left], [right]) => (left < right ? -1 : 1));
}

// Each run is killed again and again, with so many events in between, and each event is the last of one that was killed.
const GAP = 15;

const linesIn = (folder: string): readonly string[] =>
  existsSync(join(folder, "ran.txt"))
    ? readFileSync(join(folder, "ran.txt"), "utf8").trim().split("\n")
    : [];

/** Goes on with a run, and checks that of the work before it only what was interrupted runs again. */
async function goOn(folder: string, killAt?: number): Promise<Ran> {
  const before = linesIn(folder);
  const ran = await start(folder, killAt);
  const visits = new Set(before.map(visitOf));
  const again = linesIn(folder)
    .slice(before.length)
    .filter((line) => visits.has(visitOf(line)));
  expect(again.length, `killed at ${killAt}: ${again.join()}`).toBeLessThanOrEqual(1);
  return ran;
}

const visitOf = (line: string): string | undefined => line.split(" ")[0];

it(
  "a workflow that is killed after any of its events reaches the same end, and no completed step runs again",
  { timeout: 600_000 },
  async () => {
    const calm = prepared();
    const undisturbed = await start(calm);
    const wanted = finalState(undisturbed);
    const done = await completions(calm);
    const { head } = JSON.parse(undisturbed.out) as { readonly head: number };
    expect(done.map(([, times]) => times)).toEqual(done.map(() => 1));
    expect(linesIn(calm)).toHaveLength(done.length);

    const firsts = Array.from({ length: GAP }, (_, index) => index + 2);
    const killed = async (): Promise<void> => {
      for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) {
        const folder = prepared();
        for (let at = first; at < head; at += GAP) {
          const { signal, err } = await goOn(folder, at);
          expect([at, signal, err]).toEqual([at, "SIGKILL", ""]);
        }
        expect([first, finalState(await goOn(folder))]).toEqual([first, wanted]);
        expect([first, await completions(folder)]).toEqual([first, done]);
      }
    };
    await Promise.all([killed(), killed(), killed()]);
  },
);

it.runIf(process.platform === "linux")(
  "what was running when the runner was killed is ended before it is tried again",
  async () => {
    const folder = prepared();
    // The first attempt kills its runner, and then continues for ever.
    writeFileSync(
      join(folder, "step.sh"),
      'echo $$ >> pids.txt\nif [ "$BYLAW_ATTEMPT" = 1 ]; then kill -9 $PPID; while :; do sleep 1; done; fi\n',
    );
    writeFileSync(join(folder, "w.json"), JSON.stringify({ ...WORKFLOW, steps: [step("only")] }));
    const child = spawn(process.execPath, [WRITER, folder], { stdio: "ignore" });
    expect(await new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)))).toBe(
      "SIGKILL",
    );
    expect((await start(folder)).out).toContain("completed");
    const pids = readFileSync(join(folder, "pids.txt"), "utf8").trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter(isAtWork)).toEqual([]);
  },
);

// An ended process is still listed until its parent asks for its status.
function isAtWork(pid: number): boolean {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
