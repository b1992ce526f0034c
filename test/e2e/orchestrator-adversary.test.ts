import { createHmac } from "node:crypto";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentEnrolment } from "@bylaw/orchestrator";
import { openSqliteReader } from "@bylaw/store-sqlite";
import {
  ENROL,
  OPERATOR,
  endServers,
  makeSite,
  startServer,
  type ServerProcess,
} from "./orchestrator-kit.ts";
import {
  answerOf,
  rawRequest,
  sendRaw,
  type RawAnswer,
  type RawRequest,
} from "./orchestrator-raw.ts";
import { eventsOf } from "./orchestrator-walk.ts";
import { HANDED, TESTS } from "./walk-artifacts.ts";

const site = makeSite(["mine", "theirs"]);
let server: ServerProcess;
/** The token of Ann, who attacks; the one of Bob, who does not, comes after it. */
let ann = "";
let annsFirst = "";
let bob = "";

// Counts of refusals as the callers saw them: before any decision, and by a decision.
const seen = { refused: 0, denied: 0, blocked: 0 };

/** Sends a request on its own socket. */
async function ask(
  request: RawRequest,
): Promise<RawAnswer & { readonly code: string; readonly decision: boolean }> {
  const answer = await sendRaw(server.port, rawRequest(request));
  return judged(answer, request.path);
}

