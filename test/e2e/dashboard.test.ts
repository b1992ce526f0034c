// The page of `bylaw ui`, in a real browser: what happens in a run appears as it happens, and what an agent wrote stays text.
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { scratch } from "./bylaw.ts";
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

afterAll(endPages);

async function makeUi() {
  const folder = scratch({});
  const run = await openProjectRun(folder);
  for (let number = 0; number < 100; number += 1) {
    await call(run, "ann", "git status", "task-1");
    await call(run, "bob", `make target-${number}`, "task-2");
  }
  await call(run, "ann", "git push --force origin main", "task-1");
  return { run, ui: await startUi(folder) };
}

/** Whether the first plot has the colour, which the style sheet writes as `#rrggbb`. */
const hasPixels = (page: Page, color: string): Promise<boolean> =>
  page.evaluate(`(() => {
    const canvas = document.querySelector("canvas");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const sought = getComputedStyle(canvas).getPropertyValue("${color}").match(/\\w\\w/g).map((hex) => parseInt(hex, 16));
    for (let at = 0; at < data.length; at += 4)
      if (sought.every((value, index) => data[at + index] === value)) return true;
    return false;
  })()`);

const lines = (page: Page) => page.locator(".line");

describe.skipIf(BROWSER === undefined)("the page", () => {
  it("shows decisions as they come, and one of them with its votes, rule and arguments", async () => {
    const { run, ui } = await makeUi();
    const page = await openPage();
    await page.goto(ui.url);
    await lines(page).first().waitFor();
    expect(await page.evaluate("location.href")).toBe(`${ui.origin}/ui`);
    expect(await lines(page).count()).toBeLessThan(60);
    await call(run, "cyd", "make something-new");
    await page.getByText("make something-new").waitFor();

    await page.getByLabel("Effect").selectOption("deny");
    await expect.poll(() => lines(page).count()).toBe(1);
    await page.getByLabel("Effect").selectOption("");
    await page.getByLabel("Agent").fill("bob");
    await page.getByLabel("Agent").press("Enter");
    await page.getByText("make target-99").waitFor();
    await expect.poll(() => page.getByText("git status").count()).toBe(0);
    await page.getByLabel("Agent").fill("");
    await page.getByLabel("Rule").fill("no-force-push");
    await page.getByLabel("Rule").press("Enter");
    await expect.poll(() => lines(page).count()).toBe(1);

    await page.getByRole("listbox").focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: /^Event/ });
    await panel.getByText("Push to a branch and open a pull request.").first().waitFor();
    const text = await panel.innerText();
    for (const part of ["inline policy:2", "rule_denied", "Votes (1)", "git push --force", "ann"])
      expect(text).toContain(part);
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.count()).toBe(0);
    expect(await page.evaluate("document.activeElement.className")).toBe("list");
  });

  it("says what waits for a person, in whichever view and run", async () => {
    const folder = scratch({});
    const [busy, quiet] = [await openProjectRun(folder, "busy"), await openProjectRun(folder)];
    for (const target of ["all", "docs"]) await call(busy, "ann", `make ${target}`);
    await call(quiet, "bob", "git status");
    const ui = await startUi(folder);
    const page = await openPage();
    await page.goto(ui.url);
    await page.getByRole("option", { name: /^busy, 2 questions, / }).waitFor({ state: "attached" });
    await page.getByText("git status").waitFor();
    expect(await page.title()).toBe("Bylaw");
    // The run that is looked at stays, although another one is the latest now.
    await call(busy, "ann", "ls");
    await expect.poll(() => page.getByRole("option").first().innerText()).toMatch(/^busy/);
    expect(await page.getByLabel("Run").inputValue()).toBe("main");
    await page.getByText("git status").waitFor();
    await page.getByLabel("Run").selectOption("busy");
    await page.getByRole("link", { name: "Questions 2" }).waitFor();
    await expect.poll(() => page.title()).toBe("(2) Bylaw");
    await call(busy, "ann", "make more");
    await page.getByRole("link", { name: "Questions 3" }).waitFor();
  });

  it("shows only the decisions of a task, until the filters are cleared", async () => {
    const { ui } = await makeUi();
    const page = await openPage();
    await page.goto(ui.url);
    await page.getByText("git push --force").click();
    await page.getByRole("button", { name: "Show only this task" }).click();
    await expect.poll(() => page.getByText("make target").count()).toBe(0);
    expect(await page.getByRole("searchbox", { name: "Task" }).inputValue()).toBe("task-1");
    await page.getByRole("searchbox", { name: "Agent" }).fill("nobody");
    await page.getByRole("searchbox", { name: "Agent" }).press("Enter");
    await page.getByText("Nothing matches in this run.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("make target-99").waitFor();
    expect(await page.getByRole("searchbox", { name: "Task" }).inputValue()).toBe("");
  });

  it("reaches the oldest decision by keyboard, and draws only what is visible", async () => {
    const { ui } = await makeUi();
    const page = await openPage();
    await page.goto(ui.url);
    await lines(page).first().waitFor();
    await page.getByRole("listbox").focus();
    await page.keyboard.press("End");
    await page.getByText("201 shown", { exact: true }).waitFor();
    await page.keyboard.press("End");
    await page.locator("#row-2").waitFor();
    expect(await lines(page).count()).toBeLessThan(60);
  });

  it("keeps what an agent wrote as text, of any length and direction", async () => {
    const { run, ui } = await makeUi();
    await call(run, HOSTILE, HOSTILE, HOSTILE);
    await run.toolCall({
      ...{ agent: HOSTILE, tool: HOSTILE, interactive: true },
      args: { [HOSTILE]: HOSTILE.repeat(20_000) },
    });
    const page = await openPage();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(ui.url);
    for (const index of [0, 1]) {
      await lines(page).nth(index).click();
      const sequence = await lines(page).nth(index).getAttribute("id");
      await page.getByRole("region", { name: `Event ${sequence?.slice(4)}` }).waitFor();
      await page.getByRole("heading", { name: "Arguments" }).waitFor();
    }
    await lines(page).first().click();
    await page.getByRole("button", { name: /^Show all 1,\d+,\d+ characters$/ }).click();
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Bylaw$/);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("#page").innerText()).not.toContain("\u202e");
    expect(asked.filter((url) => !url.startsWith(`${ui.origin}/`))).toEqual([]);
    expect(asked.filter((url) => /token|login=|[?&]code=/.test(url))).toEqual([]);
  });

  it("draws how many decisions there were, and how long calls took", async () => {
    const { run, ui } = await makeUi();
    await run.toolCall({
      ...{ agent: "ann", tool: "bash", args: { command: "ls -l" } },
      ...{ id: "c-1", interactive: true },
    });
    await run.toolResult({ agent: "ann", id: "c-1", tool: "bash", ok: true });
    const page = await openPage();
    await page.goto(ui.url);
    await page.getByRole("link", { name: "Agents and tasks" }).click();
    const times = page.getByRole("figure").filter({ hasText: "Time from the decision" });
    await times.getByText("As a table").click();
    expect(await times.getByRole("cell").allInnerTexts()).toEqual(["1"]);
    const rates = page.getByRole("figure").filter({ hasText: "Decisions in each minute" });
    await rates.getByText("denied 1").waitFor();
    await rates.getByText("As a table").click();
    const cells = await rates.getByRole("cell").allInnerTexts();
    expect(cells.map(Number).reduce((sum, count) => sum + count, 0)).toBe(202);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const color of ["allow", "ask_user"])
        await expect.poll(() => hasPixels(page, `--${color}`)).toBe(true);
    }
    await call(run, "cyd", "git push --force origin main");
    await rates.getByText("denied 2").waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });

  it.each(VIEWS)("has no fault that axe finds against WCAG AA: %s", async (_, options) => {
    const { ui } = await makeUi();
    const page = await openPage(options);
    await page.goto(`${ui.origin}/ui`);
    await page.getByLabel("Code").waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByLabel("Code").fill(new URL(ui.url).hash.slice("#login=".length));
    await page.keyboard.press("Enter");
    await lines(page).first().waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await lines(page).first().click();
    await page.getByRole("heading", { name: "Arguments" }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.goto(`${ui.origin}/ui#run`);
    await page.getByRole("heading", { name: "task-1" }).waitFor();
    await page.getByText("verified up to event 202 of 202").waitFor();
    await page
      .getByRole("img", { name: /^Decisions in each minute of the last hour, at most \d/ })
      .waitFor();
    await page.getByText("denied 1", { exact: false }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await page.getByLabel("State after event").fill("3");
    await page.keyboard.press("Enter");
    await page.getByText("Event 3,").waitFor();
    expect(await page.getByRole("rowheader").allInnerTexts()).toEqual(["bob", "ann"]);
  });
});
