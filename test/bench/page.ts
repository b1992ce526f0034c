// Measures the page over a run of a million events: the real command over a real store, in a real browser.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { EventDraft, JsonObject } from "@bylaw/kernel";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { chromium, type Browser, type Page } from "playwright-core";
import { BIN, benchFolder, listensAt } from "./bench-kit.ts";

const EVENTS = Number(process.argv[2] ?? 1_000_000);
/** Events in a commit, as a server under load writes them. */
const COMMIT = 1_000;
const SCROLL_MS = 5_000;
/** How long the browser takes to give memory back. */
const SETTLE_MS = 3_000;
const PHASES = ["PLAN", "TDD", "IMPL", "REVIEW"];

const folder = benchFolder();
const file = join(folder, "runs.db");
const assignedFile = join(folder, "experiments.db");
const say = (text = ""): void => console.log(text);

/** Fills a run with events. */
async function fill(place: string, draftAt: (index: number) => EventDraft): Promise<void> {
  const store = await openSqliteStore(place);
  const start = performance.now();
  for (let seen = 0; seen < EVENTS; seen += COMMIT) {
    const events = Array.from({ length: COMMIT }, (_, index) => draftAt(seen + index));
    await store.commit({ run: "main", seen, events });
  }
  await store.close();
  say(`${EVENTS.toLocaleString("en-US")} events written in ${seconds(start)} s`);
}

const BEGAN = Date.parse("2026-01-02T00:00:00.000Z");

/** Calls, their results, and tasks that move through phases. */
function eventAt(index: number): EventDraft {
  const task = index % 997;
  const common = {
    timestamp: new Date(BEGAN + index * 80).toISOString(),
    session_id: "6f0f6a2e-5a0f-4b43-9d0e-0b8c8f3f0a01",
    agent_id: index === 0 ? null : `agent-${index % 50}`,
    task_id: index === 0 ? null : `task-${task}`,
  };
  const of = (event_type: string, details: JsonObject): EventDraft => ({
    ...common,
    event_type,
    details,
  });
  if (index === 0) return of("session_start", {});
  const id = `call-${Math.floor(index / 2)}`;
  if (index % 200 < 2) return of("phase_entered", { to: PHASES[index % PHASES.length] ?? "" });
  if (index % 2 === 1) return of("tool_result", { id, tool: "bash", ok: true });
  const effect = index % 10 === 0 ? "deny" : index % 6 === 0 ? "ask_user" : "allow";
  const type = { allow: "tool_allowed", ask_user: "tool_asked", deny: "tool_denied" }[effect];
  const rule = { name: `rule-${index % 40}`, file: "policy.toml", line: index % 40 };
  const reason = "A rule of the project says so, and gives this as its reason.";
  const vote = { effect, code: "rule", reason, rule, plugin: "@bylaw/plugin-policy", tap: "rules" };
  return of(type, {
    ...{ id, tool: "bash", args: { command: `npm test -- --shard ${index} src/part-${task}` } },
    decision: { ...vote, votes: [vote], enforcement_mode: "strict" },
  });
}

/** How many events a task of an experiment has. With a million events, each version has as many tasks as the page counts. */
const OF_TASK = 25;

/** Tasks of an experiment: assigned, claimed, worked on and completed, one after another. */
function assignedAt(index: number): EventDraft {
  const [task, step] = [Math.floor(index / OF_TASK), index % OF_TASK];
  const variant = task % 2 === 0 ? "a" : "b";
  const of = (event_type: string, details: JsonObject): EventDraft => {
    const { session_id } = eventAt(index);
    // Tasks differ, or there is nothing to resample.
    const late = step === OF_TASK - 1 ? (task % 97) * 1e3 : 0;
    const timestamp = new Date(BEGAN + index * 80 + late).toISOString();
    const who = { agent_id: `agent-${task % 50}`, task_id: `task-${task}` };
    return { timestamp, session_id, ...who, event_type, details };
  };
  if (step === 0) return of("task_claimed", {});
  if (step === 1) {
    const digests = { a: "sha256:a", b: "sha256:b" };
    return of("experiment_assigned", { experiment: "bench", variant, share: 0.5, digests });
  }
  if (step === OF_TASK - 1) return of("phase_entered", { to: "COMPLETED" });
  const { event_type, details } = eventAt(index + task ** 2);
  return of(event_type, details);
}

const seconds = (since: number): string => ((performance.now() - since) / 1e3).toFixed(2);

/** Starts the built command over the store. */
async function startUi(
  store: string,
): Promise<{ readonly url: string; readonly pid: number; end(): void }> {
  const args = [BIN, "ui", "--json", "--store", store];
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return {
    url: await listensAt(child),
    pid: child.pid ?? 0,
    end: () => void child.kill("SIGTERM"),
  };
}

interface Scrolled {
  readonly frames: readonly number[];
  readonly longest: number;
  readonly rows: number;
}

/** Scrolls the list in each frame, which also loads older pages, and times the frames. */
const scroll = (page: Page): Promise<Scrolled> =>
  page.evaluate(`new Promise((done) => {
    const list = document.querySelector(".list");
    const frames = [];
    let longest = 0;
    new PerformanceObserver((found) => {
      for (const { duration } of found.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: "longtask" });
    const end = performance.now() + ${SCROLL_MS};
    let last = performance.now();
    const step = (now) => {
      frames.push(now - last);
      last = now;
      list.scrollTop += 300;
      if (now < end) requestAnimationFrame(step);
      else done({ frames, longest, rows: Math.round(list.scrollHeight / 44) });
    };
    requestAnimationFrame(step);
  })`);

