// A replay of two versions in the page: the same figures as in the terminal, of versions that only the command line names.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { bylaw, json } from "./bylaw.ts";
import {
  BROWSER,
  endPages,
  openPage,
  startUi,
  violationsIn,
  VIEWS,
  type Ui,
} from "./dashboard-kit.ts";
import { recorded } from "./experiment-kit.ts";

afterAll(endPages);

const VERSIONS = ["--a", "a.toml", "--b", "b.toml"];

const served = (cwd: string, args: readonly string[] = VERSIONS) => startUi(cwd, args);

async function openExperiments(ui: Ui, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await openPage(options);
  await page.goto(ui.url);
  await page.getByRole("link", { name: "Experiments" }).click();
  await page.getByRole("heading", { name: "Replay" }).waitFor();
  return page;
}

/** Opens the list of decisions that change, once all are known. */
async function openChanges(page: Page): Promise<void> {
  await page.getByRole("region", { name: "Figures of the replay" }).waitFor();
  await page.getByText("Decisions that change").focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Decisions that change" }).waitFor();
}

/** The cells of each row of a table. */
const cellsOf = async (page: Page, name: string): Promise<readonly (readonly string[])[]> => {
  const rows = page.getByRole("region", { name }).getByRole("row");
  return (await rows.allInnerTexts()).slice(1).map((row) => row.split("\t"));
};

describe.skipIf(BROWSER === undefined)("a replay in the page", () => {
  it("has the figures and counts of the terminal, and the decisions that change", async () => {
    const cwd = await recorded(12);
    const page = await openExperiments(await served(cwd));
    await openChanges(page);
    const { stdout } = bylaw(["experiment", "replay", ...VERSIONS], { cwd });
    const [counts = "", , title = "", , ...rows] = stdout.trimEnd().split("\n").slice(-7);
    expect(counts).toMatch(/^102 decisions: 24 the same, 78 flips/);
    await page.getByText(`${counts}.`, { exact: true }).waitFor();
    await page.getByText(`${title}.`, { exact: true }).waitFor();
    const cells = await cellsOf(page, "Figures of the replay");
    expect(cells).toEqual(rows.map((row) => row.split(/ {2,}/)));
    const changes = await cellsOf(page, "Decisions that change");
    expect(changes).toHaveLength(78);
    expect(changes[0]).toEqual([
      ...["bash: npm publish x", "asked (publishing)", "allowed (publishing)", "r1", "4"],
    ]);
    await page.getByText("No task was assigned to an experiment yet.").waitFor();
  });

  it("lists 200 decisions that change, as text, and says how many more there are", async () => {
    const cwd = await recorded(20, "npm publish '<img src=x>'");
    const page = await openExperiments(await served(cwd));
    await openChanges(page);
    await page.getByText("10 more with bylaw experiment replay --json").waitFor();
    expect(await cellsOf(page, "Decisions that change")).toHaveLength(200);
    await page.getByText("npm publish '<img src=x>").first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Bylaw$/);
  });

  it("is of the run and the time that the command line names", async () => {
    const cwd = await recorded(12);
    const of = async (...limits: readonly string[]): Promise<Page> => {
      const page = await openExperiments(await served(cwd, [...VERSIONS, ...limits]));
      await page.getByText(`(${limits.join(" ")})`).waitFor();
      return page;
    };
    const one = await of("--run", "r2");
    await openChanges(one);
    const changes = await cellsOf(one, "Decisions that change");
    expect(new Set(changes.map((cells) => cells[3]))).toEqual(new Set(["r2"]));
    await one.getByText("Per run, over 1 run.", { exact: true }).waitFor();
    const none = await of("--since", "2126-01-01T00:00:00Z");
    await none.getByText("0 decisions: 0 the same, 0 flips.", { exact: true }).waitFor();
  });

  it("outlasts a version that ends its process, which is not the process of the page", async () => {
    const cwd = await recorded(2);
    writeFileSync(join(cwd, "bylaw.config.ts"), ENDS);
    const ui = await served(cwd, ["--a", "a.toml", "--b", "bylaw.config.ts"]);
    const page = await openExperiments(ui);
    await page.getByText("The process ended before it had an answer").waitFor();
    expect(readFileSync(join(cwd, "pids"), "utf8").split("\n")).not.toContain(`${ui.pid}`);
    await page.getByRole("link", { name: "Decisions" }).click();
    await page.locator(".line").first().waitFor();
  });

  it.each(VIEWS)("has no fault that axe finds against WCAG AA: %s", async (_, options) => {
    const page = await openExperiments(await served(await recorded(12)), options);
    await openChanges(page);
    expect(await violationsIn(page)).toEqual([]);
    for (const name of ["Figures of the replay", "Decisions that change"]) {
      const region = page.getByRole("region", { name });
      expect(await region.evaluate((table) => table.scrollWidth <= table.clientWidth)).toBe(true);
    }
  });
});

/** A configuration that writes down its process, and ends it when it is asked. */
const ENDS = `
import { definePlugin, defineConfig } from "@bylaw/kernel";
import { appendFileSync } from "node:fs";
import { z } from "zod";
appendFileSync("pids", process.pid + "\\n");
const ends = definePlugin({ name: "ends", version: "1.0.0", options: z.undefined(), apply({ hooks }) {
  hooks.beforeToolCall.tap("t", () => process.exit(0));
} });
export default defineConfig({ plugins: [ends()] });`;

/** What the page gets, after a sign-in. The query is what a page could send. */
async function answered({ url, origin }: Ui, queries: readonly string[]): Promise<unknown[]> {
  const code = new URL(url).hash.slice("#login=".length);
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ code });
  const entered = await fetch(`${origin}/api/v1/login`, { method: "POST", headers, body });
  const { token } = (await entered.json()) as { readonly token: string };
  const answers = queries.map(async (query) => {
    const asked = await fetch(`${origin}/api/v1/experiments${query}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return ((await asked.json()) as Record<string, unknown>)["replay"];
  });
  return await Promise.all(answers);
}

it("only the command line names versions", async () => {
  const cwd = await recorded(1);
  writeFileSync(join(cwd, "bylaw.config.ts"), ENDS);
  const query = "?a=bylaw.config.ts&b=bylaw.config.ts";
  expect(await answered(await served(cwd, []), ["", query])).toEqual([null, null]);
  const named = { a: "a.toml", b: "b.toml", error: null };
  expect(await answered(await served(cwd), [query])).toMatchObject([named]);
  expect(existsSync(join(cwd, "pids"))).toBe(false);
});

it.each([
  ["--a a.toml", "`--a` and `--b` are needed together"],
  ["--run r1", "`--run` and `--since` need `--a` and `--b`"],
  ["--a a.toml --b b.toml --since nowhen", "--since"],
  ["--a a.toml --b none.toml", "File not found: none.toml"],
  ["--a a.toml --b broken.toml", "broken.toml"],
])("refuses %s before it serves anything", async (options, message) => {
  const cwd = await recorded(1);
  writeFileSync(join(cwd, "broken.toml"), "[[rules]]\naction = 1");
  const ran = bylaw(`ui ${options}`, { cwd });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(/^error BYLAW_/);
  expect(ran.stderr).toContain(message);
  const scripted = bylaw(`ui ${options} --json`, { cwd });
  expect([scripted.code, json(scripted)]).toMatchObject([
    2,
    { error: { code: expect.stringMatching(/^BYLAW_/) as unknown } },
  ]);
});
