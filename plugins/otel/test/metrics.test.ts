import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { folder, kernelWith, openedRun, startSdk } from "./kit.ts";

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

  it("count the open runs, and those whose log was changed", async () => {
    const { points } = startSdk();
    const path = join(folder(), "store.db");
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
