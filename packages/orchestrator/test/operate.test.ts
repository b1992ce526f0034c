import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@bylaw/kernel";
import { createMemoryStore } from "@bylaw/log";
import { readStatus } from "@bylaw/plugin-status";
import Ajv from "ajv/dist/2020.js";
import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { ROUTES } from "../src/routes/index.ts";
import {
  ENROL,
  OPERATOR,
  eventsOf,
  serve,
  TOKENS,
  type Agent,
  type Served,
} from "./operate-kit.ts";

let served: Served;
let ann: Agent;
const lines: string[] = [];
const keep = (fields: object, message: string): void =>
  void lines.push(JSON.stringify({ ...fields, message }));

beforeAll(async () => {
  served = await serve({ log: { debug: keep, info: keep, warn: keep, error: keep } });
  ann = await served.claim("ann");
});
afterAll(() => served.close());

test("only operators get the status.json of the run", async () => {
  const { status, text, headers } = await served.as("operator").get("/status");
  expect([status, headers.get("content-type")]).toEqual([200, "application/json"]);
  expect(Object.keys(readStatus(text).agents)).toEqual(["ann"]);
  expect((await served.nobody.get("/status")).status).toBe(401);
  expect((await ann.get("/status")).status).toBe(403);
});

describe("responses", () => {
  test("are decided and recorded, each once under its id", async () => {
    const said = {
      text: "done",
      tool_calls: [{ id: "1", tool: "new_answer", args: { content: "x" } }],
      request_id: "r-1",
    };
    const first = await ann.send("POST", "/responses", said);
    expect([first.status, first.body]).toMatchObject([
      200,
      { accepted: true, message: expect.any(String) as string },
    ]);
    const again = await ann.send("POST", "/responses", said);
    expect(again.body["sequence"]).toBe(first.body["sequence"]);
    expect(
      (await eventsOf(served)).filter(({ event_type }) => event_type === "response_accepted"),
    ).toHaveLength(1);
    expect((await ann.send("POST", "/responses", { ...said, text: "other" })).body["code"]).toBe(
      "BYLAW_REQUEST_REUSED",
    );
  });

  test("always belong to the agent of the token", async () => {
    expect((await ann.send("POST", "/responses", { agent: "bob", text: "x" })).status).toBe(400);
    expect((await served.as("operator").send("POST", "/responses", { text: "x" })).status).toBe(
      403,
    );
    expect((await served.nobody.send("POST", "/responses", { text: "x" })).status).toBe(401);
  });
});

test("behaviors are read like a control file, with suggestions for misspellings", async () => {
  const near = await ann.send("POST", "/behaviors", { action: "lop" });
  expect([near.status, near.body["code"], near.body["fix"]]).toEqual([
    400,
    "BYLAW_BEHAVIOR_INVALID",
    "Did you mean `loop`?",
  ]);
  const asked = await ann.send("POST", "/behaviors", {
    action: "loop",
    reason: "again",
    resaon: "typo",
  });
  expect(asked.body).toMatchObject({
    applied: false,
    code: "loop_step_missing",
    ignored: [{ key: "resaon", near: "reason" }],
  });
  expect(
    (await ann.send("POST", "/behaviors", { action: "stop", run: "another" })).body["code"],
  ).toBe("BYLAW_BEHAVIOR_INVALID");
  const [event] = (await eventsOf(served)).filter(
    ({ event_type }) => event_type === "behavior_rejected",
  );
  expect(event).toMatchObject({
    agent_id: "ann",
    task_id: ann.task,
    details: { action: "loop", reason: "again" },
  });
});

test("the constitution accepts rules of agents and of operators, and no agent can remove an operator's", async () => {
  const rule = {
    rule: "Nobody reads .env",
    check: { action: "deny", tool: "read_files", args: { path: ".env" } },
  };
  const given = await served.as("ada").send("POST", "/constitution", { rule: "Be brief" });
  expect(given.body).toMatchObject({
    rules: [{ author: "operator", by: "ada", rule: "Be brief" }],
  });
  expect(
    (await ann.send("POST", "/constitution", { rule: "Test first" })).body["rules"],
  ).toMatchObject([{ by: "ada" }, { by: "ann", author: "agent" }]);
  expect(
    (await ann.send("POST", "/constitution", { ...rule, check: { action: "allow" } })).body["code"],
  ).toBe("BYLAW_CONSTITUTION_INVALID");
  expect(
    (await ann.send("PUT", "/constitution", { rules: [{ rule: "Test last" }] })).body["rules"],
  ).toMatchObject([{ by: "ada" }, { rule: "Test last" }]);
  expect((await ann.send("DELETE", "/constitution")).body["rules"]).toMatchObject([{ by: "ada" }]);
  expect((await ann.get("/constitution")).body["rules"]).toMatchObject([{ by: "ada" }]);
  expect((await served.as("ada").send("DELETE", "/constitution")).body["rules"]).toEqual([]);
  expect((await served.nobody.get("/constitution")).status).toBe(401);
});

