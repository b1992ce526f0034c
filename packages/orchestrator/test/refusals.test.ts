import { expect, onTestFinished, test } from "vitest";
import { serve } from "./kit.ts";

test("a flood of requests that nobody lets in fills no log, and hides nothing of an agent that is known", async () => {
  const lines: string[] = [];
  const keep = (fields: object, message: string): void => void lines.push(JSON.stringify({ ...fields, message }));
  const served = await serve({ settings: { limits: { refusals_per_second: 2 } }, log: { debug() {}, info() {}, error() {}, warn: keep } });
  onTestFinished(() => served.close());
  const ann = await served.agent("ann");
  const recorded = async (): Promise<readonly unknown[]> =>
    (await served.events("access_refused")).map(({ agent_id, details }) => [agent_id, details["code"], details["unrecorded"] ?? 0]);
  for (let times = 0; times < 20; times += 1) expect((await served.ask("GET", "/audit/recent")).status).toBe(401);
  expect((await served.ask("GET", "/audit/recent", ann.auth)).status).toBe(403);
  const flood = [null, "BYLAW_CREDENTIAL_MISSING", 0];
  expect(await recorded()).toEqual([flood, flood, ["ann", "BYLAW_CREDENTIAL_UNFIT", 0]]);
  served.pass(1_000);
  await served.ask("GET", "/audit/recent");
  expect((await recorded()).at(-1)).toEqual([null, "BYLAW_CREDENTIAL_MISSING", 18]);
  expect(lines).toHaveLength(4);
});
