// Who gets data of the page, and who does not: programs without its token, other sites, agents.
import { request } from "node:http";
import { afterAll, expect, it } from "vitest";
import { scratch } from "./bylaw.ts";
import { call, endPages, openProjectRun, startUi } from "./dashboard-kit.ts";
import { ENROL, OPERATOR, endServers, makeSite, startServer } from "./orchestrator-kit.ts";

const site = makeSite(["one"]);
afterAll(async () => {
  await endPages();
  await endServers();
});

const READS = ["me", "decisions", "decisions/2", "overview", "experiments", "events"];

async function makeUi() {
  const folder = scratch({});
  const run = await openProjectRun(folder);
  await call(run, "ann", "make all");
  const ui = await startUi(folder);
  const code = new URL(ui.url).hash.slice("#login=".length);
  return { ui, code };
}

const enter = (origin: string, code: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${origin}/api/v1/login`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code }),
  });

it("`bylaw ui` answers nothing without the token, and its code works once", async () => {
  const { ui, code } = await makeUi();
  for (const path of READS)
    for (const headers of [{}, { authorization: `Bearer ${code}` }, { authorization: "Bearer" }]) {
      const url = `${ui.origin}/api/v1/${path}?run=main`;
      const { status } = await fetch(url, { headers: headers as Record<string, string> });
      expect([path, status]).toEqual([path, 401]);
    }
  expect((await enter(ui.origin, "0".repeat(30))).status).toBe(401);
  const { token } = (await (await enter(ui.origin, code)).json()) as { readonly token: string };
  expect((await enter(ui.origin, code)).status).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  const page = await fetch(`${ui.origin}/api/v1/decisions?run=main`, { headers });
  expect(await page.json()).toMatchObject({ rows: [{ summary: "make all" }, {}] });
});

it("`bylaw ui` refuses pages of other sites, under another name or as themselves", async () => {
  const { ui, code } = await makeUi();
  const { port } = new URL(ui.origin);
  const statusOf = (path: string, headers: Readonly<Record<string, string>>) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on("error", reject)
        .end();
    });
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1"])
    expect([host, await statusOf("/ui", { host })]).toEqual([host, 403]);
  expect(await statusOf("/ui", { host: `localhost:${port}` })).toBe(200);
  expect((await enter(ui.origin, code, { origin: "https://evil.example" })).status).toBe(403);
  expect((await enter(ui.origin, code, { origin: "null" })).status).toBe(403);
  expect((await enter(ui.origin, code)).status).toBe(200);
});

it("`bylaw ui` reads no more of a body than it needs, whether or not its length is told", async () => {
  const { ui, code } = await makeUi();
  expect((await enter(ui.origin, "0".repeat(70_000))).status).toBe(413);
  let sent = 0;
  const endless = new ReadableStream({
    pull(to) {
      sent += 16_384;
      to.enqueue(new Uint8Array(16_384).fill(48));
    },
  });
  const init = { method: "POST", body: endless, duplex: "half" } as RequestInit;
  const status = await fetch(`${ui.origin}/api/v1/login`, init).then(
    (answer) => answer.status,
    () => "cut",
  );
  expect([413, "cut"]).toContain(status);
  expect(sent).toBeLessThan(50_000_000);
  expect((await enter(ui.origin, code)).status).toBe(200);
});

it("`bylaw ui` refuses a wrong query with its reason", async () => {
  const { ui, code } = await makeUi();
  const { token } = (await (await enter(ui.origin, code)).json()) as { readonly token: string };
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ["decisions", "decisions?run=main&limit=x", "decisions/none?run=main"]) {
    const answer = await fetch(`${ui.origin}/api/v1/${path}`, { headers });
    expect([path, answer.status]).toEqual([path, 400]);
  }
  const missing = await fetch(`${ui.origin}/api/v1/decisions/99?run=main`, { headers });
  expect([missing.status, await missing.json()]).toMatchObject([
    404,
    { detail: "The log has no event 99" },
  ]);
});

it("`bylaw serve` has the page for anybody, and its data for operators alone", async () => {
  const server = await startServer(site, {}, [{ id: "one" }]);
  const origin = new URL(server.url).origin;
  const page = await fetch(`${origin}/ui`);
  expect(page.status).toBe(200);
  const policy = page.headers.get("content-security-policy");
  expect(policy).toContain("script-src 'self';");
  expect(policy).not.toContain("unsafe");
  expect(await page.text()).not.toMatch(/<script(?![^>]* src=)/);
  for (const path of READS)
    for (const [authorization, wanted] of [
      ["", 401],
      [`Bylaw-Enrol ${ENROL}`, 403],
      [`Bearer ${ENROL}`, 401],
    ] as const) {
      const headers: Record<string, string> = authorization === "" ? {} : { authorization };
      const { status } = await fetch(`${origin}/api/v1/${path}`, { headers });
      expect([path, authorization, status]).toEqual([path, authorization, wanted]);
    }
  // What another site can make a browser send: no header of ours, whatever its body says.
  const forged = await fetch(`${origin}/api/v1/approvals/0a1b2c3d4e5f6071`, {
    method: "POST",
    headers: { "content-type": "text/plain", origin: "https://evil.example", cookie: OPERATOR },
    body: JSON.stringify({ answer: "yes" }),
  });
  expect(forged.status).toBe(401);
  const headers = { authorization: `Bearer ${OPERATOR}` };
  const read = async (path: string) =>
    (await (await fetch(`${origin}/api/v1/${path}`, { headers })).json()) as unknown;
  expect(await read("me")).toMatchObject({ can_answer: true, many_runs: false });
  expect(await read("decisions?type=task_created")).toMatchObject({
    rows: [{ type: "task_created", task: "one" }],
  });
  expect(await read("overview")).toMatchObject({ chain: { broken: null } });
});
