import { readCases } from "@bylaw/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentEnrolment } from "../src/index.ts";
import {
  ENROL,
  OPERATOR,
  asNewcomer,
  asOperator,
  serve,
  type Agent,
  type Served,
  problemOf,
  fails,
} from "./kit.ts";

let at: Served;
let ann: Agent;
let bob: Agent;

beforeAll(async () => {
  at = await serve();
  ann = await at.agent("ann");
  bob = await at.agent("bob");
});
afterAll(() => at.close());

const read = (task: string) => ({ task_id: task, tool_name: "read_files", args: { path: "a.ts" } });
const forged = (token: string, change: object): string => {
  const [head = "", body = "", mac = ""] = token.split(".");
  const claims = {
    ...(JSON.parse(Buffer.from(body, "base64url").toString()) as object),
    ...change,
  };
  return `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${mac}`;
};
const unsigned = (token: string): string => {
  const [head = "", body = ""] = token.split(".");
  const none = {
    ...(JSON.parse(Buffer.from(head, "base64url").toString()) as object),
    alg: "none",
  };
  return `${Buffer.from(JSON.stringify(none)).toString("base64url")}.${body}.`;
};

describe("a request to an agent's route", () => {
  it.each<[string, () => string | undefined, number, string]>([
    ["without a credential", () => undefined, 401, "token_missing"],
    ["with an empty header", () => "", 401, "BYLAW_CREDENTIAL_UNKNOWN"],
    ["with a scheme alone", () => "Bearer", 401, "BYLAW_CREDENTIAL_UNKNOWN"],
    ["with the token alone", () => ann.token, 401, "BYLAW_CREDENTIAL_UNKNOWN"],
    ["with another scheme", () => `Basic ${ann.token}`, 401, "BYLAW_CREDENTIAL_UNKNOWN"],
    ["with two blanks", () => `Bearer  ${ann.token}`, 401, "BYLAW_CREDENTIAL_UNKNOWN"],
    [
      "with two credentials in one header",
      () => `Bearer ${ann.token}, Bearer ${OPERATOR}`,
      401,
      "BYLAW_CREDENTIAL_UNKNOWN",
    ],
    ["with a text that is no token", () => "Bearer abc", 401, "token_malformed"],
    ["with an unsigned token", () => `Bearer ${unsigned(ann.token)}`, 401, "token_forged"],
    [
      "with a token changed to another task",
      () => `Bearer ${forged(ann.token, { task_id: bob.task })}`,
      401,
      "token_forged",
    ],
    [
      "with a token changed to another phase",
      () => `Bearer ${forged(ann.token, { phase: "WORK", allowed_tools: ["bash"] })}`,
      401,
      "token_forged",
    ],
    [
      "with a token of a hundred thousand characters",
      () => `Bearer ${"a".repeat(150_000)}`,
      401,
      "BYLAW_CREDENTIAL_UNKNOWN",
    ],
    ["with the enrolment secret", () => asNewcomer, 403, "BYLAW_CREDENTIAL_UNFIT"],
    ["with an operator's token", () => asOperator, 403, "BYLAW_CREDENTIAL_UNFIT"],
  ])("%s is refused", async (_, credential, status, code) => {
    const authorization = credential();
    for (const path of readCases<string>(import.meta, "agent-routes")) {
      const answer = await at.post(path, authorization, read(ann.task));
      expect(answer).toMatchObject({ status, body: { code, status } });
      expect(answer.headers.get("content-type")).toBe("application/problem+json");
      if (status === 401) expect(answer.headers.get("www-authenticate")).toContain("Bearer");
    }
    expect(at.runs.get("read_files")).toBeUndefined();
  });

  it("accepts an enrolment credential in one spelling only, although others decode to the same name", async () => {
    const credential = agentEnrolment(ENROL, "eves");
    const [, name = "", mac = ""] = credential.split(".");
    expect(
      await at.post("/tasks/claim", `Bylaw-Enrol ${credential}`, {
        agent_id: "eves",
        task_id: "none",
      }),
    ).toMatchObject({ status: 404 });
    // In base64url, four letters leave unused bits at the end.
    const spellings = [
      `agent.${name.slice(0, -1)}x.${mac}`,
      `agent.${name}==.${mac}`,
      `agent.${name}.${mac}=`,
      `agent.${name}.${mac.slice(0, -1)}`,
    ];
    expect(Buffer.from(`${name.slice(0, -1)}x`, "base64url").toString("utf8")).toBe("eves");
    for (const text of spellings)
      expect([
        text,
        (await at.post("/tasks/claim", `Bylaw-Enrol ${text}`, { agent_id: "eves" })).status,
      ]).toEqual([text, 401]);
  });

  it("takes the scheme in any letter case, as RFC 9110 has it", async () => {
    expect((await at.get("/tools", `bEARER ${ann.token}`)).status).toBe(200);
  });

  it("is refused for another task, and recorded as such", async () => {
    at.pass(10_000);
    const before = (await at.events("access_refused")).length;
    await fails(at.post("/tools/execute", bob.auth, read(ann.task)), 403, "token_other_task");
    expect(await at.get(`/state/snapshot?task_id=${ann.task}`, bob.auth)).toMatchObject({
      status: 403,
    });
    expect(await at.get(`/tasks/${ann.task}`, bob.auth)).toMatchObject({ status: 403 });
    const [event] = (await at.events("access_refused")).slice(before);
    expect(event).toMatchObject({
      details: {
        code: "token_other_task",
        status: 403,
        task: ann.task,
        tool: "read_files",
        agent: "bob",
      },
    });
    // None of it enters the history of the task.
    expect(
      (await at.events()).filter(
        ({ task_id, agent_id }) => task_id === ann.task && agent_id === "bob",
      ),
    ).toEqual([]);
  });

  it("is refused without a token, and recorded with its subject", async () => {
    at.pass(10_000);
    const before = (await at.events("access_refused")).length;
    await at.post("/tools/execute", undefined, read("of-ann"));
    expect((await at.events("access_refused")).slice(before)).toMatchObject([
      {
        details: {
          code: "token_missing",
          credential: "none",
          task: "of-ann",
          tool: "read_files",
          route: "/tools/execute",
        },
      },
    ]);
  });

  it("may bring its token in the body, but no second one", async () => {
    const body = { ...read(ann.task), phase_token: ann.token };
    expect((await at.post("/tools/check", undefined, body)).status).toBe(200);
    expect((await at.post("/tools/check", ann.auth, body)).status).toBe(200);
    await fails(at.post("/tools/check", bob.auth, body), 400, "BYLAW_REQUEST_INVALID");
    expect(await at.post("/tools/check", asOperator, body)).toMatchObject({ status: 403 });
    expect(
      await at.post("/tools/check", undefined, { ...body, phase_token: `${ann.token}x` }),
    ).toMatchObject({ status: 401 });
  });

  it("never has a token in its URL", async () => {
    for (const path of [
      "/state/snapshot?phase_token=x",
      "/tools?token=x",
      "/health?access_token=x",
    ]) {
      expect(await at.get(path)).toMatchObject(problemOf(400, "BYLAW_REQUEST_INVALID"));
    }
    expect(await at.get("/state/snapshot?task_id=a&task_id=b", ann.auth)).toMatchObject({
      status: 400,
    });
  });

  it("keeps its method, path and caller whatever headers say", async () => {
    const headers = {
      "x-http-method-override": "DELETE",
      "x-forwarded-user": "operator",
      "x-forwarded-for": "127.0.0.1",
      "x-original-url": "/api/v1/tasks",
    };
    expect(await at.get("/tasks", ann.auth, headers)).toMatchObject({ status: 403 });
    expect(await at.get("/tools", ann.auth, headers)).toMatchObject({ status: 200 });
  });
});

