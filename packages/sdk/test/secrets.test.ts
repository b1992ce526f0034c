import { inspect } from "node:util";
import { readCases } from "@bylaw/testing";
import { expect, it } from "vitest";
import { AgentClient, RequestInvalid } from "../src/index.ts";
import { CLAIM, ENROL, TOKEN, holding, problem, rejection, serve, start } from "./kit.ts";

const shown = (value: unknown): string =>
  [
    inspect(value, { depth: null, showHidden: true, getters: true }),
    JSON.stringify(value),
    String(value),
  ].join("\n");

it("printing a client or a claim shows no credential", async () => {
  const { endpoint } = await serve(() => ({ body: CLAIM }));
  const { client } = start(endpoint);
  const claim = await client.claimTask();
  for (const value of [client, claim]) expect(shown(value)).not.toMatch(/nobody-may-see/);
});

it("no credential is in an error, even if the server repeats it", async () => {
  const { endpoint } = await serve(({ headers }) =>
    problem(403, "token_expired", {
      detail: `${headers.authorization}`,
      echo: [{ seen: headers.authorization }],
    }),
  );
  const { client } = holding(endpoint);
  for (const error of [
    await rejection(client.heartbeat()),
    await rejection(client.claimTask()),
    await rejection(client.events().next()),
  ])
    expect(shown(error)).not.toMatch(/nobody-may-see/);
  const silent = await serve(() => undefined);
  expect(shown(await rejection(holding(silent.endpoint).client.heartbeat()))).not.toMatch(
    /nobody-may-see/,
  );
});

it("a redirect does not get the credential", async () => {
  const elsewhere = await serve(() => ({ body: CLAIM }));
  const { endpoint } = await serve(() => ({
    status: 307,
    headers: { location: `${elsewhere.endpoint}/api/v1/tasks/claim` },
    body: {},
  }));
  const { client } = holding(endpoint);
  expect(await rejection(client.claimTask())).toMatchObject({
    name: "ServerFault",
    code: "redirected",
    status: 307,
  });
  expect(await rejection(client.events().next())).toMatchObject({ code: "redirected" });
  expect(elsewhere.received).toEqual([]);
});

it.each(readCases<[string]>(import.meta, "sends-nothing"))("sends nothing to %s", (endpoint) => {
  const make = (): AgentClient => new AgentClient({ endpoint, agent_id: "ann" });
  expect(make).toThrow(RequestInvalid);
  expect(make).not.toThrow(/nobody-may-see/);
});

it.each(readCases<[string, object]>(import.meta, "takes"))("takes %s", (endpoint, options) => {
  expect(() => new AgentClient({ endpoint, agent_id: "ann", ...options })).not.toThrow();
});

it.each([`${ENROL}\r\nX-Agent: bob`, "two words", "", "ü"])(
  "refuses %j as a credential, and does not repeat it",
  (secret) => {
    const make = (): AgentClient =>
      new AgentClient({ endpoint: "http://localhost", agent_id: "ann", enrol_secret: secret });
    expect(make).toThrow(RequestInvalid);
    expect(make).not.toThrow(/nobody-may-see/);
  },
);

it("reads its options from an environment, and names a missing one", async () => {
  const { endpoint, received } = await serve(() => ({ body: { lease_until: "x" } }));
  const environment = {
    BYLAW_ENDPOINT: endpoint,
    BYLAW_AGENT_ID: "ann",
    BYLAW_TASK_ID: "t9",
    BYLAW_PHASE_TOKEN: TOKEN,
    OTHER: "x",
  };
  const client = AgentClient.fromEnvironment(environment, { heartbeat: false });
  await client.heartbeat();
  expect(received[0]).toMatchObject({
    body: { task_id: "t9" },
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(() => AgentClient.fromEnvironment({ ...environment, BYLAW_ENDPOINT: "" })).toThrow(
    /BYLAW_ENDPOINT/,
  );
  expect(() => AgentClient.fromEnvironment({ BYLAW_ENDPOINT: endpoint })).toThrow(/BYLAW_AGENT_ID/);
});
