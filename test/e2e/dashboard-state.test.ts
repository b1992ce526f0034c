// The state of a run in the page: gates of tasks, consensus, steps with loops and triggers, and the rules of the session.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bylaw/kernel";
import { openSqliteStore } from "@bylaw/store-sqlite";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { scratch } from "./bylaw.ts";
import {
  BROWSER,
  HOSTILE,
  endPages,
  openPage,
  startUi,
  violationsIn,
  VIEWS,
} from "./dashboard-kit.ts";

afterAll(endPages);

type Written = readonly [type: string, agent: string | null, details: JsonObject, task?: string];

const vote = (name: string, reason: string): JsonObject => ({
  ...{ effect: "deny", code: "gate_open", reason, fix: "Ask a lead.", rule: { name } },
});
const blocked = (name: string, reason: string): JsonObject => ({
  to: "BUILD",
  decision: { ...vote(name, reason), votes: [vote(name, reason)] },
});
const ends = { attempt: 1, ok: true };

/** What happens in a run with every part, with names of the given ending. */
const eventsOf = (end: string): readonly Written[] => [
  ["session_start", null, {}],
  ["phase_entered", "ann", { to: `PLAN${end}`, decision: { effect: "allow" } }, `T1${end}`],
  ["transition_blocked", "ann", blocked(`plan_approval${end}`, `Nobody agreed${end}`), `T1${end}`],
  [
    ...(["gate_decided", null] as const),
    {
      ...{ gate: `plan_approval${end}`, by: `ada${end}`, role: "lead", verdict: "approved" },
      reason: `Good enough${end}`,
    },
    `T1${end}`,
  ],
  [
    ...(["check_waived", null] as const),
    {
      ...{ gate: `plan_approval${end}`, check: `has_tests${end}`, by: "ada", role: "lead" },
      ...{ reason: "A spike", expires_at: "2126-01-01T00:00:00.000Z" },
    },
    `T1${end}`,
  ],
  ["consensus_opened", null, { agents: [`ann${end}`, "bob"] }],
  ["answer_accepted", `ann${end}`, { label: `agent1.1${end}` }],
  ["answer_accepted", "bob", { label: "agent2.1" }],
  ["vote_accepted", "bob", { label: `agent1.1${end}`, reason_preview: `It is shorter${end}` }],
  ["winner_selected", `ann${end}`, { label: `agent1.1${end}`, preview: `Use a map${end}` }],
  ["step_started", null, { step: `plan${end}` }],
  ["step_completed", null, { step: `plan${end}`, ...ends }],
  ["step_started", null, { step: "build" }],
  ["step_completed", null, { step: "build", ...ends }],
  [
    ...(["behavior_applied", "ann"] as const),
    { directive: { action: "loop", step: "build", to: `plan${end}`, max_iterations: 4 } },
  ],
  ["step_started", null, { step: `plan${end}` }],
  ["step_completed", null, { step: `plan${end}`, ...ends }],
  ["step_started", null, { step: "build" }],
  [
    ...(["behavior_applied", "ann"] as const),
    { directive: { action: "trigger", step: "build", agent: `helper${end}` } },
  ],
  ["agent_returned", null, { agent: `helper${end}`, ok: false }],
  [
    ...(["constitution_updated", "ann"] as const),
    { by: `ann${end}`, author: "agent", rule: `Write no globals${end}` },
  ],
];

/** The page over a run with these events, the last of them now. */
async function openRun(written: readonly Written[], options: BrowserContextOptions = {}) {
  const folder = scratch({});
  mkdirSync(join(folder, ".bylaw"));
  const store = await openSqliteStore(join(folder, ".bylaw/store.db"));
  await store.commit({
    ...{ run: "main", seen: 0 },
    events: written.map(([event_type, agent_id, details, task_id = null]) => ({
      ...{ timestamp: new Date().toISOString(), event_type, agent_id, task_id, details },
      session_id: "11111111-1111-4111-8111-111111111111",
    })),
  });
  await store.close();
  const ui = await startUi(folder);
  const page = await openPage(options);
  await page.goto(ui.url);
  await page.locator(".line").first().waitFor();
  return page;
}

const go = (page: Page, view: string) => page.getByRole("link", { name: view }).click();
const at = async (page: Page, sequence: number): Promise<void> => {
  await page.getByLabel("State after event").fill(String(sequence));
  await page.keyboard.press("Enter");
  await page.getByText(`Event ${sequence},`).waitFor();
};

