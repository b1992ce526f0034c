// The questions in the page: a person answers exactly what is shown, and an agent cannot.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../contract/workspaces.ts";
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
import {
  ENROL,
  OPERATOR,
  endServers,
  makeSite,
  startServer,
  type ServerProcess,
} from "./orchestrator-kit.ts";

const CONTRACT = readFileSync(
  join(root, "packages/orchestrator/test/fixtures/operate-kit-contract.yaml"),
  "utf8",
);
const POLICY = `
[[rules]]
name = "ask-before-the-web"
action = "ask_user"
tool = "web_fetch"
reason = "This goes to the web, so a person must approve it."
`;
const TASKS = [
  "yes",
  "no",
  "hostile",
  "gate",
  "light",
  "dark",
  "phone",
  "agent",
  "named-gate",
  "named-call",
];

const site = makeSite(TASKS, CONTRACT);
let server: ServerProcess;
beforeAll(async () => {
  writeFileSync(site.path("policy.toml"), POLICY);
  const settings = { policy: [site.path("policy.toml")], consensus: true };
  const tasks = TASKS.map((id) => ({ id }));
  server = await startServer(site, settings, tasks);
});
afterAll(async () => {
  await endPages();
  await endServers();
});

interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function ask(
  authorization: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answered> {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answered["body"] };
}

/** An agent that has claimed a task. */
async function claim(task_id: string, agent_id = `agent-of-${task_id}`) {
  const { body } = await ask(`Bylaw-Enrol ${ENROL}`, "POST", "/tasks/claim", { agent_id, task_id });
  const credential = `Bearer ${String(body["phase_token"])}`;
  return {
    credential,
    fetches: async (url: string) =>
      (
        await ask(credential, "POST", "/tools/check", {
          ...{ task_id, tool_name: "web_fetch", args: { url } },
        })
      ).body,
    builds: async (criterion: string) =>
      (
        await ask(credential, "POST", "/tasks/transition", {
          ...{ task_id, target_phase: "BUILD" },
          artifacts: {
            plan_document: { acceptance_criteria: [{ criterion, how_to_verify: "run it" }] },
          },
        })
      ).body,
  };
}

/** The id of the open question of a task. */
async function questionOf(task: string): Promise<string> {
  const { body } = await ask(`Bearer ${OPERATOR}`, "GET", "/approvals?limit=100");
  const open = body["approvals"] as readonly { readonly id: string; readonly task: string }[];
  const found = open.find((one) => one.task === task);
  if (found === undefined) throw new Error(`${task} has no open question`);
  return found.id;
}

