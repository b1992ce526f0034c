// People are told of a question that a hook holds, by the hook itself, and no agent can change who is told or read how to answer.
import { spawn } from "node:child_process";
import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { freePort } from "@bylaw/testing";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { TOKENS } from "./approve-kit.ts";
import { bylaw, bylawHere, type Ran } from "./bylaw.ts";
import { installedCommand } from "./engine-kit.ts";
import { eventsOf, bash, deskOf, type SessionDesk } from "./hook-sessions-kit.ts";
import { endServers, makeSite, startServer } from "./orchestrator-kit.ts";

afterAll(endServers);

const SECRET = `whsec_${randomBytes(32).toString("base64")}`;

interface Told {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly data: Readonly<Record<string, string>>;
}

const NOBODY: Told = { headers: {}, text: "", data: {} };

/** A webhook on loopback. `hangs`: it takes messages and never answers. */
async function receiver({ hangs = false, status = 200 } = {}) {
  const received: Told[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const { data = {} } = JSON.parse(text || "{}") as Partial<Told>;
    received.push({ headers: request.headers, text, data });
    if (!hangs) response.writeHead(status).end();
  });
  server.on("connect", (_, socket) => {
    received.push(NOBODY);
    socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const until = (count: number): Promise<void> =>
    expect.poll(() => received.length).toBeGreaterThanOrEqual(count);
  return { received, until, url: `http://127.0.0.1:${port}/agents` };
}

const digest = (token: string): string =>
  `sha256:${createHash("sha256").update(token).digest("hex")}`;
const operators = (url: string, secret = SECRET): string =>
  JSON.stringify({
    operators: [{ name: "ada", token: digest(TOKENS.ada), notify: { url, secret } }],
  });

interface Held extends SessionDesk {
  /** Calls the installed hook in the environment of an agent. */
  readonly asks: (event: object, env?: Readonly<Record<string, string>>) => Promise<Ran>;
  readonly answer: (verdict: "yes" | "no", id: string) => Promise<Ran>;
  readonly show: (id: string) => Promise<Ran>;
  /** Writes the file of operators. */
  readonly tell: (text: string) => void;
}

function heldDesk(url: string, wait = "60s"): Held {
  const desk = deskOf();
  const { root: cwd, folder } = desk.desk;
  mkdirSync(join(cwd, ".bylaw"), { mode: 0o700 });
  const tell = (text: string): void =>
    writeFileSync(join(cwd, ".bylaw/operators.json"), text, { mode: 0o600 });
  tell(operators(url));
  const install = ["install", "claude-code", "--project", "--engine", folder, "--wait", wait];
  expect(bylaw(install, { cwd, env: { HOME: cwd } })).toMatchObject({ code: 0, stderr: "" });
  const command = installedCommand(cwd);
  return {
    ...desk,
    tell,
    show: (id) => bylawHere(["approve", "show", id], { cwd }),
    answer: (verdict, id) =>
      bylawHere(["approve", verdict, id, ...(verdict === "no" ? ["--reason", "No"] : [])], {
        ...{ cwd, env: { BYLAW_OPERATOR_TOKEN: TOKENS.ada } },
      }),
    asks: (event, env = {}) =>
      new Promise((resolve) => {
        const child = spawn("/bin/sh", ["-c", `exec env ${command}`], {
          cwd,
          env: { ...process.env, HOME: cwd, ...env },
        });
        onTestFinished(() => void child.kill("SIGKILL"));
        const texts = { stdout: "", stderr: "" };
        child.stdout.on("data", (text) => (texts.stdout += text));
        child.stderr.on("data", (text) => (texts.stderr += text));
        child.stdin.end(JSON.stringify(event));
        child.on("close", (code) => resolve({ code, ...texts }));
      }),
  };
}

const verdictOf = ({ stdout }: Ran): unknown =>
  (JSON.parse(stdout) as Record<string, Record<string, unknown>>)["hookSpecificOutput"]?.[
    "permissionDecision"
  ];

test("a held call tells its operator once, signed, with the command that answers, and goes on with the answer", async () => {
  const { received, until, url } = await receiver();
  const { desk, call, asks, answer } = heldDesk(url);
  const asked = asks(call(bash("npm publish x --otp=123456")));
  await until(1);
  const [{ headers, text, data } = NOBODY] = received;
  const { id = "" } = data;
  expect(data).toMatchObject({
    ...{ kind: "call", run: "claude-code-s1" },
    what: expect.stringContaining("npm publish x"),
    answer_with: `In ${desk.root}, run \`bylaw approve yes ${id}\` or \`bylaw approve no ${id} --reason TEXT\`.`,
  });
  expect(data).not.toHaveProperty("answer_url");
  const signed = createHmac("sha256", Buffer.from(SECRET.slice(6), "base64"))
    .update(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${text}`)
    .digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
  const told = async () =>
    (await eventsOf(desk)).find(({ event_type }) => event_type === "person_told");
  await expect.poll(told).toMatchObject({ details: { question: id, to: "ada", sent: true } });
  expect(await answer("yes", id)).toMatchObject({ code: 0 });
  expect(verdictOf(await asked)).toBe("allow");
  expect(received).toHaveLength(1);
});

test("a hook and a server of the same run tell of each question once", async () => {
  const { received, until, url } = await receiver();
  const { desk, call, asks } = heldDesk(url, "10s");
  const first = asks(call(bash("npm publish a")));
  await until(1);
  const site = makeSite([]);
  const port = await freePort();
  await startServer(site, {
    ...{ run: "claude-code-s1", store: `sqlite:${join(desk.root, ".bylaw/store.db")}`, port },
    ...{ data: join(desk.root, ".bylaw"), workspace: site.path("work") },
    notify: { answers_at: `http://127.0.0.1:${port}` },
    operate: { due_every_ms: 20 },
  });
  const second = asks(call(bash("npm publish b")));
  // Nobody answers, so each hook tries until its time is over.
  expect([verdictOf(await first), verdictOf(await second)]).toEqual(["ask", "ask"]);
  const whats = received.map(({ data }) => data["what"]);
  expect(whats.toSorted()).toEqual([
    expect.stringContaining("npm publish a"),
    expect.stringContaining("npm publish b"),
  ]);
});

