import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROUTES } from "../src/routes/index.ts";
import { asOperator, serve, type Agent, type Served, fails } from "./kit.ts";

let at: Served;
let ann: Agent;
/** Ann's first token, which a newer one of the same claim has replaced. */
let overtaken: string;

beforeAll(async () => {
  at = await serve({ settings: { limits: { agent_per_second: 0, refusals_per_second: 0 } } });
  ann = await at.agent("ann");
  await at.agent("bob");
  overtaken = ann.token;
  const { body } = await at.post("/tasks/transition", ann.auth, {
    task_id: ann.task,
    target_phase: "WORK",
    artifacts: { plan: { title: "x" } },
    request_id: "moved",
  });
  ann = { ...ann, token: String(body["new_token"]), auth: `Bearer ${String(body["new_token"])}` };
});
afterAll(() => at.close());

type Claims = Readonly<Record<string, unknown>>;
const claimsOf = (token: string): Claims =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as Claims;

/** A token with a valid signature, as by somebody who has the server's key. */
function signed(claims: Claims): string {
  const secret = readFileSync(join(at.workspace, "..", "data", "token.secret"), "latin1").trim();
  const text = `${ann.token.split(".")[0] ?? ""}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

const NEVER = "5f0c9a52-0000-4000-8000-000000000000";
const FORGERIES: readonly (readonly [
  what: string,
  change: (claims: Claims) => Claims,
  code: string,
])[] = [
  ["an id that was never issued", (claims) => ({ ...claims, jti: NEVER }), "token_superseded"],
  [
    "the id of a replaced token",
    (claims) => ({ ...claims, jti: claimsOf(overtaken)["jti"] }),
    "token_superseded",
  ],
  [
    "more tools",
    (claims) => ({ ...claims, allowed_tools: ["read_files", "write_files", "bash"] }),
    "token_not_issued",
  ],
  ["another phase", (claims) => ({ ...claims, phase: "PLAN" }), "token_not_issued"],
  ["no phase", (claims) => ({ ...claims, phase: null }), "token_not_issued"],
  [
    "a later beginning",
    (claims) => ({ ...claims, nbf: Number(claims["nbf"]) + 600 }),
    "token_not_yet_valid",
  ],
  ["an earlier beginning", (claims) => ({ ...claims, nbf: 1 }), "token_not_issued"],
  ["another time of issue", (claims) => ({ ...claims, iat: 1 }), "token_not_issued"],
  [
    "a later end",
    (claims) => ({ ...claims, exp: Number(claims["exp"]) + 86_400 }),
    "token_not_issued",
  ],
  ["the fence of a later claim", (claims) => ({ ...claims, fence: 7 }), "token_not_issued"],
  ["no fence", ({ fence: _, ...claims }) => claims, "token_not_issued"],
  ["a session", (claims) => ({ ...claims, session: at.service.run.session }), "token_not_issued"],
  ["another agent", (claims) => ({ ...claims, agent: "bob" }), "token_not_issued"],
  ["the task of another agent", (claims) => ({ ...claims, task_id: "of-bob" }), "token_superseded"],
  [
    "another contract",
    (claims) => ({ ...claims, contract: `sha256:${"0".repeat(64)}` }),
    "token_other_contract",
  ],
  ["another run", (claims) => ({ ...claims, run: "other" }), "token_other_run"],
];

/** The body for each route that agents may use, in the name of a task. */
const BODIES: Readonly<Record<string, (task: string, agent: string) => object | undefined>> = {
  "post /tasks/claim": (_, agent_id) => ({ agent_id }),
  "post /tasks/transition": (task_id) => ({ task_id, target_phase: "@completed", artifacts: {} }),
  "post /tasks/heartbeat": (task_id) => ({ task_id }),
  "post /tasks/release": (task_id) => ({ task_id }),
  "post /tasks/fail": (task_id) => ({ task_id, reason: "x" }),
  "get /tasks/{id}": () => undefined,
  "post /tools/check": (task_id) => ({ task_id, tool_name: "write_files", args: { path: "x" } }),
  "post /tools/check/batch": (task_id) => ({
    task_id,
    calls: [{ tool_name: "write_files", args: { path: "x" } }],
  }),
  "post /tools/execute": (task_id) => ({ task_id, tool_name: "write_files", args: { path: "x" } }),
  "post /tools/execute/batch": (task_id) => ({
    task_id,
    calls: [{ tool_name: "write_files", args: { path: "x" } }],
  }),
  "post /tools/result": (task_id) => ({ task_id, id: "x", tool_name: "write_files", ok: true }),
  "get /tools": () => undefined,
  "get /contract": () => undefined,
  "get /state/snapshot": () => undefined,
  "get /directives": () => undefined,
  "post /responses": () => ({ text: "done" }),
  "get /consensus": () => undefined,
  "post /consensus/show": () => ({}),
  "post /consensus/answer": () => ({ content: "x" }),
  "post /consensus/vote": () => ({ agent_id: "agent1" }),
  "post /consensus/conclude": () => ({ sequence: 1 }),
  "post /consensus/round": () => ({}),
  "post /behaviors": () => ({ action: "continue" }),
  "get /constitution": () => undefined,
  "post /constitution": () => ({ rule: "be kind" }),
  "put /constitution": () => ({ rules: [] }),
  "delete /constitution": () => undefined,
  "get /approvals": () => undefined,
  "get /approvals/{id}": () => undefined,
  "get /events": () => undefined,
};
const AGENT_ROUTES = ROUTES.filter(
  ({ callers }) => callers.includes("agent") && !callers.includes("anyone"),
);

describe("a token made with a stolen key", () => {
  it("is tried on every route that agents may use", () => {
    expect(AGENT_ROUTES.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
      Object.keys(BODIES).toSorted(),
    );
  });

  it.each(FORGERIES)("is refused with %s", async (_, change, code) => {
    const claims = change(claimsOf(ann.token));
    const [task, agent] = [String(claims["task_id"]), String(claims["agent"])];
    const before = await at.events();
    for (const { method, path } of AGENT_ROUTES) {
      const name = `${method} ${path}`;
      const place = path.replace("{id}", path.startsWith("/tasks") ? task : "0123456789abcdef");
      const { status, body } = await at.ask(
        method.toUpperCase(),
        place,
        `Bearer ${signed(claims)}`,
        BODIES[name]?.(task, agent),
      );
      expect([name, status, body["code"]]).toEqual([name, 403, code]);
    }
    const after = (await at.events()).slice(before.length);
    expect(after.filter(({ event_type }) => event_type !== "access_refused")).toEqual([]);
    expect(at.runs.size).toBe(0);
  });

  it("does not get the answer to an earlier request, unlike the token that made the request", async () => {
    const body = {
      task_id: ann.task,
      target_phase: "WORK",
      artifacts: { plan: { title: "x" } },
      request_id: "moved",
    };
    const forged = signed({ ...claimsOf(overtaken), jti: NEVER });
    await fails(at.post("/tasks/transition", `Bearer ${forged}`, body), 403, "token_superseded");
    // It must not even learn whether there was such a request.
    expect(
      await at.post("/tasks/transition", `Bearer ${forged}`, { ...body, artifacts: {} }),
    ).toMatchObject({ status: 403 });
    const { body: told } = await at.post("/tasks/transition", `Bearer ${overtaken}`, body);
    expect(told).toMatchObject({ allowed: true, replayed: true, new_token: ann.token });
  });

  it("is refused after the claim was given back, whichever token of it was copied", async () => {
    const eve = await at.agent("eve");
    await at.post("/tasks/release", eve.auth, { task_id: eve.task });
    const again = await at.agent("eve");
    const mixed = signed({ ...claimsOf(eve.token), fence: claimsOf(again.token)["fence"] });
    for (const token of [eve.token, mixed])
      expect((await at.post("/tasks/claim", `Bearer ${token}`, { agent_id: "eve" })).status).toBe(
        403,
      );
    expect((await at.get(`/tasks/${eve.task}`, asOperator)).body).toMatchObject({
      status: "claimed",
      fence: 2,
    });
  });
});
