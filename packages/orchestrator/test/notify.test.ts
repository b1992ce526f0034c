import { createHash, createHmac, randomBytes } from "node:crypto";
import { chmodSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { createMemoryStore } from "@bylaw/log";
import { freePort } from "@bylaw/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Receiver, serveNotifying, setOperators, told } from "./notify-kit.ts";
import { eventsOf, OPERATOR, planOf, serve, type Agent, type Served } from "./operate-kit.ts";

interface Posted {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // The shapes differ by form, and each test reads its own.
  readonly body: Readonly<Record<string, never>>;
}

class Webhooks extends Receiver<Posted> {
  status = 200;
  location: string | undefined;
  /** The answers that wait to be sent. Left out: none waits. */
  waiting: (() => void)[] | undefined;

  protected override receive(request: IncomingMessage, text: string, response: ServerResponse) {
    const sent = this.location === undefined ? {} : { location: this.location };
    const end = (): void => void response.writeHead(this.status, sent).end();
    if (this.waiting === undefined) end();
    else this.waiting.push(end);
    const { url: path = "", headers } = request;
    return { path, headers, text, body: JSON.parse(text) as Posted["body"] };
  }
}

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;
let receiver: Webhooks;
let hook: string;
let served: Served;
const store = () => createMemoryStore({ now: () => Date.now() });
beforeEach(async () => {
  receiver = new Webhooks();
  hook = await receiver.listen();
});
afterEach(async () => {
  await served.close();
  await receiver.close();
});

const tell = (...operators: readonly object[]): void => setOperators(served, ...operators);

async function start(given: Parameters<typeof serveNotifying>[0] = {}): Promise<void> {
  served = await serveNotifying(given);
}

const QUICK = { operate: { due_every_ms: 20 } };

const ask = (agent: Agent, url = "https://example.com/a") => agent.check("web_fetch", { url });

async function untilTold(count: number) {
  for (;;) {
    const events = (await eventsOf(served)).filter((one) => one.event_type === "person_told");
    if (events.length >= count) return events;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The link in a JSON message. */
const linkOf = ({ body }: Posted): string =>
  String((body as { readonly data?: { readonly answer_url?: string } }).data?.answer_url);

const answer = (link: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(link, { method: "POST", body: new URLSearchParams(fields) });

describe("a message about a question", () => {
  test("is signed, says what is asked and why, comes once to each operator who may answer, and is on record", async () => {
    await start();
    tell(
      told("ada", { url: `${hook}/ada`, secret: SECRET }, ["human"]),
      told("ci", { url: `${hook}/ci` }, ["deployer"]),
    );
    const ann = await served.claim("ann");
    await ann.move("BUILD", planOf("It greets"));
    const [gate] = await receiver.until(1);
    await ask(ann);
    await receiver.until(3);
    // Only Ada has a role of the gate.
    expect(receiver.received.map(({ path }) => path).toSorted()).toEqual(["/ada", "/ada", "/ci"]);
    expect(gate?.body).toMatchObject({
      type: "question.opened",
      data: { kind: "gate", agent: "ann", task: ann.task, what: "plan_approval: to phase BUILD" },
    });
    const [call] = receiver.received.filter(({ path }) => path === "/ci");
    expect(call?.body).toMatchObject({
      data: {
        kind: "call",
        what: 'web_fetch {"url":"https://example.com/a"}',
        reason: "This goes to the web, so a person must approve it.",
      },
    });
    if (gate === undefined) throw new Error("Nobody was told about the gate");
    const { headers, text } = gate;
    const signed = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
      .update(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${text}`)
      .digest("base64");
    expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
    expect(call?.headers["webhook-signature"]).toBeUndefined();
    const events = await untilTold(3);
    expect(events.map(({ details }) => details["sent"])).toEqual([true, true, true]);
    // The links are credentials.
    const log = JSON.stringify(await eventsOf(served));
    for (const one of receiver.received) expect(log).not.toContain(linkOf(one).split("/").at(-1));
  });

  test("is not repeated by a server that starts later on the same store", async () => {
    const kept = store();
    await start({ store: kept });
    tell(told("ada", { url: `${hook}/` }));
    await ask(await served.claim("ann"));
    await untilTold(1);
    const other = await serve({ store: kept, beside: served });
    await ask(await served.claim("bob"), "https://example.com/b");
    await untilTold(2);
    await other.close();
    const ids = receiver.received.map(
      ({ body }) => (body as { readonly data?: { readonly id: string } }).data?.id,
    );
    expect(new Set(ids).size).toBe(2);
    expect((await untilTold(2)).length).toBe(2);
  });

  test("is sent by one of two servers, also while its receiver takes long", async () => {
    const kept = store();
    await start({ store: kept });
    const other = await serve({ store: kept, beside: served, settings: QUICK });
    const agent = await served.claim("ann");
    for (const page of "abcdef") await ask(agent, `https://example.com/${page}`);
    receiver.waiting = [];
    tell(told("ada", { url: `${hook}/` }));
    await receiver.until(6);
    for (const end of receiver.waiting) end();
    receiver.waiting = undefined;
    await untilTold(6);
    await other.close();
    expect(receiver.received).toHaveLength(6);
  });

  test("is tried again when the webhook fails, follows no redirect, and the log never shows the address", async () => {
    const lines: string[] = [];
    const write = (fields: object, text: string): void =>
      void lines.push(`${JSON.stringify(fields)} ${text}`);
    await start({ log: { debug: write, info: write, warn: write, error: write } });
    tell(told("ada", { url: `${hook}/secret-path` }));
    receiver.status = 302;
    receiver.location = `${hook}/elsewhere`;
    await ask(await served.claim("ann"));
    await receiver.until(1);
    receiver.status = 200;
    receiver.location = undefined;
    await receiver.until(2);
    await untilTold(1);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/secret-path", "/secret-path"]);
    const failed = lines.filter((line) => line.includes("a person could not be told"));
    expect(failed).toEqual([
      expect.stringContaining('"why":"The receiver answered with a redirect"'),
    ]);
    expect(lines.join("\n")).not.toContain("secret-path");
  });

  test.each([
    ["answers with an error", async () => hook, "The receiver answered with status 404"],
    [
      "is down",
      async () => `http://127.0.0.1:${await freePort()}`,
      "The receiver's host refused the connection",
    ],
    [
      "has no TLS",
      async () => hook.replace("http:", "https:"),
      /^The connection failed with ERR_SSL_\w+$/,
    ],
    [
      "has no address",
      async () => "https://host.invalid",
      /^The receiver's host (?:was not found|could not be looked up)$/,
    ],
  ])("says why it failed if its receiver %s", async (_, address, why) => {
    const reasons = new Set<unknown>();
    const warn = (fields: object, text: string): void => {
      if (text === "a person could not be told") reasons.add((fields as { why?: unknown }).why);
    };
    await start({ log: { debug() {}, info() {}, warn, error() {} } });
    receiver.status = 404;
    tell(told("ada", { url: `${await address()}/secret-path` }));
    await ask(await served.claim("ann"));
    await expect.poll(() => [...reasons].join(), { timeout: 10_000 }).toMatch(why);
  });

  test("that failed does not show in the list that the agent reads", async () => {
    await start();
    const ann = await served.claim("ann");
    await ask(ann);
    const list = async () =>
      JSON.parse((await ann.get("/approvals")).text) as { approvals: [{ id: string }] };
    const [{ id: question }] = (await list()).approvals;
    const details = { question, why: "The file is broken" };
    await served.orchestrator.service.run.record([
      { event_type: "nobody_told", agent_id: null, task_id: null, details },
    ]);
    const after = await list();
    expect(after.approvals).toEqual([expect.objectContaining({ id: question, state: "open" })]);
    expect(JSON.stringify(after)).not.toContain("broken");
  });

  test("carries no secret of a call, and tells two people with one webhook apart", async () => {
    await start();
    const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    tell(
      told("ada", { url: `${hook}/team`, secret: SECRET }),
      told("ci", { url: `${hook}/team`, secret: SECRET }),
    );
    await ask(await served.claim("ann"), `https://example.com/?token=${token}`);
    const posted = await receiver.until(2);
    for (const { text } of posted) {
      expect(text).toContain("https://example.com/");
      expect(text).not.toContain(token);
    }
    expect(new Set(posted.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
  });

  test("has the form of ntfy", async () => {
    await start();
    tell(told("ada", { url: `${hook}/my-topic`, form: "ntfy" }));
    await ask(await served.claim("ann"));
    const [posted] = await receiver.until(1);
    expect(posted).toMatchObject({
      path: "/",
      body: {
        topic: "my-topic",
        title: "ann, task task-of-ann: may it make this call?",
        actions: [{ action: "view", label: "Answer" }],
      },
    });
  });

  test("is sent to nobody while the file of operators may be read by others, or names an address without TLS", async () => {
    await start();
    tell(told("ada", { url: `${hook}/ada` }));
    chmodSync(join(served.folder, "data", "operators.json"), 0o644);
    expect((await served.as("ada").get("/tasks")).status).toBe(401);
    tell(told("ada", { url: "http://example.com/" }));
    expect((await served.as("ada").get("/tasks")).status).toBe(401);
    tell(told("ada", { url: "https://ada:pw@example.com/" }));
    expect((await served.as("ada").get("/tasks")).status).toBe(401);
    tell(told("ada", { url: `${hook}/ada` }));
    expect((await served.as("ada").get("/tasks")).status).toBe(200);
  });
});

describe("a link", () => {
  test.each(["http://bylaw.example.org", "https://ada@bylaw.example.org", "ftp://localhost"])(
    "is not sent in the clear: %s is no address for it",
    async (answers_at) => {
      await start();
      const made = serve({ settings: { notify: { answers_at } } });
      await expect(made).rejects.toMatchObject({
        code: "BYLAW_SETTINGS_INVALID",
        message: expect.stringContaining("notify.answers_at"),
      });
    },
  );

  test("shows the question and answers it as its operator, once, and only when the form is sent", async () => {
    await start();
    tell(told("ada", { url: `${hook}/ada` }, ["human", "lead"]));
    const ann = await served.claim("ann");
    await ask(ann);
    const [posted] = await receiver.until(1);
    const link = linkOf(posted as Posted);
    const shown = await fetch(link);
    expect(shown.status).toBe(200);
    const text = await shown.text();
    expect(text).toContain("https://example.com/a");
    const [, style = ""] = /<style>([^]*)<\/style>/.exec(text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(shown.headers.get("content-security-policy")).toMatch(
      `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self'`,
    );
    expect((await fetch(link, { method: "HEAD" })).status).toBe(200);
    expect((await ask(ann)).body).toMatchObject({ effect: "ask_user" });
    const latest = linkOf((await receiver.until(2))[1] as Posted);
    // The same call was asked again, so the first question is closed.
    expect((await answer(link, { answer: "yes" })).status).toBe(409);
    expect((await answer(latest, { answer: "no" })).status).toBe(409);
    expect((await answer(latest, { answer: "yes", reason: "fine" })).status).toBe(200);
    expect((await answer(latest, { answer: "yes" })).status).toBe(409);
    expect((await fetch(latest)).status).toBe(410);
    expect((await ask(ann)).body).toMatchObject({ effect: "allow" });
    const granted = (await eventsOf(served)).filter((one) => one.event_type === "approval_granted");
    expect(granted.map(({ details }) => details["by"])).toEqual(["ada"]);
  });

  test("answers once, and says so to whoever answered at the same time", async () => {
    await start();
    tell(told("ada", { url: `${hook}/ada` }));
    const ann = await served.claim("ann");
    await ann.send("POST", "/tools/execute", {
      ...{ task_id: ann.task, tool_name: "ask_user_question", args: { question: "Which?" } },
    });
    const link = linkOf((await receiver.until(1))[0] as Posted);
    const answers = await Promise.all(
      ["yes", "yes", "no", "no"].map((one) => answer(link, { answer: one, reason: "this" })),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 409, 409, 409,
    ]);
    for (const one of answers)
      expect(await one.text()).toMatch(/<p>(?:Your (?:yes|no) is on record|Not answered: )/);
    const types = (await eventsOf(served)).map(({ event_type }) => event_type);
    expect(types.filter((type) => /^approval_(?:granted|refused)$/.test(type))).toHaveLength(1);
  });

  test("asks for the role where the operator has several of the gate, and a no needs a reason", async () => {
    await start();
    tell(told("ada", { url: `${hook}/ada` }, ["human", "lead"]));
    const ann = await served.claim("ann");
    await ann.move("BUILD", planOf("<img src=x onerror=alert(1)> \u202e\ufe0f\u3164"));
    const link = linkOf((await receiver.until(1))[0] as Posted);
    const text = await (await fetch(link)).text();
    expect(text).toContain("&lt;img src=x onerror=alert(1)&gt; \\u{202e}\\u{fe0f}\\u{3164}");
    expect(text).toMatch(/<option>human<\/option>\s*<option>lead<\/option>/);
    expect((await answer(link, { answer: "no", role: "lead", reason: "Say how" })).status).toBe(
      200,
    );
    expect(
      (await ann.move("BUILD", planOf("<img src=x onerror=alert(1)> \u202e\ufe0f\u3164"))).text,
    ).toContain("Say how");
  });

  test("is refused when it was changed, or its operator is gone", async () => {
    await start();
    tell(told("ada", { url: `${hook}/ada` }));
    const ann = await served.claim("ann");
    await ask(ann);
    const link = linkOf((await receiver.until(1))[0] as Posted);
    const [head = "", body = "", mark = ""] = link.split("/").at(-1)?.split(".") ?? [];
    const claims = JSON.parse(Buffer.from(body, "base64url").toString()) as object;
    const forged = Buffer.from(JSON.stringify({ ...claims, sub: "ci" })).toString("base64url");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    const at = link.slice(0, link.lastIndexOf("/"));
    // An agent's own credentials are no links, and a link is none of them.
    const token = String(ann.headers["authorization"]).slice("Bearer ".length);
    for (const other of [`${head}.${forged}.${mark}`, `${none}.${body}.`, token, OPERATOR])
      expect((await answer(`${at}/${encodeURIComponent(other)}`, { answer: "yes" })).status).toBe(
        404,
      );
    const asBearer = await fetch(`${served.base}/approvals`, {
      headers: { authorization: `Bearer ${[head, body, mark].join(".")}` },
    });
    expect(asBearer.status).toBe(401);
    tell(told("ci", { url: `${hook}/ci` }));
    expect((await answer(link, { answer: "yes" })).status).toBe(404);
    tell(told("ada", { url: `${hook}/ada` }));
    expect((await answer(link, { answer: "maybe" })).status).toBe(400);
    expect((await answer(link, { answer: "yes", reason: "x".repeat(70_000) })).status).toBe(413);
    expect((await ask(ann)).body).toMatchObject({ effect: "ask_user" });
    expect((await eventsOf(served)).some((one) => one.event_type === "approval_granted")).toBe(
      false,
    );
  });

  test("expires", async () => {
    let at = Date.now();
    await start({ now: () => new Date(at).toISOString() });
    tell(told("ada", { url: `${hook}/ada` }));
    await ask(await served.claim("ann"));
    const link = linkOf((await receiver.until(1))[0] as Posted);
    at += 59 * 60_000;
    expect((await fetch(link)).status).toBe(200);
    at += 2 * 60_000;
    expect((await fetch(link)).status).toBe(404);
  });
});
