import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { bylaw, json, jsonLines, scratch, start } from "./bylaw.ts";
import { endServers, makeSite, startServer, type Operator } from "./orchestrator-kit.ts";

const CONTRACT = `
bylaw: 1
name: Two phases
phases:
  - { id: PLAN, name: Plan, allowed_tools: [read_files] }
  - { id: WORK, name: Work, allowed_tools: [read_files] }
transitions:
  - { from: PLAN, to: WORK }
enforcement: { mode: strict }
`;
const site = makeSite([], CONTRACT);
afterAll(endServers);

async function serving(data: string, settings: object = {}) {
  const tasks = [{ id: "one", title: "Refund orders" }];
  const { operator, client } = await startServer(
    site,
    { data: site.path(data), ...settings },
    tasks,
  );
  const ann = client("ann");
  await ann.claimTask({ task_id: "one" });
  return { ann, operator };
}

const waiting = async (operator: Operator) =>
  (await operator.insist("GET", "/approvals"))["approvals"] as readonly {
    readonly id: string;
    readonly kind: string;
    readonly reason: string;
  }[];

describe("bylaw serve", () => {
  it("lists a pause among the approvals, and a person's yes ends it", async () => {
    const { ann, operator } = await serving("pause");
    expect(await ann.behave({ action: "checkpoint", reason: "look at the plan" })).toMatchObject({
      applied: true,
    });
    const read = () => ann.checkTool("read_files", { path: "a" });
    expect(await read()).toMatchObject({ allowed: false, code: "checkpoint_paused" });
    await expect(ann.requestTransition("WORK")).rejects.toMatchObject({
      name: "TransitionBlocked",
    });
    expect(await ann.approvals()).toMatchObject([{ kind: "pause", reason: "look at the plan" }]);
    const [pause] = await waiting(operator);
    const path = `/approvals/${String(pause?.id)}`;
    expect((await operator.ask("POST", path, { answer: "no", reason: "x" })).status).toBe(409);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    expect((await operator.ask("POST", path, { answer: "yes", expires_at })).status).toBe(409);
    const waits = ann.waitForApproval(String(pause?.id), { wait_ms: 30_000 });
    await operator.insist("POST", path, { answer: "yes" });
    expect(await waits).toMatchObject({ kind: "pause", state: "approved" });
    expect(await waiting(operator)).toEqual([]);
    expect(await read()).toMatchObject({ allowed: true });
  });

  it.each([
    ["no address", { url: "oversight" }, "must begin with `http://` or `https://`"],
    ["a password", { url: "http://u:p@127.0.0.1/" }, "must not contain a user or a password"],
    ["two of them", { url: "http://127.0.0.1/", command: ["look"] }, "only one is asked"],
  ])("does not start if the oversight cannot be asked: %s", async (_, oversight, why) => {
    await expect(serving("unfit", { oversight })).rejects.toThrow(why);
  });

  it("names the fix for a request that nobody can carry out", async () => {
    const { ann } = await serving("refused");
    expect(await ann.behave({ action: "vibecheck" })).toMatchObject({
      applied: false,
      code: "behavior_unserved",
      fix: expect.stringContaining("oversight.command") as string,
    });
    expect(await ann.behave({ action: "trigger", triggerAgentId: "bob" })).toMatchObject({
      applied: false,
      fix: expect.stringContaining("behaviors.agents") as string,
    });
  });

  it("turns a trigger into a directive, and records how it returns", async () => {
    const { ann, operator } = await serving("trigger", { behaviors: { agents: ["reviewer"] } });
    const asked = {
      action: "trigger",
      triggerAgentId: "reviewer",
      reason: "a second pair of eyes",
    };
    expect(await ann.behave(asked)).toMatchObject({ applied: true });
    expect(await ann.behave(asked)).toMatchObject({ applied: false, code: "trigger_cycle" });
    const [directive] = await ann.directives();
    expect(directive).toMatchObject({
      action: "trigger",
      agent: "reviewer",
      by: "ann",
      task: "one",
    });
    const path = `/directives/${String(directive?.["directive"])}`;
    await operator.insist("POST", path, { ok: true });
    expect(await ann.directives()).toEqual([]);
    expect((await operator.ask("POST", path, { ok: true })).status).toBe(404);
    expect(await ann.behave(asked)).toMatchObject({ applied: true });
  });

  it("sends the oversight program the reason and the agent, returns its advice, and holds until a person acknowledges it", async () => {
    const program = site.path("look.mjs");
    writeFileSync(
      program,
      `import { appendFileSync, writeFileSync } from "node:fs";
let text = "";
for await (const part of process.stdin) text += part;
writeFileSync(${JSON.stringify(site.path("asked.json"))}, text);
appendFileSync(${JSON.stringify(site.path("times"))}, ".");
const risky = JSON.parse(text).reason.includes("risky");
console.log(JSON.stringify({ risk: risky ? 0.95 : 0.1, advice: "Ask how refunds are undone", traits: [], uncertainties: [] }));`,
    );
    const { ann, operator } = await serving("look", {
      oversight: { command: [process.execPath, program] },
    });
    const calm = await ann.behave({ action: "vibecheck", reason: "unsure of the way" });
    expect(calm.oversight).toMatchObject({ risk: 0.1, advice: "Ask how refunds are undone" });
    expect(JSON.parse(readFileSync(site.path("asked.json"), "utf8"))).toMatchObject({
      kind: "implementation",
      goal: "Refund orders",
      reason: "unsure of the way",
      agent: "ann",
      prompt: expect.stringContaining("You are in the phase PLAN") as string,
      progress: "In phase PLAN",
      uncertainties: ["unsure of the way"],
      history: expect.arrayContaining([expect.stringMatching(/^task_claimed/)]) as string[],
    });
    expect(await waiting(operator)).toEqual([]);
    const given = { request_id: "once" };
    const ask = () => ann.behave({ action: "vibecheck", reason: "risky" }, given);
    const [first, ...again] = await Promise.all([ask(), ask()]);
    expect([...again, await ask()]).toEqual([first, first]);
    expect(readFileSync(site.path("times"), "utf8")).toBe("..");
    const denied = await ann.checkTool("read_files", { path: "a" });
    expect(denied).toMatchObject({ allowed: false, code: "vibecheck_risk" });
    expect(denied.reason).toContain("Ask how refunds are undone");
    const advised = "Advice of the oversight: Ask how refunds are undone";
    expect((await ann.claimTask({ task_id: "one" })).prompt).toContain(advised);
    const [hold, ...others] = await waiting(operator);
    const its = `/approvals/${String(hold?.id)}`;
    expect([hold, others]).toMatchObject([
      { kind: "hold", reason: "Ask how refunds are undone" },
      [],
    ]);
    const yes = { answer: "yes", reason: "seen" };
    const both = await Promise.all([1, 2].map(() => operator.ask("POST", its, yes)));
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await ann.checkTool("read_files", { path: "a" })).toMatchObject({ allowed: true });
    expect((await ann.claimTask({ task_id: "one" })).prompt).not.toContain(advised);
  });
});

