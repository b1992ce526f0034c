import { expect, it } from "vitest";
import { holding, serve } from "./kit.ts";

it("asks about many calls at once, with either method", async () => {
  const decisions = [{ id: "a", call_id: "1", allowed: true }];
  const { endpoint, received } = await serve(() => ({ body: { decisions } }));
  const { client } = holding(endpoint);
  const calls = [{ id: "a", tool_name: "read_files", args: { path: "x" } }];
  expect(await client.batch(calls, { record: false })).toEqual(decisions);
  expect(await client.checkTools(calls, { record: false })).toEqual(decisions);
  const asked = {
    path: "/api/v1/tools/check/batch",
    body: { task_id: "t1", calls, record: false },
  };
  expect(received).toMatchObject([asked, asked]);
});
