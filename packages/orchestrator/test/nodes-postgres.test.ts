import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startPostgres } from "@bylaw/testing";
import { expect, onTestFinished, test } from "vitest";
import { follow } from "./events-kit.ts";
import { eventsOf, serve } from "./operate-kit.ts";

const postgres = await startPostgres();

test.skipIf(postgres === undefined)(
  "two nodes on one PostgreSQL see, answer and find the same",
  async () => {
    const key = (folder: string): object => {
      const token_secret_file = join(folder, "token.secret");
      writeFileSync(token_secret_file, "a".repeat(64), { mode: 0o600 });
      return { auth: { token_secret_file }, store: postgres?.url ?? "" };
    };
    const one = await serve({ files: key });
    onTestFinished(async () => {
      await one.close();
      await postgres?.stop();
    });
    const two = await serve({ files: key, beside: one });
    onTestFinished(() => two.close());
    const [ann, bob] = [await one.claim("ann"), await two.claim("bob")];
    const stream = await follow(`${one.base}/events?after=0`, one.as("operator").headers);
    onTestFinished(() => stream.close());

    await bob.check("web_fetch", { url: "https://example.com" });
    await ann.check("read_files", { path: "a" });
    const listed = (await one.as("ada").get("/approvals")).body as unknown as {
      approvals: readonly { id: string; task: string }[];
    };
    expect(listed.approvals.map(({ task }) => task)).toEqual([bob.task]);
    const id = listed.approvals[0]?.id ?? "";
    const waiting = bob.get(`/approvals/${id}?wait_ms=30000`);
    expect((await one.as("ada").send("POST", `/approvals/${id}`, { answer: "yes" })).status).toBe(
      200,
    );
    expect((await waiting).body).toMatchObject({ id, state: "approved", by: "ada" });
    expect((await bob.check("web_fetch", { url: "https://example.com" })).body).toMatchObject({
      effect: "allow",
    });

    const all = await eventsOf(one);
    const seen: number[] = [];
    while (seen.length < all.length) seen.push((await stream.next())?.id ?? Number.NaN);
    expect(seen).toEqual(all.map(({ sequence }) => sequence));
    for (const node of [one, two]) {
      const { body } = await node
        .as("operator")
        .get("/audit/query?agent_id=bob&event_type=tool_allowed");
      expect(body).toMatchObject({
        total: 1,
        entries: [{ tool_name: "web_fetch", code: "approved" }],
      });
    }
  },
);