async function openQuestions(options: BrowserContextOptions = {}, token = OPERATOR): Promise<Page> {
  const page = await openPage(options);
  await page.goto(`${server.url}/ui#questions`);
  await page.getByLabel("Operator's token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

const listed = (page: Page, task: string) =>
  page.locator(".questions button").filter({ hasText: `agent-of-${task}` });

describe.skipIf(BROWSER === undefined)("a question in the page", () => {
  it("comes while the page is open, and a yes by keyboard lets exactly this call pass", async () => {
    const page = await openQuestions();
    const agent = await claim("yes");
    expect(await agent.fetches("https://example.org/a")).toMatchObject({ effect: "ask_user" });
    await listed(page, "yes").waitFor();
    await listed(page, "yes").focus();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("region", { name: "Question", exact: true });
    await panel.getByText('"url": "https://example.org/a"').waitFor();
    await panel.getByText("This goes to the web, so a person must approve it.").waitFor();
    await panel.getByRole("button", { name: "Yes", exact: true }).focus();
    await page.keyboard.press("Enter");
    await panel.getByText("Your yes is on record.").waitFor();
    await expect.poll(() => listed(page, "yes").count()).toBe(0);
    expect(await panel.getByRole("button", { name: "Yes", exact: true }).count()).toBe(0);
    await panel.focus();
    await page.keyboard.press("Escape");
    await expect.poll(() => panel.count()).toBe(0);
    expect(await agent.fetches("https://example.org/b")).toMatchObject({ effect: "ask_user" });
    expect(await agent.fetches("https://example.org/a")).toMatchObject({ effect: "allow" });
  });

  it("takes a no only with a reason, which the agent gets", async () => {
    const agent = await claim("no");
    await agent.fetches("https://example.org/");
    const question = await questionOf("no");
    const page = await openQuestions();
    await listed(page, "no").click();
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.getByText("A no needs a reason.").waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("TEXTAREA");
    await page.keyboard.type("Use the copy in docs");
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.getByText("Your no is on record.").waitFor();
    const { body } = await ask(agent.credential, "GET", `/approvals/${question}`);
    expect(body).toMatchObject({ state: "rejected", reason: "Use the copy in docs" });
  });

  it("about a gate shows the artifacts, and is answered in the chosen role", async () => {
    const agent = await claim("gate");
    await agent.builds("It greets");
    const page = await openQuestions();
    await listed(page, "gate").click();
    await page.getByText('"criterion": "It greets"').waitFor();
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await page.getByText("Choose the role in which you answer.").waitFor();
    await page.getByLabel("Your role").selectOption("lead");
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await page.getByText("Your yes is on record.").waitFor();
    expect(await agent.builds("It greets")).toMatchObject({ allowed: true });
  });

  it("stays text, whatever an agent wrote", async () => {
    const agent = await claim("hostile");
    const url = `https://example.org/${HOSTILE}\u00ad\u{e0041}${"x".repeat(30_000)}THE-END`;
    expect(await agent.fetches(url)).toMatchObject({ effect: "ask_user" });
    const page = await openQuestions();
    await listed(page, "hostile").click();
    const shown = await page.getByRole("region", { name: "The call" }).innerText();
    for (const part of ["<img src=x", "\\u202e", "\\u00ad", "\\u{e0041}", "THE-END"])
      expect(shown).toContain(part);
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).not.toBe("taken over");
  });

  it.each(VIEWS)("has no fault that axe finds against WCAG AA: %s", async (name, options) => {
    await (await claim(name)).builds("It greets");
    const page = await openQuestions(options);
    await listed(page, name).waitFor();
    expect(await violationsIn(page)).toEqual([]);
    await listed(page, name).click();
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.getByRole("alert").getByText("Choose the role").waitFor();
    expect(await violationsIn(page)).toEqual([]);
  });

  it("is shown by `bylaw ui` without buttons, and that server takes no answer", async () => {
    const folder = scratch({});
    const run = await openProjectRun(folder);
    await call(run, "ann", "make all");
    const ui = await startUi(folder);
    const page = await openPage();
    await page.goto(ui.url);
    await page.getByRole("link", { name: "Questions" }).click();
    await page
      .getByRole("button", { name: "Call of bash" })
      .filter({ hasText: "make all" })
      .click();
    await page.getByText('"command": "make all"').waitFor();
    await page.getByText("This page only reads.").waitFor();
    for (const name of ["Yes", "No"])
      expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
    const statuses = await page.evaluate(`(async () => {
      const headers = { authorization: "Bearer " + sessionStorage.getItem("bylaw-token") };
      const list = await fetch("/api/v1/approvals?run=main", { headers });
      const { approvals: [{ id }] } = await list.json();
      const answer = await fetch("/api/v1/approvals/" + id, { method: "POST", headers, body: '{"answer":"yes"}' });
      const { can_answer } = await (await fetch("/api/v1/me", { headers })).json();
      return [list.status, answer.status, can_answer];
    })()`);
    expect(statuses).toEqual([200, 404, false]);
  });
});

it.skipIf(BROWSER === undefined)(
  "is answered by an operator with the name of an agent at a gate in another role, and nowhere else",
  async () => {
    await (await claim("named-gate")).builds("It greets");
    await (await claim("named-call")).fetches("https://example.org/");
    const token = "the-token-of-an-operator-with-the-name-of-an-agent";
    const digest = createHash("sha256").update(token).digest("hex");
    const operators = [{ name: "agent-of-named-call", token: `sha256:${digest}` }];
    writeFileSync(site.path("data/operators.json"), JSON.stringify({ operators }), { mode: 0o600 });
    const page = await openQuestions({}, token);
    await page.locator(".questions button", { hasText: "named-call" }).click();
    await page.getByText("An agent of this run has your name").waitFor();
    expect(await page.getByRole("button", { name: "Yes", exact: true }).count()).toBe(0);
    await page.locator(".questions button", { hasText: "named-gate" }).click();
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await page.getByText("Your yes is on record.").waitFor();
  },
);

it("no agent's credential answers a question or reads the page's data", async () => {
  const agent = await claim("agent");
  await agent.fetches("https://example.org/");
  const question = await questionOf("agent");
  for (const credential of [agent.credential, `Bylaw-Enrol ${ENROL}`]) {
    for (const answer of ["yes", "no"]) {
      const body = { answer, reason: "I may" };
      const path = `/approvals/${question}`;
      expect((await ask(credential, "POST", path, body)).status).toBe(403);
    }
    for (const path of ["/me", "/decisions", "/overview", "/experiments"])
      expect((await ask(credential, "GET", path)).status).toBe(403);
  }
  expect(await agent.fetches("https://example.org/")).toMatchObject({ effect: "ask_user" });
  const me = await ask(`Bearer ${OPERATOR}`, "GET", "/me");
  expect(me.body).toMatchObject({ can_answer: true, roles: null });
});