test.each([
  ["hangs", async () => await receiver({ hangs: true })],
  ["is down", async () => ({ url: `http://127.0.0.1:${await freePort()}/`, until: undefined })],
])("a receiver that %s delays no answer", async (_, start) => {
  const { url, until } = await start();
  const { desk, call, asks, answer } = heldDesk(url);
  const answered = new Set<unknown>();
  for (const [line, verdict, effect] of [
    ["npm publish a", "yes", "allow"],
    ["npm publish b", "no", "deny"],
  ] as const) {
    const asked = asks(call(bash(line)));
    const claimed = async () =>
      (await eventsOf(desk))
        .filter(({ event_type }) => event_type === "message_claimed")
        .find(({ details }) => !answered.has(details["question"]));
    await expect.poll(claimed).toBeDefined();
    const id = String((await claimed())?.details["question"]);
    await until?.(1);
    answered.add(id);
    expect(await answer(verdict, id)).toMatchObject({ code: 0 });
    expect(verdictOf(await asked)).toBe(effect);
  }
});

test("a receiver that refuses each message is on record with its status, and whoever looks at the question sees it", async () => {
  const { url, until } = await receiver({ status: 410 });
  // The last of five tries comes after 15 seconds, and later on a busy machine.
  const { desk, call, asks, answer, show } = heldDesk(url, "100s");
  const asked = asks(call(bash("npm publish x")));
  await until(5);
  const told = async () =>
    (await eventsOf(desk)).find(({ event_type }) => event_type === "person_told");
  const why = "The receiver answered with status 410";
  await expect.poll(told).toMatchObject({ details: { to: "ada", sent: false, why } });
  const id = String((await told())?.details["question"]);
  expect((await show(id)).stdout).toContain(`not told  ada: ${why}`);
  expect(await answer("no", id)).toMatchObject({ code: 0 });
  expect(verdictOf(await asked)).toBe("deny");
});

test("a broken file of operators is on record once for each question, without what it says", async () => {
  const { url } = await receiver();
  const { desk, call, asks, tell, answer, show } = heldDesk(url);
  const secret = "whsec_short";
  tell(operators(url, secret));
  const asked = asks(call(bash("npm publish x")));
  const untold = async () =>
    (await eventsOf(desk)).filter(({ event_type }) => event_type === "nobody_told");
  await expect.poll(untold).toHaveLength(1);
  const { question, why } = (await untold())[0]?.details ?? {};
  expect(why).toContain("must be `whsec_` and at least 24 bytes in base64");
  const shown = (await show(String(question))).stdout;
  expect(shown).toContain("not told  Operators: ");
  tell(operators(url));
  expect(await answer("no", String(question))).toMatchObject({ code: 0 });
  expect(verdictOf(await asked)).toBe("deny");
  expect(await untold()).toHaveLength(1);
  const record = JSON.stringify(await eventsOf(desk));
  for (const text of [secret, url]) expect(record + shown).not.toContain(text);
});

test("neither the agent's environment nor a file of the project changes who is told", async () => {
  const [own, evil] = [await receiver(), await receiver()];
  const { desk, call, asks, answer } = heldDesk(own.url);
  const nested = join(desk.root, "src");
  mkdirSync(join(nested, ".bylaw"), { recursive: true });
  writeFileSync(join(nested, ".bylaw/operators.json"), operators(evil.url), { mode: 0o600 });
  writeFileSync(join(nested, "bylaw.config.json"), "{}");
  for (const folder of [desk.root, nested])
    writeFileSync(
      join(folder, ".bylaw/serve.json"),
      JSON.stringify({ notify: { answers_at: evil.url } }),
    );
  const proxies = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"];
  const asked = asks(
    { ...call(bash("npm publish x")), cwd: nested },
    {
      ...Object.fromEntries(proxies.map((name) => [name, evil.url])),
      ...{ NODE_USE_ENV_PROXY: "1", NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_DEBUG: "fetch" },
      ...{ NODE_OPTIONS: "--use-env-proxy", CLAUDE_PROJECT_DIR: nested, PWD: nested },
      BYLAW_NOTIFY_ANSWERS_AT: evil.url,
    },
  );
  await own.until(1);
  const [{ text, data } = NOBODY] = own.received;
  expect(text).not.toContain(evil.url);
  expect(data).not.toHaveProperty("answer_url");
  expect(await answer("no", String(data["id"]))).toMatchObject({ code: 0 });
  const { stdout, stderr } = await asked;
  // What the agent reads names no webhook.
  for (const output of [stdout, stderr]) expect(output).not.toContain(new URL(own.url).host);
  expect(verdictOf({ code: 0, stdout, stderr })).toBe("deny");
  expect([own.received.length, evil.received.length]).toEqual([1, 0]);
});
