// What a rule offers instead of a call, in the page: from the refused call to the offered one, and back.
import { join } from "node:path";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import {
  BROWSER,
  HOSTILE,
  VIEWS,
  endPages,
  openPage,
  startUi,
  violationsIn,
} from "./dashboard-kit.ts";
import { OFFERS_RUN, recordOffers } from "./offers-kit.ts";
import { OPERATOR, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

afterAll(async () => {
  await endPages();
  await endServers();
});

const FORCE = "git push --force origin main";

async function openUi(cwd: string, options: BrowserContextOptions = {}): Promise<Page> {
  const ui = await startUi(cwd);
  const page = await openPage(options);
  await page.goto(ui.url);
  await page.locator(".line").first().waitFor();
  return page;
}

/** Opens the decision about a command from the list. */
async function opened(page: Page, command: string): Promise<Locator> {
  await page.locator(".line").filter({ hasText: command }).last().click();
  const panel = page.getByRole("region", { name: /^Event/ });
  await panel.getByRole("heading", { name: "Arguments" }).waitFor();
  return panel;
}

describe.skipIf(BROWSER === undefined)("a decision with an offer", () => {
  it("links to the decision about the offered call, and back", async () => {
    const page = await openUi(recordOffers(["ls a", FORCE, "ls b"]));
    const panel = await opened(page, FORCE);
    const offered = panel.getByRole("region", { name: "Offered instead" });
    expect(JSON.parse(await offered.innerText())).toEqual({
      command: "git push --force-with-lease",
    });
    await panel.getByText("A rule allowed the call with these arguments").waitFor();
    await panel.getByRole("button", { name: "Open event 4" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Event 4" }).waitFor();
    await panel.getByText("A rule offered this call instead of another one.").waitFor();
    expect(await panel.getByRole("region", { name: "Arguments" }).innerText()).toContain(
      "git push --force-with-lease",
    );
    expect(await panel.getByRole("heading", { name: "Offered instead" }).count()).toBe(0);
    await panel.getByRole("button", { name: "Open event 3" }).click();
    await panel.getByRole("heading", { name: "Offered instead" }).waitFor();
    await opened(page, "ls b");
    await page.getByRole("region", { name: "Event 5" }).waitFor();
    await expect.poll(() => panel.getByRole("button", { name: /^Open event/ }).count()).toBe(0);
  });

  it("says when no rule allowed the offered call, and shows what a rule wrote as text", async () => {
    const page = await openUi(recordOffers(["make install", FORCE], HOSTILE));
    const panel = await opened(page, "make install");
    await panel.getByText("No rule allowed the call with these arguments").waitFor();
    await panel.getByRole("button", { name: "Open event 3" }).waitFor();
    await opened(page, FORCE);
    const text = await panel.getByRole("region", { name: "Offered instead" }).innerText();
    expect(text).toContain("<img src=x");
    expect(text).not.toContain("\u202e");
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Bylaw$/);
  });

  it("no longer asks a person once the offered call was allowed", async () => {
    const page = await openUi(recordOffers(["npm publish x"]));
    await page.getByRole("link", { name: "Questions" }).click();
    await page.getByText("0 questions wait").waitFor();
  });

  it.each(VIEWS)("has no fault that axe finds against WCAG AA: %s", async (_, options) => {
    const page = await openUi(recordOffers([FORCE]), options);
    const panel = await opened(page, FORCE);
    await panel.getByRole("button", { name: "Open event 3" }).waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });
});

it("`bylaw serve` links the two decisions too, by the whole call and not by its id", async () => {
  const cwd = recordOffers([FORCE, "make install", "ls"]);
  const site = makeSite([]);
  const store = join(cwd, ".bylaw/store.db");
  const server = await startServer(site, { store, run: OFFERS_RUN });
  const linksOf = async (sequence: number): Promise<unknown> => {
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const answer = await fetch(`${server.url}/api/v1/decisions/${sequence}`, { headers });
    const { offered, offered_by } = (await answer.json()) as Record<string, unknown>;
    return [offered, offered_by];
  };
  expect(await Promise.all([1, 2, 3, 4, 5, 6].map(linksOf))).toEqual([
    [null, null],
    [{ sequence: 3, taken: true }, null],
    [null, 2],
    [{ sequence: 5, taken: false }, null],
    [null, 4],
    [null, null],
  ]);
});