describe("a claim", () => {
  it.each<[string, string | undefined, number]>([
    ["without a credential", undefined, 401],
    ["with a secret that is almost right", `Bylaw-Enrol ${ENROL.slice(0, -1)}`, 401],
    ["with the secret as a bearer", `Bearer ${ENROL}`, 401],
    ["of an operator", asOperator, 403],
  ])("%s is refused", async (_, authorization, status) => {
    expect((await at.post("/tasks/claim", authorization, { agent_id: "eve" })).status).toBe(status);
  });

  it("is made in the name of the agent that owns the credential", async () => {
    const eve = `Bylaw-Enrol ${agentEnrolment(ENROL, "eve")}`;
    expect(
      await at.post("/tasks/claim", eve, { agent_id: "ann", task_id: ann.task }),
    ).toMatchObject({ status: 403 });
    await fails(at.post("/tasks/claim", eve, { agent_id: "eve" }), 404, "task_none_ready");
    expect(await at.post("/tasks/claim", bob.auth, { agent_id: "ann" })).toMatchObject({
      status: 403,
    });
    const mixed = agentEnrolment(ENROL, "eve").replace(
      /^agent\.[^.]+/,
      `agent.${Buffer.from("ann").toString("base64url")}`,
    );
    expect(
      (await at.post("/tasks/claim", `Bylaw-Enrol ${mixed}`, { agent_id: "ann" })).status,
    ).toBe(401);
  });

  it("needs an agent's own credential if the shared secret is not accepted", async () => {
    const strict = await serve({ settings: { auth: { shared_enrolment: false } } });
    expect((await strict.post("/tasks/claim", asNewcomer, { agent_id: "eve" })).status).toBe(401);
    const eve = `Bylaw-Enrol ${agentEnrolment(ENROL, "eve")}`;
    expect((await strict.post("/tasks/claim", eve, { agent_id: "eve" })).status).toBe(200);
    await strict.close();
  });
});

it.each(["/tasks", "/audit/query", "/audit/recent", "/audit/stats", "/status"])(
  "only operators reach %s",
  async (path) => {
    expect((await at.get(path)).status).toBe(401);
    expect((await at.get(path, ann.auth)).status).toBe(403);
    expect((await at.get(path, asNewcomer)).status).toBe(403);
    expect((await at.get(path, `Bearer ${OPERATOR}x`)).status).toBe(401);
    expect((await at.get(path, asOperator)).status).toBe(200);
  },
);

it("an unknown route is refused for every caller", async () => {
  expect(await at.get("/nothing", asOperator)).toMatchObject(problemOf(404, "BYLAW_ROUTE_UNKNOWN"));
  expect(await at.get("/../../etc/passwd", asOperator)).toMatchObject({ status: 404 });
  const wrong = await at.ask("DELETE", "/tasks", asOperator);
  expect(wrong).toMatchObject(problemOf(405, "BYLAW_METHOD_UNSUPPORTED"));
  expect(wrong.headers.get("allow")).toBe("GET, POST");
});

it("refusals are recorded up to a rate, and counted beyond it", async () => {
  const small = await serve({ settings: { limits: { refusals_per_second: 2 } } });
  for (let left = 30; left > 0; left -= 1) expect((await small.get("/tasks")).status).toBe(401);
  expect((await small.events("access_refused")).length).toBeLessThan(10);
  small.pass(5_000);
  await small.get("/tasks");
  const [last] = (await small.events("access_refused")).slice(-1);
  expect(Number(last?.details["unrecorded"])).toBeGreaterThan(15);
  await small.close();
});
