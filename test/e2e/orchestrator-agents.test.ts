import { afterAll, expect, it } from "vitest";
import { openSqliteReader } from "@bylaw/store-sqlite";
import { bylaw, json } from "./bylaw.ts";
import { createOperator, endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { PHASES, TASKS, endAgents, eventsOf, judge, startAgents } from "./orchestrator-walk.ts";

const site = makeSite(TASKS);
afterAll(async () => {
  await endAgents();
  await endServers();
});

interface Told {
  readonly sequence: number;
  readonly timestamp: string;
  readonly event_type: string;
}

it("three agents take three tasks from plan to end while the server is killed in each phase", async () => {
  let server = await startServer(site);
  const { port } = server;
  const operator = createOperator(() => server.url);
  await operator.insist("POST", "/tasks", {
    tasks: TASKS.map((id) => ({ id, title: "Add two numbers" })),
  });
  const agents = await startAgents(server.url);
  const stop = new AbortController();
  const attending = operator.attend(stop.signal);
  const over = new AbortController();
  const ends = Promise.all(agents.map(({ ended }) => ended)).finally(() => over.abort());
  const killed: string[] = [];
  const told: Told[] = [];
  while (!over.signal.aborted && killed.length < PHASES.length) {
    const answer = await operator.ask("GET", "/tasks").catch(() => undefined);
    const phases = ((answer?.body["tasks"] ?? []) as readonly { phase: string | null }[]).map(
      ({ phase }) => phase,
    );
    const next = PHASES.find((phase) => phases.includes(phase) && !killed.includes(phase));
    if (next === undefined) continue;
    killed.push(next);
    // What a server has told somebody stays true.
    const recent = await operator.ask("GET", "/audit/recent?count=1000").catch(() => undefined);
    told.push(...((recent?.body["entries"] ?? []) as readonly Told[]));
    await server.kill();
    server = await startServer(site, { port });
  }
  expect(await ends).toEqual(TASKS.map(() => ({ code: 0, signal: null })));
  stop.abort();
  await attending;
  expect(await server.stop()).toBe(0);
  expect(killed).toEqual(PHASES);
  const events = await eventsOf(await openSqliteReader(site.path("data", "store.db")));
  judge(site, events);
  const verified = bylaw(
    "log verify --store data/store.db --run main --catalogue strict --chained --json",
    { cwd: site.folder },
  );
  expect([verified.code, json(verified)["findings"]]).toEqual([0, []]);
  expect(told.length).toBeGreaterThan(PHASES.length);
  const kept = told.map(({ sequence }) => events[sequence - 1]);
  expect(kept.map((event) => [event?.sequence, event?.timestamp, event?.event_type])).toEqual(
    told.map(({ sequence, timestamp, event_type }) => [sequence, timestamp, event_type]),
  );
});
