import { expect, onTestFinished, test } from "vitest";
import { serve } from "./kit.ts";

test("a flood of refused requests does not fill the log, and hides nothing of a known agent", async () => {
  const lines: string[] = [];
  const keep = (fields: object, message: string): void =>
    void lines.push(JSON.stringify({ ...fields, message }));
  const served = await serve({
    settings: { limits: { refusals_per_second: 2 }, tools: { web_hosts: ["example.org"] } },
    log: { debug() {}, info() {}, error() {}, warn: keep },
  });
  onTestFinished(() => served.close());
  const ann = await served.agent("ann");
  const recorded = async (): Promise<readonly unknown[]> =>
    (await served.events("access_refused")).map(({ agent_id, details }) => [
      agent_id,
      details["code"],
      details["unrecorded"] ?? 0,
    ]);
  for (let times = 0; times < 20; times += 1)
    expect((await served.get("/audit/recent")).status).toBe(401);
  expect((await served.get("/audit/recent", ann.auth)).status).toBe(403);
  const flood = [null, "BYLAW_CREDENTIAL_MISSING", 0];
  expect(await recorded()).toEqual([flood, flood, ["ann", "BYLAW_CREDENTIAL_UNFIT", 0]]);
  served.pass(1_000);
  await served.get("/audit/recent");
  expect((await recorded()).at(-1)).toEqual([null, "BYLAW_CREDENTIAL_MISSING", 18]);
  expect(lines).toHaveLength(4);
});

const UNIT = { refusals_per_second: 2 };
const total = async (served: Awaited<ReturnType<typeof serve>>): Promise<number> =>
  (await served.events("access_refused")).reduce(
    (sum, { details }) => sum + 1 + Number(details["unrecorded"] ?? 0),
    0,
  );

test("unrecorded refusals are recorded when the flood has ended, the last one with its subject", async () => {
  const served = await serve({ settings: { limits: UNIT } });
  onTestFinished(() => served.close());
  for (let times = 0; times < 29; times += 1) await served.get("/audit/recent");
  await served.post("/tools/execute", undefined, { task_id: "a", tool_name: "bash", args: {} });
  expect(await served.events("access_refused")).toHaveLength(2);
  await served.service.operations.scheduler.round();
  expect(await served.events("access_refused")).toHaveLength(2);
  served.pass(1_000);
  await served.service.operations.scheduler.round();
  await served.service.operations.scheduler.round();
  expect(await served.events("access_refused")).toMatchObject([
    {},
    {},
    { details: { route: "/tools/execute", tool: "bash", unrecorded: 27 } },
  ]);
  expect(await total(served)).toBe(30);
});

test("unrecorded refusals are recorded when the server closes", async () => {
  const served = await serve({ settings: { limits: UNIT } });
  for (let times = 0; times < 30; times += 1) await served.get("/audit/recent");
  await served.close();
  expect(await total(served)).toBe(30);
});