/** The memory of the process that draws the page, as the browser's own task manager counts it: as it is, and without garbage. In MB. */
async function memoryOf(browser: Browser, page: Page): Promise<readonly [number, number]> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  const size = (): number => Math.max(...renderers.map(megabytesOf));
  const before = size();
  const inPage = await page.context().newCDPSession(page);
  await inPage.send("HeapProfiler.collectGarbage");
  await sleep(SETTLE_MS);
  return [before, size()];
}

const megabytesOf = (pid: number): number =>
  Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;

/** The seconds that a process has used a processor. Other programs do not change it. */
const cpuSecondsOf = (pid: number): number =>
  readFileSync(`/proc/${pid}/stat`, "utf8")
    .split(" ")
    .slice(13, 15)
    .reduce((sum, ticks) => sum + Number(ticks) / TICKS, 0);

const TICKS = 100;

const share = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * part)] ?? Number.NaN;

type Measured = readonly [what: string, value: string, aim: string];

/** Opens the experiments of a store, after everything else was read. */
async function measureExperiments(page: Page): Promise<readonly Measured[]> {
  const ui = await startUi(assignedFile);
  try {
    await page.goto(ui.url);
    await page.getByRole("link", { name: "Agents and tasks" }).click();
    const head = EVENTS.toLocaleString("en");
    await page.getByText(`verified up to event ${head}`).waitFor({ timeout: 300_000 });
    const before = megabytesOf(ui.pid);
    const cpuBefore = cpuSecondsOf(ui.pid);
    const opened = performance.now();
    await page.getByRole("link", { name: "Experiments" }).click();
    await page.getByRole("heading", { name: "bench" }).waitFor({ timeout: 300_000 });
    const took = seconds(opened);
    const cpu = (cpuSecondsOf(ui.pid) - cpuBefore).toFixed(1);
    const grown = megabytesOf(ui.pid) - before;
    const again = performance.now();
    await page.getByRole("link", { name: "Decisions" }).click();
    await page.locator(".line").first().waitFor();
    await page.getByRole("link", { name: "Experiments" }).click();
    await page.getByRole("heading", { name: "bench" }).waitFor();
    return [
      ["experiments, s", took, ""],
      ["of which with a processor, s", cpu, ""],
      ["experiments, afterwards, s", seconds(again), ""],
      ["growth of the command by experiments, MB", grown.toFixed(0), "200"],
    ];
  } finally {
    ui.end();
  }
}

async function measure(page: Page, browser: Browser): Promise<readonly Measured[]> {
  const rows: Measured[] = [];
  const ui = await startUi(file);
  try {
    const opened = performance.now();
    await page.goto(ui.url);
    await page.locator(".line").first().waitFor();
    rows.push(["first view, s", seconds(opened), "1"]);
    const { frames, longest, rows: loaded } = await scroll(page);
    rows.push([
      "frame while scrolling, p50 / p95, ms",
      `${share(frames, 0.5).toFixed(0)} / ${share(frames, 0.95).toFixed(0)}`,
      "",
    ]);
    rows.push([
      `longest task while scrolling through ${loaded.toLocaleString("en-US")} rows, ms`,
      longest.toFixed(0),
      "",
    ]);
    const panel = performance.now();
    await page.locator(".line").first().click();
    await page.getByRole("heading", { name: "Arguments" }).waitFor();
    rows.push(["a decision opened, s", seconds(panel), ""]);
    const state = performance.now();
    await page.getByRole("link", { name: "Agents and tasks" }).click();
    await page.getByRole("rowheader").first().waitFor();
    rows.push(["agents and tasks, s", seconds(state), ""]);
    const [middle, head] = [EVENTS / 2, EVENTS].map((at) => at.toLocaleString("en"));
    const early = performance.now();
    await page.getByLabel("State after event").fill(String(EVENTS / 2));
    await page.keyboard.press("Enter");
    await page.getByText(`Event ${middle},`).waitFor({ timeout: 120_000 });
    rows.push(["state at the middle, while the log is read, s", seconds(early), ""]);
    await page.getByLabel("State after event").fill("");
    await page.keyboard.press("Enter");
    await page.getByText(`verified up to event ${head}`).waitFor({ timeout: 300_000 });
    rows.push(["whole log read and verified after, s", seconds(opened), ""]);
    const middleAt = performance.now();
    await page.getByLabel("State after event").fill(String(EVENTS / 2));
    await page.keyboard.press("Enter");
    await page.getByText(`Event ${middle},`).waitFor({ timeout: 120_000 });
    rows.push(["state at the middle, afterwards, s", seconds(middleAt), ""]);
    const memory = await memoryOf(browser, page);
    rows.push([
      "memory of the page, then without garbage, MB",
      memory.map((size) => size.toFixed(0)).join(", "),
      "200",
    ]);
    rows.push(["memory of the command, MB", megabytesOf(ui.pid).toFixed(0), ""]);
  } finally {
    ui.end();
  }
  return rows;
}

const BROWSER = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));
if (BROWSER === undefined) throw new Error("`apt-get install chromium` first");
say(`Node ${process.version}, ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}`);
await fill(file, eventAt);
await fill(assignedFile, assignedAt);
const browser = await chromium.launch({
  executablePath: BROWSER,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
});
try {
  const open = () => browser.newPage({ viewport: { width: 1_280, height: 800 } });
  const rows = [
    ...(await measure(await open(), browser)),
    ...(await measureExperiments(await open())),
  ];
  say("\n| | | aim |\n| --- | ---: | ---: |");
  for (const row of rows) say(`| ${row.join(" | ")} |`);
} finally {
  await browser.close();
}
