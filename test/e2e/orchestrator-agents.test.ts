import { afterAll, expect, it } from "vitest";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { createOperator, endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { PHASES, TASKS, endAgents, eventsOf, judge, startAgents } from "./orchestrator-walk.ts";

const site = makeSite(TASKS);
afterAll(async () => {
  await endAgents();
  await endServers();
  site.remove();
});

it("three agents take three tasks from their plans to their ends while the server is killed in each phase", async () => {
  let server = await startServer(site);
  const { port } = server;
  const operator = createOperator(() => server.url);
  await operator.insist("POST", "/tasks", { tasks: TASKS.map((id) => ({ id, title: "Add two numbers" })) });
  const agents = await startAgents(server.url);
  const stop = new AbortController();
  const attending = operator.attend(stop.signal);
  const over = new AbortController();
  const ends = Promise.all(agents.map(({ ended }) => ended)).finally(() => over.abort());
  const killed: string[] = [];
  while (!over.signal.aborted && killed.length < PHASES.length) {
    const answer = await operator.ask("GET", "/tasks").catch(() => undefined);
    const phases = ((answer?.body["tasks"] ?? []) as readonly { phase: string | null }[]).map(({ phase }) => phase);
    const next = PHASES.find((phase) => phases.includes(phase) && !killed.includes(phase));
    if (next === undefined) continue;
    killed.push(next);
    await server.kill();
    server = await startServer(site, { port });
  }
  expect(await ends).toEqual(TASKS.map(() => ({ code: 0, signal: null })));
  stop.abort();
  await attending;
  expect(await server.stop()).toBe(0);
  expect(killed).toEqual(PHASES);
  judge(site, await eventsOf(await openSqliteReader(site.path("data", "store.db"))));
});
