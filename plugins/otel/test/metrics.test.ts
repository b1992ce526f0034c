import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { allow, ask } from "@bylaw/kernel";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pluginOf, temporaryFolder } from "@bylaw/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { kernelWith, openedRun, startSdk } from "./kit.ts";

/** Changes the last event of a store in another process, because closing the file here would end the locks of the store. */
function tamper(path: string): void {
  const script = `import { DatabaseSync } from "node:sqlite";
    const file = new DatabaseSync(process.argv[1]);
    file.exec("update segments set bodies = replace(bodies, 'rm', 'ls') where id = (select max(id) from segments)");
    file.close();`;
  const node = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
  const { stderr } = spawnSync(process.execPath, [...node, path], { encoding: "utf8" });
  expect(stderr).toBe("");
}

const until = "2100-01-01T00:00:00Z";

describe("the metrics", () => {
  it("count decisions by effect, code and rule, and measure the latency of each", async () => {
    const { points } = startSdk();
    const run = await openedRun(kernelWith());
    for (const tool of ["rm", "rm", "ls"]) await run.toolCall({ tool, args: {} });
    await run.close();
    expect(await points("bylaw.decisions")).toEqual([
      [
        {
          "bylaw.hook": "beforeToolCall",
          "bylaw.effect": "deny",
          "bylaw.applied": "deny",
          "bylaw.code": "rule_denied",
          "bylaw.rule.name": "no-rm",
        },
        2,
      ],
      [
        {
          "bylaw.hook": "beforeToolCall",
          "bylaw.effect": "allow",
          "bylaw.applied": "allow",
          "bylaw.code": "fallback",
          "bylaw.rule.name": "",
        },
        1,
      ],
    ]);
    const latency = await points("bylaw.decision.duration");
    expect(latency.map(([, value]) => value)).toEqual([
      expect.objectContaining({ count: 2 }),
      expect.objectContaining({ count: 1 }),
    ]);
  });

  it("do not grow with the names of tools and agents", async () => {
    const { points } = startSdk();
    const run = await openedRun(kernelWith());
    for (let index = 0; index < 50; index += 1)
      await run.toolCall({ tool: `tool-${index}`, agent: `agent-${index}`, args: {} });
    await run.close();
    expect(await points("bylaw.decisions")).toHaveLength(1);
  });

  it("count the open questions until a person answers", async () => {
    const { points } = startSdk();
    const run = await openedRun(kernelWith());
    // A sink may be behind the calls.
    const openOnes = async (): Promise<unknown> => (await points("bylaw.questions.open"))[0]?.[1];
    const call = { tool: "deploy", agent: "dev", args: { to: "live" } };
    const { events } = await run.toolCall(call);
    await run.toolCall({ ...call, args: { to: "stage" } });
    await run.toolCall(call);
    await expect.poll(openOnes).toBe(2);
    await run.approve({
      subject: { hook: "beforeToolCall", ...call },
      by: "ada",
      expires_at: until,
    });
    await expect.poll(openOnes).toBe(1);
    await run.refuse({ asked: (events[0]?.sequence ?? 0) + 1, by: "ada", reason: "no" });
    await expect.poll(openOnes).toBe(0);
  });

  it("count no question that has expired, or whose call ran", async () => {
    const { points } = startSdk();
    const run = await openedRun(kernelWith());
    const openOnes = async (): Promise<unknown> => (await points("bylaw.questions.open"))[0]?.[1];
    const call = { tool: "deploy", agent: "dev" };
    const expires_at = new Date(Date.now() + 1_000).toISOString();
    await run.toolCall({ ...call, id: "c-1", args: { to: "live" } }, { expires_at });
    await run.toolCall({ ...call, id: "c-2", args: { to: "stage" } });
    await run.toolCall({ ...call, args: { to: "test" } });
    await expect.poll(openOnes).toBe(3);
    await run.toolResult({ id: "c-2", tool: "deploy", agent: "dev", ok: true });
    await expect.poll(openOnes).toBe(2);
    await expect.poll(openOnes, { timeout: 5_000 }).toBe(1);
  });

  it("count no question whose offered call was allowed by a rule and runs instead", async () => {
    const { points } = startSdk();
    const run = await openedRun(kernelWith(offersPlainPush));
    const openOnes = async (): Promise<unknown> => (await points("bylaw.questions.open"))[0]?.[1];
    const push = { tool: "push", agent: "dev" };
    await run.toolCall({ ...push, id: "c-1", args: { force: true, to: "main" } });
    await run.toolCall({ ...push, id: "c-2", args: { force: true, to: "side" } });
    await expect.poll(openOnes).toBe(2);
    await run.toolCall({ ...push, id: "c-2", args: { force: false, to: "side" } });
    await expect.poll(openOnes).toBe(1);
    // Another id is another call, so the first question stays. `rm` shows that the sink has all of it.
    await run.toolCall({ ...push, id: "c-3", args: { force: false, to: "main" } });
    await run.toolCall({ tool: "rm", args: {} });
    await expect.poll(async () => (await points("bylaw.decisions")).length).toBe(3);
    expect(await openOnes()).toBe(1);
    await run.toolCall({ ...push, id: "c-1", args: { force: false, to: "main" } });
    await expect.poll(openOnes).toBe(0);
  });

  it("count the open runs, and those whose log was changed", async () => {
    const { points } = startSdk();
    const path = join(temporaryFolder(), "store.db");
    const store = await openSqliteStore(path);
    onTestFinished(() => store.close());
    const run = await openedRun(kernelWith(), { store });
    await run.toolCall({ tool: "rm", args: {} });
    expect(await points("bylaw.runs.chain_broken")).toEqual([[{}, 0]]);
    await run.toolCall({ tool: "rm", args: {} });
    tamper(path);
    expect(await points("bylaw.runs.chain_broken")).toEqual([[{}, 1]]);
    expect(await points("bylaw.runs.open")).toEqual([[{}, 1]]);
    await run.close();
    expect(await points("bylaw.runs.open")).toEqual([[{}, 0]]);
  });
});

/** Asks about a forced push, and offers a plain push, which it allows. */
const offersPlainPush = pluginOf(
  "offers",
  ({ hooks }) => {
    hooks.beforeToolCall.tap("offers", ({ tool, args }) => {
      if (tool !== "push") return undefined;
      if ("force" in args && args["force"] === false) return allow("A plain push");
      return ask("A forced push", "Push without force", { instead: { force: false } });
    });
  },
  { grants: true },
);