describe("health and readiness", () => {
  test("are open, and reveal nothing of the run", async () => {
    expect((await served.nobody.get("/health")).body).toEqual({
      status: "healthy",
      workflow_loaded: true,
      enforcement_mode: "strict",
    });
    expect((await served.nobody.get("/ready")).body).toEqual({ ready: true });
  });

  test("is not ready while its store cannot write, nor once it closes", async () => {
    const whole = createMemoryStore();
    let broken = false;
    const store = {
      ...whole,
      put: (...asked: Parameters<typeof whole.put>) =>
        broken ? Promise.reject(new Error("gone")) : whole.put(...asked),
    };
    const other = await serve({ store });
    onTestFinished(() => other.close());
    broken = true;
    // A recent write replaces a probe.
    await expect.poll(async () => (await other.nobody.get("/ready")).status).toBe(503);
    const down = await other.nobody.get("/ready");
    expect([down.status, down.body, down.headers.get("retry-after")]).toEqual([
      503,
      { ready: false, reason: "store" },
      "1",
    ]);
    broken = false;
    const closing = other.orchestrator.close();
    const late = await other.orchestrator.app.request("/api/v1/ready");
    expect([late.status, await late.json()]).toEqual([503, { ready: false, reason: "closing" }]);
    await closing;
  });
});