function judged(
  answer: RawAnswer,
  path: string,
): RawAnswer & { readonly code: string; readonly decision: boolean } {
  const body = answer.text.slice(answer.text.indexOf("\r\n\r\n") + 4);
  const problem = parsed(body);
  const code = typeof problem["code"] === "string" ? problem["code"] : "";
  const decision = problem["decision"] !== undefined;
  if (answer.status === 401 || answer.status === 403) {
    if (!decision) seen.refused += 1;
    else if (path.startsWith("/api/v1/tools")) seen.denied += 1;
    else seen.blocked += 1;
  }
  // An unknown way out of a phase is a bad request, but on record too.
  if (answer.status === 400 && decision && path === "/api/v1/tasks/transition") seen.blocked += 1;
  return { ...answer, code, decision };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const bearer = (token: string): string => `Authorization: Bearer ${token}`;
const enrol = `Authorization: Bylaw-Enrol ${ENROL}`;
const claimBody = (agent_id: string, more: object = {}): string =>
  JSON.stringify({ agent_id, ...more });
const read = (path: unknown, task_id = "mine"): string =>
  JSON.stringify({ task_id, tool_name: "read_files", args: { path } });
const write = (path: string, content = "x"): string =>
  JSON.stringify({ task_id: "mine", tool_name: "write_files", args: { path, content } });

async function claim(agent: string, task: string): Promise<string> {
  const { text } = await ask({
    path: "/api/v1/tasks/claim",
    headers: [enrol],
    body: claimBody(agent, { task_id: task }),
  });
  return parsed(text.slice(text.indexOf("\r\n\r\n") + 4))["phase_token"] as string;
}

const alive = async (): Promise<void> => {
  expect((await fetch(`${server.url}/api/v1/health`)).status).toBe(200);
};

beforeAll(async () => {
  const limits = { headers_ms: 4_000, request_ms: 5_000, refusals_per_second: 100_000 };
  server = await startServer(site, { limits }, [{ id: "mine" }, { id: "theirs" }]);
  writeFileSync(site.path("secret.txt"), "what-nobody-may-see");
  symlinkSync(site.path("secret.txt"), site.path("work", "mine", "link.txt"));
  symlinkSync(site.path(), site.path("work", "mine", "up"));
  annsFirst = ann = await claim("ann", "mine");
  bob = await claim("bob", "theirs");
});
afterAll(endServers);

describe("credentials", () => {
  const AGENT = readCases<RawRequest>(import.meta, "agent");
  const OPERATORS = readCases<RawRequest>(import.meta, "operators");
  const BOTH = readCases<RawRequest>(import.meta, "both");
  const request = (route: RawRequest, headers: readonly string[]): RawRequest => ({
    ...route,
    path: `/api/v1${route.path}`,
    headers,
  });

  it.each([
    ...AGENT,
    ...OPERATORS,
    ...BOTH,
    { method: "POST", path: "/tasks/claim", body: claimBody("eve") },
  ])("$method $path needs one", async (route) => {
    const { status, text } = await ask(request(route, []));
    expect(status).toBe(401);
    expect(text).toMatch(/^www-authenticate: Bearer/im);
    for (const header of [
      "Authorization: Bearer x",
      "Authorization: Basic YTpi",
      `Authorization: Bearer ${ENROL}`,
      "Authorization: Bylaw-Enrol x",
    ])
      expect([header, (await ask(request(route, [header]))).status]).toEqual([header, 401]);
  });

  it.each([...AGENT, ...OPERATORS, ...BOTH])(
    "$method $path accepts no enrolment secret",
    async (route) => {
      expect(await ask(request(route, [enrol]))).toMatchObject({
        status: 403,
        code: "BYLAW_CREDENTIAL_UNFIT",
      });
    },
  );

  it.each(OPERATORS)("$method $path is not for agents", async (route) => {
    expect(await ask(request(route, [bearer(bob)]))).toMatchObject({
      status: 403,
      code: "BYLAW_CREDENTIAL_UNFIT",
    });
  });

  it.each([...AGENT, { method: "POST", path: "/tasks/claim", body: claimBody("ann") }])(
    "$method $path is not for operators",
    async (route) => {
      expect(await ask(request(route, [bearer(OPERATOR)]))).toMatchObject({
        status: 403,
        code: "BYLAW_CREDENTIAL_UNFIT",
      });
    },
  );

  it.each(AGENT.filter(({ method }) => method === "POST"))(
    "$method $path does nothing for another agent's task",
    async (route) => {
      expect(await ask(request(route, [bearer(bob)]))).toMatchObject({
        status: 403,
        code: "token_other_task",
      });
    },
  );

  it.each(["/tasks/mine", "/state/snapshot?task_id=mine", "/directives?task_id=mine"])(
    "%s is hidden from other agents",
    async (path) => {
      expect(
        await ask({ method: "GET", path: `/api/v1${path}`, headers: [bearer(bob)] }),
      ).toMatchObject({ status: 403, code: "token_other_task" });
    },
  );

  it("a token acts for its own agent, whoever sends it", async () => {
    const stolen = await ask({
      path: "/api/v1/tasks/claim",
      headers: [bearer(ann)],
      body: claimBody("eve"),
    });
    expect(stolen).toMatchObject({ status: 403, code: "BYLAW_CREDENTIAL_UNFIT" });
    const held = await ask({
      path: "/api/v1/tasks/claim",
      headers: [enrol],
      body: claimBody("eve", { task_id: "mine" }),
    });
    expect(held.status).toBe(404);
  });

  it("a secret that was made for one agent enrols no other", async () => {
    const own = `Authorization: Bylaw-Enrol ${agentEnrolment(ENROL, "eve")}`;
    const path = "/api/v1/tasks/claim";
    for (const name of ["ann", "EVE", "eve ", "eve\u200b", "", "*"])
      expect([name, (await ask({ path, headers: [own], body: claimBody(name) })).status]).toEqual([
        name,
        name === "" ? 400 : 403,
      ]);
    expect(
      (await ask({ path, headers: [own], body: claimBody("eve", { task_id: "nothing" }) })).status,
    ).toBe(404);
    expect((await ask({ path, headers: [`${own}x`], body: claimBody("eve") })).status).toBe(401);
  });

  it("a token that somebody else signed, changed or left unsigned is not accepted", async () => {
    const [head = "", claims = "", mark = ""] = ann.split(".");
    const coded = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString("base64url");
    const told = parsed(Buffer.from(claims, "base64url").toString("utf8"));
    const grown = coded({ ...told, phase: "IMPL", allowed_tools: ["bash", "write_files"] });
    const sign = (text: string, key: string): string =>
      `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
    const forged = [
      `${head}.${grown}.${mark}`,
      `${coded({ alg: "none", typ: "JWT" })}.${grown}.`,
      `${coded({ alg: "none", typ: "JWT" })}.${claims}.${mark}`,
      sign(`${head}.${grown}`, "a guess"),
      sign(`${head}.${grown}`, ""),
      sign(
        `${coded({ alg: "HS256", typ: "JWT", kid: "../../secret.txt" })}.${grown}`,
        "what-nobody-may-see",
      ),
      `${ann}x`,
      `${head}.${claims}`,
      ".",
      "..",
      "null",
    ];
    for (const token of forged)
      expect([
        token,
        await ask({
          path: "/api/v1/tools/execute",
          headers: [bearer(token)],
          body: read("package.json"),
        }),
      ]).toMatchObject([token, { status: 401 }]);
  });

  it("two credentials, or one in the wrong place, are not accepted", async () => {
    const path = "/api/v1/tools/check";
    const body = read("package.json");
    const tricks: readonly (readonly [status: number, ...headers: string[]])[] = [
      [401, bearer(bob), bearer(ann)],
      [401, bearer(ann), bearer(ann)],
      [401, `Authorization: Bearer ${ann}, Bearer ${ann}`],
      [401, `Authorization: Bearer  ${ann}`],
      [401, `Authorization: Bearer\t${ann}`],
      [401, `Authorization: ${ann}`],
      [401, `Authorization: Bearer "${ann}"`],
      [401, `Authorization: Bearer ${ann} ${ann}`],
      [401, `Proxy-Authorization: Bearer ${ann}`],
      [401, `X-Authorization: Bearer ${ann}`],
      [401, `Cookie: token=${ann}; Authorization=${ann}`],
      [401, "X-Forwarded-User: ann", "X-Remote-User: operator", "X-Agent-Id: ann"],
      [200, `authorization: bEARER ${ann}`],
    ];
    for (const [status, ...headers] of tricks)
      expect([headers, (await ask({ path, headers, body })).status]).toEqual([headers, status]);
    for (const query of [`token=${ann}`, `phase_token=${ann}`, `access_token=${ann}`])
      expect((await ask({ method: "GET", path: `/api/v1/state/snapshot?${query}` })).status).toBe(
        400,
      );
    const both = JSON.stringify({ ...(JSON.parse(body) as object), phase_token: bob });
    expect(await ask({ path, headers: [bearer(ann)], body: both })).toMatchObject({ status: 400 });
  });
});

describe("requests", () => {
  const path = "/api/v1/tools/check";
  const call = read("package.json");

  const BODIES: readonly (readonly [
    name: string,
    status: number,
    body: string | Uint8Array,
    header?: string,
  ])[] = [
    ["nothing", 400, ""],
    ["no JSON", 400, "{"],
    ["JSON and more", 400, `${call}${call}`],
    ["a list", 400, "[]"],
    ["a text", 400, '"x"'],
    ["null", 400, "null"],
    ["a key twice", 400, call.replace("{", '{"task_id":"theirs",')],
    ["a prototype", 400, call.replace("{", '{"__proto__":{"task_id":"theirs"},')],
    [
      "a prototype in the arguments",
      400,
      call.replace('"args":{', '"args":{"__proto__":{"path":"x"},'),
    ],
    ["a key that nobody knows", 400, call.replace("{", '{"agent_id":"bob",')],
    ["a phase of its own", 400, call.replace("{", '{"phase":"IMPL",')],
    ["no tool", 400, JSON.stringify({ task_id: "mine", args: {} })],
    ["a number for a tool", 400, JSON.stringify({ task_id: "mine", tool_name: 1, args: {} })],
    ["a list of arguments", 400, JSON.stringify({ task_id: "mine", tool_name: "bash", args: [] })],
    ["NaN", 400, call.replace('"package.json"', "NaN")],
    ["half a character", 400, Buffer.from(call.replace("package", "\u00e9"), "latin1")],
    ["depth", 400, `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`],
    ["another type", 415, call, "Content-Type: text/plain"],
    ["a form", 415, "task_id=mine", "Content-Type: application/x-www-form-urlencoded"],
    ["another character set", 415, call, "Content-Type: application/json; charset=utf-7"],
    ["a coding", 415, call, "Content-Encoding: gzip"],
    [
      "too much",
      413,
      JSON.stringify({ task_id: "mine", tool_name: "bash", args: { x: "x".repeat(1_200_000) } }),
    ],
  ];
  it.each(BODIES.map(([name, status, body, header]) => ({ name, status, body, header })))(
    "a body with $name is refused",
    async ({ status, body, header }) => {
      const headers = [bearer(ann), ...(header === undefined ? [] : [header])];
      expect((await ask({ path, headers, body })).status).toBe(status);
      await alive();
    },
  );

  it("a body of unknown length is cut at the limit", async () => {
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const head = rawRequest({
      path,
      headers: [bearer(ann), "Content-Type: application/json", "Transfer-Encoding: chunked"],
      body: "",
    });
    expect((await sendRaw(server.port, head, chunk.repeat(20), "0\r\n\r\n")).status).toBe(413);
  });

  it.each<readonly [name: string, statuses: readonly number[], request: string]>([
    ...readCases<[name: string, statuses: number[], request: string]>(import.meta, "attempts"),
    [
      "a long header",
      [431],
      `GET /api/v1/tasks HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(400_000)}\r\n\r\n`,
    ],
  ])("%s has no effect", async (name, statuses, request) => {
    const { status, text } = judged(await sendRaw(server.port, request), "/");
    expect(statuses, `${name}: ${text}`).toContain(status);
    expect(text).not.toMatch(/root:|"tasks"/);
    await alive();
  });

  it("a second request in the body of the first is ignored", async () => {
    const inner = `GET /api/v1/tasks HTTP/1.1\r\nHost: x\r\n${bearer(OPERATOR)}\r\n\r\n`;
    const { status, text } = judged(
      await sendRaw(server.port, rawRequest({ path, headers: [bearer(ann)], body: inner })),
      path,
    );
    expect([status, text.includes('"tasks"')]).toEqual([400, false]);
  });

  it("slow requests are cut off and leave nothing behind, and others are answered meanwhile", async () => {
    const dribble = async (first: string, next: string): Promise<RawAnswer> => {
      const socket = connect(server.port, "127.0.0.1");
      socket.write(first);
      const timer = setInterval(() => socket.write(next), 100);
      socket.on("error", () => undefined);
      try {
        return await answerOf(socket);
      } finally {
        clearInterval(timer);
      }
    };
    const head = Buffer.from(
      rawRequest({
        path,
        headers: [bearer(ann), "Content-Type: application/json", "Content-Length: 1000"],
        body: "",
      }),
    ).toString();
    const slow = [
      ...Array.from({ length: 20 }, () => dribble(head, " ")),
      ...Array.from({ length: 20 }, () =>
        dribble(`GET /api/v1/tasks HTTP/1.1\r\nHost: x\r\n`, "X: y\r\n"),
      ),
    ];
    const cut = connect(server.port, "127.0.0.1");
    cut.write(head);
    cut.end('{"task_id":');
    cut.destroy();
    await alive();
    for (const { status } of await Promise.all(slow)) expect([0, 400, 408]).toContain(status);
    await alive();
  });
});

describe("tools and phases", () => {
  const execute = (token: string, body: string): ReturnType<typeof ask> =>
    ask({ path: "/api/v1/tools/execute", headers: [bearer(token)], body });
  const move = async (
    token: string,
    target_phase: string,
    more: object = {},
  ): ReturnType<typeof ask> =>
    ask({
      path: "/api/v1/tasks/transition",
      headers: [bearer(token)],
      body: JSON.stringify({ task_id: "mine", target_phase, artifacts: {}, ...more }),
    });

  it.each<readonly [string | readonly string[] | object]>([
    ...readCases<[string | string[] | object]>(import.meta, "paths"),
    [site.path("secret.txt")],
  ])("reading %j does not leave the workspace", async (path) => {
    const { status, text } = await execute(ann, read(path));
    expect([400, 403]).toContain(status);
    expect(text).not.toMatch(/what-nobody-may-see|root:x|BYLAW_JWT_SECRET=/);
  });

  it.each(["write_files", "edit_files", "bash", "git_commit", "run_tests"])(
    "%s is forbidden in the phase PLAN",
    async (tool_name) => {
      const body = JSON.stringify({
        task_id: "mine",
        tool_name,
        args: { path: "src/x.js", content: "x", command: "id" },
      });
      expect(await execute(ann, body)).toMatchObject({ status: 403, decision: true });
      const { text } = await ask({ path: "/api/v1/tools/check", headers: [bearer(ann)], body });
      expect(text).toMatch(/"allowed":false/);
      expect(existsSync(site.path("work", "mine", "src/x.js"))).toBe(false);
      seen.denied += 1;
    },
  );

  it("an unknown tool is denied, whatever its name", async () => {
    for (const tool_name of [
      "no_such_tool",
      "Read_Files",
      "read_files ",
      "constructor",
      "__proto__",
      "../read_files",
    ]) {
      const body = JSON.stringify({ task_id: "mine", tool_name, args: { path: "package.json" } });
      expect([tool_name, (await execute(ann, body)).status]).toEqual([tool_name, 403]);
    }
  });

  it("no phase is skipped, and a claim to be in a phase does not enter it", async () => {
    expect(await move(ann, "IMPL")).toMatchObject({ status: 400 });
    expect(await move(ann, "@completed")).toMatchObject({ status: 400 });
    expect(await move(ann, "NOWHERE")).toMatchObject({ status: 400 });
    expect(await move(ann, "REVIEW", { current_phase: "IMPL" })).toMatchObject({
      status: 403,
      code: "token_other_phase",
    });
    // The attempts: without artifacts, with bad ones, and without a person's yes.
    for (const artifacts of [{}, { plan_document: "x", scope_definition: null }, HANDED.plan]) {
      const { status, text } = await move(ann, "TDD", { artifacts });
      expect([status, text.includes('"allowed":false'), text.includes('"new_token":null')]).toEqual(
        [200, true, true],
      );
      seen.blocked += 1;
    }
  });

  it("a token of the previous phase is useless, and TDD allows only tests to be written", async () => {
    const [open] = (await server.operator.insist("GET", "/approvals"))["approvals"] as readonly {
      id: string;
    }[];
    await server.operator.insist("POST", `/approvals/${open?.id ?? ""}`, {
      answer: "yes",
      role: "human",
    });
    const { text } = await move(ann, "TDD", { artifacts: HANDED.plan });
    ann = parsed(text.slice(text.indexOf("\r\n\r\n") + 4))["new_token"] as string;
    expect(ann).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    expect(await execute(annsFirst, read("package.json"))).toMatchObject({
      status: 403,
      code: "token_superseded",
    });
    expect(await move(annsFirst, "TDD", { artifacts: HANDED.plan })).toMatchObject({
      status: 403,
      code: "token_superseded",
    });
    expect((await execute(ann, write("tests/add.test.js", TESTS))).status).toBe(200);
    mkdirSync(site.path("work", "mine", "lib"), { recursive: true });
    symlinkSync(site.path("work", "mine", "src"), site.path("work", "mine", "tests", "in"));
    for (const path of [...readCases<string>(import.meta, "paths"), site.path("escape.test.js")])
      expect([path, (await execute(ann, write(path))).status]).toEqual([
        path,
        expect.toSatisfy((status: number) => status === 403 || status === 400),
      ]);
    for (const command of readCases<string>(import.meta, "old-tokens")) {
      const body = JSON.stringify({ task_id: "mine", tool_name: "bash", args: { command } });
      expect([command, (await execute(ann, body)).status]).toEqual([command, 403]);
    }
    for (const path of [
      "escape.test.js",
      "work/escape.test.js",
      "work/theirs/tests/x.test.js",
      "work/mine/src/add.js",
      "work/mine/src/add.test.js",
    ])
      expect([path, existsSync(site.path(path))]).toEqual([path, false]);
  });
});

it("at the end the server never failed, and every refusal is on record", async () => {
  await alive();
  expect(await server.stop()).toBe(0);
  // The server logs no failure of its own: 50 is pino's level for errors.
  expect(server.errors()).not.toMatch(/"level":(50|60|"error")/);
  const events = await eventsOf(await openSqliteReader(site.path("data", "store.db")));
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  const of = (type: string): readonly (typeof events)[number][] =>
    events.filter(({ event_type }) => event_type === type);
  const refused = of("access_refused").reduce(
    (sum, { details }) => sum + 1 + Number(details["unrecorded"] ?? 0),
    0,
  );
  expect({
    refused,
    denied: of("tool_denied").length,
    blocked: of("transition_blocked").length,
  }).toEqual(seen);
  expect(JSON.stringify(events)).not.toMatch(
    new RegExp(`what-nobody-may-see|${ENROL}|${OPERATOR}`),
  );
  expect(JSON.stringify(events)).not.toContain(ann);
});
