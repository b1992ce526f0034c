import type { IncomingMessage, ServerResponse } from "node:http";
import { createMemoryStore } from "@bylaw/log";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Receiver, serveNotifying, setOperators, told } from "./notify-kit.ts";
import { eventsOf, serve, type Served } from "./operate-kit.ts";

interface Asked {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly fields: URLSearchParams;
}

/** The part of Slack's Web API that posts and changes messages, on loopback. */
class Slack extends Receiver<Asked> {
  /** How many requests fail first. */
  failing = 0;

  protected override receive(request: IncomingMessage, text: string, response: ServerResponse) {
    const answer =
      this.failing-- > 0
        ? { ok: false, error: "channel_not_found" }
        : { ok: true, channel: "D0ADA", ts: "1700000000.000100" };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
    return {
      method: (request.url ?? "").replace("/api/", ""),
      authorization: request.headers.authorization,
      fields: new URLSearchParams(text),
    };
  }
}

const BOT = "xoxb-123456789012-abcdefghijkl";
let slack: Slack;
let url: string;
let served: Served;
beforeEach(async () => {
  slack = new Slack();
  url = `${await slack.listen()}/api/`;
});
afterEach(async () => {
  await served.close();
  await slack.close();
});

async function start(given: Parameters<typeof serveNotifying>[0] = {}): Promise<void> {
  served = await serveNotifying(given);
  setOperators(served, told("ada", { form: "slack", channel: "U0ADA", token: BOT, url }));
}

const blocksOf = ({
  fields,
}: Asked): readonly {
  readonly type: string;
  readonly elements?: readonly Record<string, unknown>[];
}[] => JSON.parse(fields.get("blocks") ?? "[]") as never;

describe("a message in Slack", () => {
  test("has blocks of plain text and a button, and says how the question ended once it was answered", async () => {
    await start();
    const ann = await served.claim("ann");
    await ann.check("web_fetch", { url: "https://example.com/<!channel>\n*yes*" });
    const [posted] = await slack.until(1);
    if (posted === undefined) throw new Error("Nothing was posted");
    expect(posted).toMatchObject({ method: "chat.postMessage", authorization: `Bearer ${BOT}` });
    expect(posted.fields.get("channel")).toBe("U0ADA");
    expect(posted.fields.get("blocks")).not.toContain("mrkdwn");
    expect(blocksOf(posted).map(({ type }) => type)).toEqual([
      ...["header", "section", "context", "actions"],
    ]);
    const link = String(blocksOf(posted).at(-1)?.elements?.[0]?.["url"]);
    const answered = await fetch(link, {
      method: "POST",
      body: new URLSearchParams({ answer: "yes" }),
    });
    expect(answered.status).toBe(200);
    const [, changed] = await slack.until(2);
    if (changed === undefined) throw new Error("Nothing was changed");
    expect(changed.method).toBe("chat.update");
    expect(changed.fields.get("channel")).toBe("D0ADA");
    expect(changed.fields.get("ts")).toBe("1700000000.000100");
    expect(changed.fields.get("blocks")).toContain("approved by ada");
    expect(changed.fields.get("blocks")).not.toContain("/api/v1/answers/");
  });

  test("is tried again when Slack refuses it, and the token is in no log and no event", async () => {
    const lines: string[] = [];
    const write = (fields: object, text: string): void =>
      void lines.push(`${JSON.stringify(fields)} ${text}`);
    await start({ log: { debug: write, info: write, warn: write, error: write } });
    slack.failing = 1;
    await (await served.claim("ann")).check("web_fetch", { url: "https://example.com/a" });
    await slack.until(2);
    for (;;) {
      const events = await eventsOf(served);
      expect(JSON.stringify(events)).not.toContain(BOT);
      const told = events.find(({ event_type }) => event_type === "person_told");
      if (told === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        continue;
      }
      expect(told.details).toMatchObject({ to: "ada", form: "slack", sent: true });
      break;
    }
    expect(lines.join("\n")).toContain("could not be told");
    expect(lines.join("\n")).not.toContain(BOT);
  });

  test("is changed by a server that starts later", async () => {
    const kept = createMemoryStore({ now: () => Date.now() });
    await start({ store: kept });
    const ann = await served.claim("ann");
    await ann.check("web_fetch", { url: "https://example.com/a" });
    const [posted] = await slack.until(1);
    const link = String(blocksOf(posted as Asked).at(-1)?.elements?.[0]?.["url"]);
    while (!(await eventsOf(served)).some(({ event_type }) => event_type === "person_told"))
      await new Promise((resolve) => setTimeout(resolve, 10));
    const other = await serve({ store: kept, beside: served });
    await fetch(link, { method: "POST", body: new URLSearchParams({ answer: "yes" }) });
    await slack.until(2);
    await other.close();
    expect(slack.received[1]?.method).toBe("chat.update");
  });

  test.each([
    { channel: "#general", token: BOT },
    { channel: "U0ADA", token: "xoxp-a-person" },
    { channel: "U0ADA", token: BOT, url: "http://slack.example.org/" },
    { url: "https://hooks.slack.com/services/x" },
  ])("needs the id of a channel and the token of a bot, over TLS: %j", async (given) => {
    await start();
    setOperators(served, told("ada", { form: "slack", ...given }));
    expect((await served.as("ada").get("/tasks")).status).toBe(401);
  });
});
