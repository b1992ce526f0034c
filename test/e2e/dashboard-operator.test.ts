// `bylaw ui --operator`: the operator answers in the page, and no agent with a shell or a browser on the same machine can.
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { OPERATORS, TOKENS, planOf, project, type Project } from "./approve-kit.ts";
import { bylaw } from "./bylaw.ts";
import { BROWSER, endPages, openPage, startUi, violationsIn, type Ui } from "./dashboard-kit.ts";

const ADA = ["--operator", "ada", "--store", "runs.db"];

afterAll(endPages);

async function start() {
  const here = await project();
  await here.call({ to: "production" });
  const ui = await startUi(here.cwd, ADA, { BYLAW_OPERATOR_TOKEN: TOKENS.bob });
  return { here, ui };
}

const post = (ui: Ui, path: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${ui.origin}/api/v1/${path}`, {
    ...{ method: "POST", body: JSON.stringify(body) },
    headers: { "content-type": "application/json", ...headers },
  });

/** The token of a tab, for a secret that was typed in. */
async function enter(ui: Ui, code: string): Promise<string | undefined> {
  const entered = await post(ui, "login", { code });
  return ((await entered.json()) as { readonly token?: string }).token;
}

const questionsOf = async (here: Project): Promise<readonly string[]> =>
  (await here.list()).map(({ id }) => String(id));

describe("`bylaw ui --operator`", () => {
  it("does not start for somebody who is no operator of the project", async () => {
    const here = await project();
    const refuse = (name: string): void => {
      const ran = bylaw(["ui", "--store", "runs.db", "--operator", name], { cwd: here.cwd });
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toContain(`\`${name}\` is no operator of this project`);
    };
    refuse("eve");
    rmSync(join(here.cwd, ".bylaw/operators.json"));
    refuse("ada");
  });

  it("takes answers from the signed-in operator alone", async () => {
    const { here, ui } = await start();
    const [id] = await questionsOf(here);
    const path = `approvals/${id}?run=main`;
    const yes = { answer: "yes" };
    // What an agent can find: the digest of the token, the tokens of others, and nothing.
    const { operators } = JSON.parse(OPERATORS) as {
      readonly operators: readonly { readonly token: string }[];
    };
    const digest = operators[0]?.token ?? "";
    for (const secret of [digest, digest.slice(7), TOKENS.bob, TOKENS.ci, "", "x".repeat(40)]) {
      expect(await enter(ui, secret)).toBeUndefined();
      const headers = { authorization: `Bearer ${secret}` };
      expect((await post(ui, path, yes, headers)).status).toBe(401);
    }
    expect((await post(ui, path, yes)).status).toBe(401);
    expect((await post(ui, path, yes, { authorization: `Bearer ${TOKENS.ada}` })).status).toBe(401);
    const token = await enter(ui, TOKENS.ada);
    const headers = { authorization: `Bearer ${token}` };
    const forged = { ...headers, origin: "https://evil.example" };
    expect((await post(ui, path, yes, forged)).status).toBe(403);
    for (const odd of [{}, { answer: "maybe" }, { ...yes, by: "bob" }, { answer: "no" }])
      expect((await post(ui, path, odd, headers)).status).toBe(400);
    expect(await questionsOf(here)).toEqual([id]);
    const answered = await post(ui, path, yes, headers);
    expect([answered.status, await answered.json()]).toMatchObject([
      200,
      { event_type: "approval_granted", details: { by: "ada" } },
    ]);
    expect((await post(ui, path, yes, headers)).status).toBe(404);
    expect(await here.call({ to: "production" })).toMatchObject({ decision: { effect: "allow" } });
  });

  it("ends the access of an operator who signs in again, or is no longer listed", async () => {
    const { here, ui } = await start();
    const first = await enter(ui, TOKENS.ada);
    const second = await enter(ui, TOKENS.ada);
    const read = async (token: string | undefined) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${ui.origin}/api/v1/me`, { headers })).status;
    };
    expect([await read(first), await read(second)]).toEqual([401, 200]);
    const file = join(here.cwd, ".bylaw/operators.json");
    for (const text of [OPERATORS.replace('"ada"', '"eve"'), "{", OPERATORS]) {
      writeFileSync(file, text);
      expect(await read(second)).toBe(text === OPERATORS ? 200 : 401);
    }
  });

  it("refuses an operator with the name of an agent, except at a gate in another role", async () => {
    const { here, ui } = await start();
    await here.call({ to: "staging" }, { agent: "ada" });
    const headers = { authorization: `Bearer ${await enter(ui, TOKENS.ada)}` };
    for (const id of await questionsOf(here)) {
      const answer = await post(ui, `approvals/${id}?run=main`, { answer: "yes" }, headers);
      expect(answer.status).toBe(403);
    }
    await here.move("BUILD", planOf("It greets"), "builder");
    const gate = (await here.list()).find(({ kind }) => kind === "gate");
    const at = `approvals/${String(gate?.["id"])}?run=main`;
    const as = async (role: string) =>
      (await post(ui, at, { answer: "yes", role }, headers)).status;
    expect([await as("human"), await as("lead")]).toEqual([403, 200]);
  });

  it.skipIf(process.platform !== "linux")(
    "leaves its secrets where no program finds them",
    async () => {
      const { here, ui } = await start();
      const token = String(await enter(ui, TOKENS.ada));
      expect(ui.url).toBe(`${ui.origin}/ui`);
      const secrets = [TOKENS.ada, TOKENS.bob, token];
      const own = readFileSync(`/proc/${ui.pid}/cmdline`, "utf8");
      const children = readdirSync("/proc").filter(
        (pid) => /^\d+$/.test(pid) && isChild(pid, ui.pid),
      );
      const environments = children.map((pid) => readFileSync(`/proc/${pid}/environ`, "utf8"));
      const files = [here.cwd, join(here.cwd, ".bylaw")]
        .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
        .filter((one) => one.isFile())
        .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));
      expect(files.length).toBeGreaterThan(2);
      for (const text of [own, ...environments, ...files])
        for (const secret of secrets) expect(text.includes(secret)).toBe(false);
    },
  );
});

const isChild = (pid: string, parent: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === `${parent}`;
  } catch {
    return false;
  }
};

describe.skipIf(BROWSER === undefined)("the page of an operator", () => {
  async function signIn(ui: Ui): Promise<Page> {
    const page = await openPage({ colorScheme: "dark" });
    await page.goto(`${ui.url}#questions`);
    await page.getByLabel("Operator's token").fill(TOKENS.ada);
    await page.keyboard.press("Enter");
    await page.getByText("Live", { exact: true }).waitFor();
    return page;
  }

  it("answers calls and gates, and keeps its token in memory alone", async () => {
    const { here, ui } = await start();
    await here.move("BUILD", planOf("It greets"), "builder");
    const page = await signIn(ui);
    await page.getByRole("button", { name: /^Gate plan_approval/ }).click();
    await page.getByText('"criterion": "It greets"').waitFor();
    await page.getByLabel("Your role").selectOption("lead");
    expect(await violationsIn(page)).toEqual([]);
    await page.getByRole("button", { name: "Yes", exact: true }).click();
    await page.getByText("Your yes is on record.").waitFor();
    await page.getByRole("button", { name: /^Call of/ }).click();
    await page.getByLabel("Reason, which a no needs").fill("Not on a Friday");
    await page.getByRole("button", { name: "No", exact: true }).click();
    await page.getByText("Your no is on record.").waitFor();
    expect(await here.move("BUILD", planOf("It greets"), "builder")).toMatchObject({
      effect: "allow",
    });
    const { cookies, origins } = await page.context().storageState();
    const stored = await page.evaluate(
      "[{ ...sessionStorage }, { ...localStorage }, location.href]",
    );
    expect([cookies, origins, stored]).toEqual([[], [], [{}, {}, `${ui.url}#questions`]]);
    await page.reload();
    await page.getByLabel("Operator's token").waitFor();
  });

  it("has nothing for a browser that an agent drives", async () => {
    const { here, ui } = await start();
    await signIn(ui);
    const page = await openPage();
    await page.goto(ui.url);
    await page.getByLabel("Operator's token").fill("a guess that is long enough for a token");
    await page.keyboard.press("Enter");
    await page.getByText("This token is wrong").waitFor();
    const [id] = await questionsOf(here);
    const status = await page.evaluate(`fetch("/api/v1/approvals/${id}?run=main", {
      method: "POST", body: '{"answer":"yes"}' }).then(({ status }) => status)`);
    expect(status).toBe(401);
    expect(await questionsOf(here)).toEqual([id]);
  });
});
