import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, expect, it } from "vitest";
import { openPostgresReader } from "@bylaw/store-postgres";
import { startPostgres } from "@bylaw/testing";
import { createOperator, endServers, makeSite, startServer } from "./orchestrator-kit.ts";
import { TASKS, endAgents, eventsOf, judge, startAgents } from "./orchestrator-walk.ts";

const site = makeSite(TASKS);
const postgres = await startPostgres({ fsync: true });
const ends: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  await endAgents();
  for (const end of ends) await end();
  await endServers();
  await postgres?.stop();
});

/** Passes each connection to the next port that answers, like a load balancer. */
async function balance(
  ports: readonly number[],
): Promise<{ readonly url: string; readonly used: ReadonlySet<number>; close(): Promise<void> }> {
  const used = new Set<number>();
  const open = new Set<Socket>();
  let turn = 0;
  const join = (client: Socket, tries: number): void => {
    const port = ports[turn++ % ports.length] ?? 0;
    const server = connect(port, "127.0.0.1");
    server.once("connect", () => {
      used.add(port);
      client.pipe(server);
      server.pipe(client);
      client.on("close", () => server.destroy());
      server.on("close", () => client.destroy());
    });
    server.on("error", () =>
      server.connecting || tries <= 0 ? client.destroy() : join(client, tries - 1),
    );
  };
  const listener: Server = createServer((client) => {
    open.add(client);
    client.on("error", () => undefined).on("close", () => open.delete(client));
    join(client, ports.length);
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  return {
    ...{ url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, used },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        listener.close(() => resolve());
      }),
  };
}

it.skipIf(postgres === undefined)(
  "two nodes over one PostgreSQL serve three agents, and one of the nodes dies",
  async () => {
    const settings = { store: postgres?.url ?? "", run: `nodes-${process.pid}-${Date.now()}` };
    const first = await startServer(site, { ...settings, data: site.path("data-1") });
    const second = await startServer(site, { ...settings, data: site.path("data-2") });
    const balancer = await balance([first.port, second.port]);
    ends.push(() => balancer.close());
    const operator = createOperator(() => balancer.url);
    await operator.insist("POST", "/tasks", {
      tasks: TASKS.map((id) => ({ id, title: "Add two numbers" })),
    });
    const agents = await startAgents(balancer.url);
    const stop = new AbortController();
    const attending = operator.attend(stop.signal);
    // Once somebody writes code, one of the two is killed for good.
    for (;;) {
      const { tasks } = (await operator.insist("GET", "/tasks")) as {
        readonly tasks: readonly { readonly phase: string | null }[];
      };
      if (tasks.some(({ phase }) => phase === "IMPL")) break;
    }
    expect(balancer.used).toEqual(new Set([first.port, second.port]));
    await first.kill();
    expect(await Promise.all(agents.map(({ ended }) => ended))).toEqual(
      TASKS.map(() => ({ code: 0, signal: null })),
    );
    stop.abort();
    await attending;
    await balancer.close();
    expect(await second.stop()).toBe(0);
    judge(site, await eventsOf(await openPostgresReader(settings.store), settings.run));
  },
);