it("bylaw approve lists the pause of an agent of bylaw mcp without a configuration, and ends it", async () => {
  const cwd = scratch({ ".bylaw/.keep": "" });
  const store = await openSqliteStore(join(cwd, "store.db"));
  const begun = await openRun(createKernel({}), { run: "r", store });
  await begun.toolCall({ tool: "read_file", args: {} });
  await begun.close();
  await store.close();
  const child = start("mcp --store store.db --run r --agent ann", cwd);
  const say = (id: number, method: string, params: object): void =>
    void child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const answers = child.stdout?.[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  say(1, "initialize", {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  await answers.next();
  say(2, "tools/call", {
    name: "report_behavior",
    arguments: { action: "checkpoint", reason: "look at it" },
  });
  expect(String((await answers.next()).value)).toContain("checkpoint");
  const token = "the token of ada, which is long enough";
  writeFileSync(
    `${cwd}/.bylaw/operators.json`,
    JSON.stringify({
      operators: [
        { name: "ada", token: `sha256:${createHash("sha256").update(token).digest("hex")}` },
      ],
    }),
    { mode: 0o600 },
  );
  const at = "--store store.db --run r --json";
  const listed = () =>
    jsonLines(bylaw(`approve list ${at}`, { cwd })).filter(({ kind }) => kind === "pause");
  const [pause] = listed();
  expect(pause).toMatchObject({ kind: "pause", agent: "ann", reason: "look at it" });
  const yes = bylaw(`approve yes ${String(pause?.["id"])} ${at}`, {
    cwd,
    env: { BYLAW_OPERATOR_TOKEN: token },
  });
  expect([yes.code, json(yes)["event_type"]]).toEqual([0, "checkpoint_resumed"]);
  expect(listed()).toEqual([]);
  child.kill();
});
