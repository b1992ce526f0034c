// The experiments in the page: the same figures as in the terminal, for those who may read the page and nobody else.
import { join } from "node:path";
import { openSqliteStore } from "@bylaw/store-sqlite";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { bylaw, bylawHere, jsonLines, scratch } from "./bylaw.ts";
import {
  BROWSER,
  HOSTILE,
  call,
  endPages,
  openPage,
  openProjectRun,
  startUi,
  violationsIn,
  VIEWS,
} from "./dashboard-kit.ts";
import { worked } from "./experiment-kit.ts";
import { ENROL, OPERATOR, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

afterAll(async () => {
  await endPages();
  await endServers();
});

/** The experiments in the page of the store in a folder. */
async function openExperiments(cwd: string, options: BrowserContextOptions = {}): Promise<Page> {
  const ui = await startUi(cwd);
  const page = await openPage(options);
  await page.goto(ui.url);
  await page.getByRole("link", { name: "Experiments" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText(/^Over [\d,]+ events of/).waitFor();
  return page;
}

/** The cells of each row of the only table. */
const cellsOf = async (page: Page): Promise<readonly (readonly string[])[]> =>
  (await page.getByRole("row").allInnerTexts()).slice(1).map((row) => row.split("\t"));

/** The rows of the terminal's table, which are under its title and its head. */
const terminal = (cwd: string): readonly (readonly string[])[] =>
  bylaw("experiment compare", { cwd })
    .stdout.trimEnd()
    .split("\n")
    .slice(2)
    .map((row) => row.split(/ {2,}/));

/** Writes events that no plugin can have recorded, as an imported log may have them. */
async function withEvents(cwd: string, names: readonly string[]): Promise<void> {
  const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
  const of = (experiment: unknown, more: object = {}) => ({ experiment, variant: "a", ...more });
  const details = [
    ...names.map((name) => of(name, { digests: { a: HOSTILE, b: 1 } })),
    ...names.map((name) => of(name, { digests: { a: "other", b: 1 } })),
    ...[of({}), of(1), of("x", { variant: "c" }), {}],
  ];
  await store.commit({
    ...{ run: HOSTILE, seen: 0 },
    events: details.flatMap((one, at) =>
      ["experiment_assigned", "tool_asked", "tool_denied", "phase_entered"].map((event_type) => ({
        ...{ timestamp: "2026-01-17T09:00:00Z", event_type, agent_id: HOSTILE },
        ...{ task_id: `${HOSTILE}${at}`, details: one as never },
        session_id: "11111111-1111-4111-8111-111111111111",
      })),
    ),
  });
  await store.close();
}

describe.skipIf(BROWSER === undefined)("the experiments of a store", () => {
  it("are the same as in the terminal, over all runs", async () => {
    const cwd = await worked(40);
    bylaw("log export --run main --to main.jsonl", { cwd });
    bylaw("log import main.jsonl --store .bylaw/store.db --run other", { cwd });
    const page = await openExperiments(cwd);
    await page.getByRole("heading", { name: "fewer-asks" }).waitFor();
    await page.getByText("Figures are per task, over 40 in a and 40 in b.").waitFor();
    await page.getByText(/^Over [\d,]+ events of 2 runs\.$/).waitFor();
    const cells = await cellsOf(page);
    expect(cells).toEqual(terminal(cwd));
    expect(cells.map(([name, , , difference, , verdict]) => [name, difference, verdict])).toEqual([
      ["completed tasks", "0", "no difference shown"],
      ["time to complete (s)", "-40", "b has less time to complete"],
      ["blocked transitions", "0", "no difference shown"],
      ["escalations", "0", "no difference shown"],
      ["questions", "-1", "b has fewer questions"],
      ["denials", "0", "no difference shown"],
    ]);
  });

  it("say when the data is not enough, and when there is none", async () => {
    const page = await openExperiments(await worked(4));
    await page.getByText("not enough data: 2 and 2, about 10 each show ±0.5").first().waitFor();
    const cwd = scratch({});
    const run = await openProjectRun(cwd);
    await call(run, "ann", "ls src");
    const none = await openExperiments(cwd);
    await none.getByText("No task was assigned to an experiment yet.").waitFor();
  });

  it("stay text, whatever a log has, and outlast events of the wrong shape", async () => {
    const cwd = await worked(2);
    await withEvents(cwd, [HOSTILE, "__proto__", "constructor"]);
    const page = await openExperiments(cwd);
    await page.getByRole("heading", { name: "constructor" }).waitFor();
    await page
      .getByText("Note: version a changed during the experiment: 2 digests")
      .first()
      .waitFor();
    expect(await page.locator("section").count()).toBe(4);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Bylaw$/);
    expect(await page.locator("main").innerHTML()).not.toContain("\u202e");
  });

  it.each(VIEWS)("have no fault that axe finds against WCAG AA: %s", async (_, options) => {
    const cwd = await worked(40);
    await withEvents(cwd, [HOSTILE]);
    const page = await openExperiments(cwd, options);
    await page.getByRole("heading", { name: "fewer-asks" }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    const region = page.getByRole("region", { name: "Figures of fewer-asks" });
    expect(await region.evaluate((table) => table.scrollWidth <= table.clientWidth)).toBe(true);
    expect(await region.getByRole("columnheader").count()).toBe(6);
    expect(await region.getByRole("rowheader").count()).toBe(6);
  });
});

it("`bylaw serve` compares the experiments of its run, for operators alone", async () => {
  const cwd = await worked(20);
  await withEvents(cwd, ["of another run"]);
  const site = makeSite([]);
  const server = await startServer(site, { store: join(cwd, ".bylaw/store.db"), run: "main" });
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await fetch(`${server.url}/api/v1/experiments`, { headers });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  for (const [authorization, status] of [
    [undefined, 401],
    [`Bearer ${ENROL}`, 401],
    [`Bylaw-Enrol ${ENROL}`, 403],
  ] as const)
    expect((await ask(authorization)).status).toBe(status);
  const { status, body } = await ask(`Bearer ${OPERATOR}`);
  expect([status, body]).toMatchObject([200, { runs: { counted: 1, all: 1 }, broken: [] }]);
  const [compared] = jsonLines(await bylawHere("experiment compare fewer-asks --json", { cwd }));
  expect(body["experiments"]).toEqual([compared]);
});
