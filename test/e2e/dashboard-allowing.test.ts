// "What would have allowed it", in the page: under the policies at hand, and nothing is made up where there are none.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfiguredKernel } from "@bylaw/config";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { afterAll, expect, it, onTestFinished } from "vitest";
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
} from "./dashboard-kit.ts";
import { ENROL, OPERATOR, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

const POLICY = `
[[rules]]
name = "look"
action = "allow"
command = "git status *"

[[rules]]
name = "no-force-push"
action = "deny"
command = "git push --force *"
fix = "Push to a branch."

[[rules]]
name = "no-web"
action = "deny"
tool = "web_fetch"
`;
const CONFIG = JSON.stringify({
  plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["policy.toml"] } }],
});

afterAll(async () => {
  await endPages();
  await endServers();
});

/** A project with a configuration, under which a run is recorded. */
async function makeProject() {
  const folder = scratch({
    "policy.toml": POLICY,
    "bylaw.config.json": CONFIG,
    ".bylaw/.gitignore": "*",
  });
  const { kernel } = await createConfiguredKernel({
    file: join(folder, "bylaw.config.json"),
    bundled: { "@bylaw/plugin-policy": import.meta.resolve("@bylaw/plugin-policy") },
  });
  const store = await openSqliteStore(join(folder, ".bylaw/store.db"));
  const run = await openRun(kernel, { run: "main", store });
  const close = async (): Promise<void> => {
    await run.close();
    await store.close();
  };
  onTestFinished(close);
  return { folder, run };
}

async function readerOf(folder: string) {
  const ui = await startUi(folder);
  const code = new URL(ui.url).hash.slice("#login=".length);
  const body = JSON.stringify({ code });
  const entered = await fetch(`${ui.origin}/api/v1/login`, { method: "POST", body });
  const { token } = (await entered.json()) as { readonly token: string };
  const headers = { authorization: `Bearer ${token}` };
  return async (path: string) =>
    (await (await fetch(`${ui.origin}/api/v1/${path}?run=main`, { headers })).json()) as object;
}

it("`bylaw ui` names the nearest rule and the smallest one, until a policy denies", async () => {
  const { folder, run } = await makeProject();
  await call(run, "ann", "git log -1");
  await call(run, "ann", "git push --force origin main");
  const read = await readerOf(folder);
  expect(await read("decisions/2/allowing")).toMatchObject({
    policies: "same",
    nearest: [{ name: "look", failed: "command", expected: "`git status *`", line: 2 }],
    toml: expect.stringContaining("git log -1"),
    why: null,
    phases: null,
  });
  expect(await read("decisions/3/allowing")).toMatchObject({
    toml: null,
    why: expect.stringContaining("no-force-push"),
  });
  writeFileSync(join(folder, "policy.toml"), POLICY.replace("git status *", "git log *"));
  expect(await read("decisions/2/allowing")).toMatchObject({
    policies: "other",
    why: "The call is already allowed",
  });
  writeFileSync(join(folder, "policy.toml"), "rules = 1");
  expect(await read("decisions/2/allowing")).toMatchObject({ policies: "unknown", toml: null });
});

it("`bylaw ui` says that no policies are at hand, rather than guess", async () => {
  const folder = scratch({});
  const run = await openProjectRun(folder);
  await call(run, "ann", "git log -1");
  const read = await readerOf(folder);
  expect(await read("decisions/2/allowing")).toEqual({
    ...{ policies: "unknown", nearest: [], toml: null, phases: null },
    why: "No configuration was found where `bylaw ui` was started",
  });
  expect(await read("decisions/99/allowing")).toMatchObject({ status: 404 });
});

it.skipIf(BROWSER === undefined)(
  "the page shows it as text, with what stood in the way",
  async () => {
    const { folder, run } = await makeProject();
    await call(run, "ann", "git log '<img src=x>'");
    await call(run, "ann", `git log '${HOSTILE}'`);
    await call(run, "ann", "git push --force origin main");
    const ui = await startUi(folder);
    const page = await openPage({ colorScheme: "dark" });
    await page.goto(ui.url);
    await page.locator("#row-4").click();
    const part = page.getByRole("region", { name: "What would have allowed it" });
    await part.getByText("Push to a branch.").waitFor();
    await part.getByText("No rule to suggest:").waitFor();
    await page.locator("#row-2").click();
    await part.getByRole("region", { name: "The smallest rule" }).getByText("git log").waitFor();
    expect(await part.innerText()).toMatch(
      /look\s+\S*policy\.toml:2\s+command needs `git status \*`/,
    );
    await page.locator("#row-3").click();
    await part.getByText("character U+202E").first().waitFor();
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.title()).toMatch(/^(?:\(\d+\) )?Bylaw$/);
    expect(await violationsIn(page)).toEqual([]);
  },
);

it("`bylaw serve` tells which phases allow the tool, under its own rules", async () => {
  const contract = readFileSync(
    join(root, "packages/orchestrator/test/fixtures/operate-kit-contract.yaml"),
    "utf8",
  );
  const site = makeSite(["one"], contract);
  writeFileSync(site.path("policy.toml"), POLICY);
  const policy = [site.path("policy.toml")];
  const server = await startServer(site, { policy }, [{ id: "one" }]);
  onTestFinished(async () => void (await server.stop()));
  const ask = async (authorization: string, path: string, body?: object) => {
    const headers = { authorization, "content-type": "application/json" };
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/api/v1/${path}`, { headers, ...init });
    return (await response.json()) as Readonly<Record<string, unknown>>;
  };
  const claimed = await ask(`Bylaw-Enrol ${ENROL}`, "tasks/claim", {
    ...{ agent_id: "ann", task_id: "one" },
  });
  const agent = `Bearer ${String(claimed["phase_token"])}`;
  const args = { url: "https://example.org/" };
  const check = { task_id: "one", tool_name: "web_fetch", args };
  await ask(agent, "tools/check", check);
  const operator = `Bearer ${OPERATOR}`;
  const { rows } = (await ask(operator, "decisions?tool=web_fetch")) as {
    readonly rows: readonly { readonly sequence: number }[];
  };
  const found = await ask(operator, `decisions/${rows[0]?.sequence}/allowing`);
  expect(found).toMatchObject({
    why: expect.stringContaining("no-web"),
    policies: "same",
    toml: null,
    phases: ["PLAN"],
  });
  expect(await ask(agent, `decisions/${rows[0]?.sequence}/allowing`)).toMatchObject({
    status: 403,
  });
});