describe("metrics", () => {
  test("are for operators, and for anyone only if a setting says so", async () => {
    expect((await served.nobody.get("/metrics")).status).toBe(401);
    expect((await ann.get("/metrics")).status).toBe(403);
    expect((await served.as("operator").get("/metrics")).status).toBe(200);
    const open = await serve({ settings: { metrics: { open: true } } });
    onTestFinished(() => open.close());
    expect((await open.nobody.get("/metrics")).status).toBe(200);
  });

  test("have no label with a client's text, and no secret", async () => {
    const odd = [
      "/audit/query?task_id=secret-task",
      "/nothing/secret-path",
      "/approvals/0a1b2c3d4e5f6071",
    ];
    for (const path of odd) await served.as("operator").get(path);
    await ann.check("read_files", { path: "secret-file" });
    await ann.check("secret_tool", {});
    const { text } = await served.as("operator").get("/metrics");
    expect(text).toContain(
      'bylaw_http_request_duration_seconds_count{method="GET",route="/approvals/{id}",status="404"} 1',
    );
    expect(text).toMatch(/bylaw_log_decisions\{effect="deny",code="[a-z_]+"\} \d/);
    expect(text).toMatch(/bylaw_log_events\{event_type="tool_(?:allowed|asked)"\} \d/);
    expect(text).toMatch(/bylaw_approvals_open \d/);
    for (const secret of ["secret", "ann", OPERATOR, ENROL, ann.task])
      expect(text).not.toContain(secret);
  });

  test("are those that the Grafana dashboard asks for", async () => {
    await served.as("operator").get("/nothing");
    const { text } = await served.as("operator").get("/metrics");
    const described = text.matchAll(/^# TYPE (\w+) (\w+)$/gm);
    const known = new Set(
      [...described].flatMap(([, name = "", type]) =>
        type === "histogram" ? [`${name}_bucket`, `${name}_count`] : [name],
      ),
    );
    const board = readFileSync(join(import.meta.dirname, "../grafana.json"), "utf8");
    const wanted = new Set(board.match(/\bbylaw_\w+/g));
    expect(wanted.size).toBeGreaterThan(5);
    expect([...wanted].filter((name) => !known.has(name))).toEqual([]);
  });
});

test("no secret is in a log line, an event, or the answer to a refused request", async () => {
  const token = String(ann.headers["authorization"]).slice("Bearer ".length);
  const forged = `${token.slice(0, -4)}AAAA`;
  const texts: string[] = [];
  for (const authorization of [
    `Bearer ${forged}`,
    `Bearer ${TOKENS.ada}x`,
    `Bylaw-Enrol ${ENROL}x`,
    `Basic ${OPERATOR}`,
    "Bearer",
  ])
    for (const path of ["/audit/recent", "/approvals", "/events"]) {
      const answer = await served.nobody.get(path, { authorization });
      expect([401, 403]).toContain(answer.status);
      texts.push(answer.text, JSON.stringify([...answer.headers]));
    }
  await served.nobody.send("POST", "/tasks/claim", { agent_id: "x", phase_token: token });
  texts.push(...lines, JSON.stringify(await eventsOf(served)));
  const secrets = [token, forged, ENROL, OPERATOR, TOKENS.ada];
  for (const text of texts) for (const secret of secrets) expect(text).not.toContain(secret);
  expect(lines.some((line) => line.includes("a request was refused"))).toBe(true);
});

test("text of a client adds no header and no line", async () => {
  const crlf = encodeURIComponent("x\r\nset-cookie: a=b");
  for (const path of [
    `/approvals/${crlf}`,
    `/audit/query?task_id=${crlf}`,
    `/events?after=${crlf}`,
    `/docs/${crlf}`,
  ]) {
    const { headers, status } = await served.as("operator").get(path);
    expect(headers.get("set-cookie")).toBeNull();
    expect([200, 400, 404]).toContain(status);
  }
  await ann.send("POST", "/constitution", { rule: "line\r\nid: 999\r\ndata: forged\n\n" });
  const answer = await fetch(`${served.base}/events?after=0`, {
    headers: served.as("operator").headers,
  });
  const reader = (answer.body ?? new ReadableStream<Uint8Array>()).getReader();
  let text = "";
  while (!text.includes("forged")) text += new TextDecoder().decode((await reader.read()).value);
  await reader.cancel();
  expect(text.split("\n").filter((line) => /^(?:id: 999|data: forged)/.test(line))).toEqual([]);
  expect(text).not.toContain("\r");
});

describe("the description of the API", () => {
  const described = async (): Promise<JsonObject> =>
    (await served.nobody.get("/openapi.json")).body;

  test("is OpenAPI 3.1, with every route, its callers, and valid JSON Schemas", async () => {
    const document = (await described()) as unknown as {
      openapi: string;
      paths: Record<
        string,
        Record<
          string,
          { security: readonly object[]; responses: Record<string, unknown>; operationId: string }
        >
      >;
      components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
    };
    expect(document.openapi).toBe("3.1.0");
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => ({ path, method, ...one })),
    );
    expect(operations.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { path, method, security, responses } of operations) {
      const route = ROUTES.find((one) => one.path === path && one.method === method);
      expect(security.length, `${method} ${path}`).toBe(
        route?.callers.includes("anyone") === true ? 0 : route?.callers.length,
      );
      for (const requirement of security)
        for (const name of Object.keys(requirement))
          expect(document.components.securitySchemes).toHaveProperty(name);
      expect(Object.keys(responses)).toContain(
        path === "/tasks" && method === "post" ? "201" : "200",
      );
    }
    const ajv = new Ajv.default({ strict: false, formats: { "date-time": true, date: true } });
    ajv.addSchema({ $id: "https://bylaw.test/openapi", ...document });
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"(#[^"]+)"/g)].map(([, ref]) =>
      String(ref),
    );
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of new Set(refs))
      expect(() => ajv.compile({ $ref: `https://bylaw.test/openapi${ref}` })).not.toThrow();
    for (const schema of schemasIn(document))
      expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  });

  test("matches the answers", async () => {
    const document = await described();
    const ajv = new Ajv.default({ strict: false, formats: { "date-time": true, date: true } });
    ajv.addSchema({ $id: "https://bylaw.test/openapi", ...document });
    for (const path of readCases<string>(import.meta, "answers")) {
      const pointer = `#/paths/${path.replaceAll("/", "~1")}/get/responses/200/content/application~1json/schema`;
      const validate = ajv.compile({ $ref: `https://bylaw.test/openapi${pointer}` });
      const { body } = await served.as("operator").get(path);
      expect([path, validate(body), validate.errors]).toEqual([path, true, null]);
    }
  });

  test("is a page that loads nothing from elsewhere, and a setting can turn it off", async () => {
    const page = await served.nobody.get("/docs");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("content-security-policy")).toMatch(
      /^default-src 'none'; script-src 'self';/,
    );
    const named = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) =>
      String(name),
    );
    expect(named).toEqual(["docs/swagger-ui.css", "docs/swagger-ui-bundle.js", "docs/start.js"]);
    for (const name of named) expect((await served.nobody.get(`/${name}`)).status).toBe(200);
    for (const name of ["package.json", "..%2fpackage.json", "%2e%2e%2f%2e%2e%2fpackage.json"])
      expect([400, 404]).toContain((await served.nobody.get(`/docs/${name}`)).status);
    const closed = await serve({ settings: { docs: false } });
    onTestFinished(() => closed.close());
    for (const path of ["/docs", "/openapi.json", "/docs/start.js"])
      expect((await closed.nobody.get(path)).status).toBe(404);
  });
});

/** Every schema of a document, at any depth. */
function schemasIn(value: unknown): readonly object[] {
  if (typeof value !== "object" || value === null) return [];
  const own =
    "schema" in value && typeof value.schema === "object" && value.schema !== null
      ? [value.schema]
      : [];
  return [...own, ...Object.values(value).flatMap(schemasIn)];
}