describe.skipIf(BROWSER === undefined)("the state of a run", () => {
  it("has the phases, blockers and gates of a task, with who answered and what was waived", async () => {
    const page = await openRun(eventsOf(""));
    await go(page, "Agents and tasks");
    const task = page.locator(".task");
    await task.getByText("plan_approval").first().waitFor();
    const text = await task.innerText();
    expect(text).toMatch(/Blocked before BUILD:\s+denied plan_approval Nobody agreed Ask a lead\./);
    expect(text).toMatch(/approved by ada as lead, [\d:]+ Good enough/);
    expect(text).toMatch(/has_tests waived by ada until 2126-01-01 [\d:]+: A spike/);
    await at(page, 2);
    expect(await task.innerText()).not.toContain("plan_approval");
  });

  it("has who answered and voted in a consensus, and what won", async () => {
    const page = await openRun(eventsOf(""));
    await go(page, "Workflow");
    const part = page.getByRole("region", { name: "Consensus of event 6" });
    await part.getByText("Use a map").waitFor();
    expect(await part.getByRole("row").allInnerTexts()).toEqual([
      "Agent\tRound\tAnswer\tVotes for it\tVotes for",
      "ann\t1\tagent1.1\t1\t–",
      "bob\t1\tagent2.1\t0\tagent1.1",
    ]);
    await part.getByText("Turns (3)").click();
    await part.getByText("bob voted for agent1.1 It is shorter").waitFor();
    await at(page, 8);
    await part.getByText("Nothing has won yet.").waitFor();
  });

  it("draws steps, loops and triggers, and has them as text", async () => {
    const page = await openRun(eventsOf(""));
    await go(page, "Workflow");
    const graph = page.getByRole("img", { name: /^3 steps and agents, 1 loops, 1 triggers\./ });
    await graph.waitFor();
    expect(await graph.locator(".box").count()).toBe(3);
    expect(await graph.locator(".way").count()).toBe(3);
    await page.getByText("As text").click();
    expect(await page.locator("details[open] li").allInnerTexts()).toEqual([
      "plan, done, started 2 times; goes on to build 2 times",
      "build, running, started 2 times; goes back to plan 1 of 4 times; calls helper once",
      "helper, called agent, failed, started once",
    ]);
  });

  it("has the rules of the session, whose they are and how long they hold", async () => {
    const page = await openRun(eventsOf(""));
    await go(page, "Workflow");
    await page.getByText("Write no globals").waitFor();
    await page.getByText(/In force until .*, (?:59|60) minutes more/).waitFor();
    await page.getByRole("cell", { name: "ann (agent)" }).waitFor();
    await at(page, 20);
    await page.getByText("No rules of the session are in force.").waitFor();
  });

  it("is that of any event, from the event itself or step by step, in each view", async () => {
    const page = await openRun(eventsOf(""));
    await page.locator("#row-3").getByText("T1: to BUILD").click();
    await page.getByRole("button", { name: "State of the run after this event" }).click();
    await page.getByText("An earlier state. Event 3,").waitFor();
    const task = page.locator(".task");
    expect(await task.innerText()).not.toContain("approved by");
    await page.getByRole("button", { name: "Later" }).click();
    await task.getByText("approved by ada").waitFor();
    await go(page, "Workflow");
    await page.getByText("An earlier state. Event 4,").waitFor();
    await page.getByText("No workflow has begun.").waitFor();
    await page.getByRole("slider", { name: "Move to an event" }).focus();
    await page.keyboard.press("End");
    await page.getByText("Event 21,").waitFor();
    await page.getByRole("button", { name: "Earlier" }).click();
    await page.getByText("An earlier state. Event 20,").waitFor();
    await page.getByRole("button", { name: "Now" }).click();
    await page.getByText("Write no globals").waitFor();
    expect(await page.getByText("An earlier state.").count()).toBe(0);
    expect(await page.getByLabel("State after event").inputValue()).toBe("");
  });

  it("stays text, whatever an agent wrote, and outlasts events of the wrong shape", async () => {
    const wrong = ["gate_decided", "consensus_opened", "answer_accepted", "step_started"];
    const more = [
      "behavior_applied",
      "constitution_reset",
      "constitution_updated",
      "phase_entered",
    ];
    const odd = [...wrong, ...more].map((type): Written => [
      type,
      "x",
      { rules: 1, agents: [{}] },
      "T2",
    ]);
    const page = await openRun([...odd, ...eventsOf(HOSTILE)]);
    await go(page, "Agents and tasks");
    await page.getByText("Nobody agreed").first().waitFor();
    await go(page, "Workflow");
    await page.getByText("Write no globals").waitFor();
    await page.getByText("As text").click();
    await page.getByText("Turns (3)").click();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Bylaw$/);
    expect(await page.locator("#page").innerText()).not.toContain("\u202e");
    expect(await page.locator("svg").innerHTML()).not.toContain("\u202e");
  });

  it.each(VIEWS)("has no fault that axe finds against WCAG AA: %s", async (_, options) => {
    const page = await openRun(eventsOf(HOSTILE), options);
    for (const [view, text] of [
      ["Agents and tasks", "Nobody agreed"],
      ["Workflow", "Write no globals"],
    ] as const) {
      await go(page, view);
      await page.getByText(text).first().waitFor();
      for (const summary of await page.locator("summary").all()) await summary.click();
      expect(await violationsIn(page)).toEqual([]);
    }
  });
});
