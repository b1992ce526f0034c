import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { createKernel, type LogEvent } from "@bylaw/kernel";
import { openRun } from "@bylaw/log";
import { describeExamples, readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { examples } from "../examples.ts";
import {
  httpOversight,
  requestOversight,
  oversight,
  proseOversight,
  oversightStatus,
  vibecheck,
  type OversightState,
  type OversightService,
} from "../src/index.ts";

describeExamples(examples, { describe, it });

const request = { kind: "planning", goal: "add two numbers", plan: "write it" } as const;
const says = (risk: unknown): OversightService => ({
  name: "test",
  ask: () => Promise.resolve({ risk, advice: "so", traits: [], uncertainties: [] }),
});
const begin = async (options: Parameters<typeof vibecheck>[0] = {}) => {
  const run = await openRun(createKernel({ plugins: [vibecheck(options)], fallback: "allow" }), {
    run: "oversight",
  });
  const as = async (who: { readonly task?: string; readonly agent?: string }) => {
    const { effect, code } = (await run.toolCall({ tool: "bash", args: {}, ...who })).decision;
    return [effect, code];
  };
  const call = () => as({ task: "a", agent: "ann" });
  const see = (service: OversightService, timeout_ms = 60_000) =>
    requestOversight(run, service, { agent: "ann", task: "a", request, timeout_ms });
  const note = (by: string) =>
    run.record([
      {
        event_type: "oversight_acknowledged",
        agent_id: null,
        task_id: "a",
        details: { by, reason: "read it" },
      },
    ]);
  return { run, call, as, see, note };
};

describe("vibecheck", () => {
  it("asks, then stops, as the risk rises, and a lower verdict later changes nothing", async () => {
    const { run, call, as, see, note } = await begin();
    expect(await call()).toEqual(["allow", "fallback"]);
    expect(
      (await run.behave({ action: "vibecheck", task: "a", agent: "ann" })).decision.directive,
    ).toEqual({ action: "vibecheck", kind: "implementation" });
    await see(says(0.2));
    expect(await call()).toEqual(["allow", "fallback"]);
    await see(says(0.7));
    expect([await call(), await as({ task: "b", agent: "bob" })]).toEqual([
      ["ask_user", "vibecheck_risk"],
      ["allow", "fallback"],
    ]);
    await see(says(0.95));
    await see(says(0));
    expect(await call()).toEqual(["deny", "vibecheck_risk"]);
    await expect(note(" ANN")).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await note("eve");
    expect(await call()).toEqual(["allow", "fallback"]);
  });

  it("cannot be evaded: findings about an agent follow it, whatever it leaves out or names", async () => {
    const { run, as, see, note } = await begin({ every_calls: 3 });
    await see(says(0.95));
    const ways = [
      { agent: "ann" },
      { agent: "ann", task: "b" },
      { task: "a", agent: "bob" },
      { task: "b" },
      {},
    ];
    for (const who of ways) expect([who, await as(who)]).toEqual([who, ["deny", "vibecheck_risk"]]);
    const to = async (task: string, agent: string) =>
      (await run.transition({ task, agent, to: "NEXT", artifacts: {} })).decision.code;
    expect([await to("b", "ann"), await to("a", "bob")]).toEqual([
      "vibecheck_risk",
      "vibecheck_risk",
    ]);
    await note("eve");
    // A new task for each call gives no new budget.
    for (const task of ["c", "d", "e"])
      expect(await as({ task, agent: "ann" })).toEqual(["allow", "fallback"]);
    expect(await as({ task: "f", agent: "ann" })).toEqual(["deny", "vibecheck_due"]);
    expect(await as({ task: "f", agent: "bob" })).toEqual(["allow", "fallback"]);
    expect(await as({})).toEqual(["deny", "vibecheck_due"]);
  });

  it("counts the calls of many agents without copying them", () => {
    const event = (event_type: string, agent_id: string, details = {}) =>
      ({ event_type, agent_id, task_id: "a", details }) as unknown as LogEvent;
    const reduce = (before: OversightState, draft: LogEvent): OversightState =>
      oversight.reduce(before, draft);
    const verdict = { risk: 0, advice: "", traits: [], uncertainties: [] };
    let state = oversight.initial;
    for (let at = 0; at < 10_000; at += 1)
      state = reduce(state, event("tool_allowed", `agent ${at}`));
    const after = reduce(state, event("tool_allowed", "agent 7"));
    expect([
      after.byAgent?.left === state.byAgent?.left,
      after.byAgent?.right === state.byAgent?.right,
    ]).toContain(true);
    expect([after.byAgent?.size, oversightStatus(after, { agent: "agent 7" }).calls]).toEqual([
      10_000, 2,
    ]);
    // A caller without a name may be any of them.
    expect([oversightStatus(state, {}).calls, oversightStatus(after, {}).calls]).toEqual([1, 2]);
    const seen = reduce(after, event("oversight_given", "agent 7", { by: "o", verdict }));
    expect([
      oversightStatus(seen, { agent: "agent 7" }).calls,
      oversightStatus(seen, {}).calls,
    ]).toEqual([0, 1]);
  });

  it("without a task binds the whole run, and the agent that it is about cannot acknowledge it", async () => {
    const { run, as } = await begin();
    const about = { agent: "ann", task: null, request };
    await requestOversight(run, says(0.95), about);
    expect(await as({ task: "b", agent: "bob" })).toEqual(["deny", "vibecheck_risk"]);
    const note = (by: string) =>
      run.record([
        {
          event_type: "oversight_acknowledged",
          agent_id: null,
          task_id: null,
          details: { by, reason: "read it" },
        },
      ]);
    await expect(note("Ann ")).rejects.toFailWith("BYLAW_EVENT_REFUSED");
    await note("eve");
    expect(await as({ task: "b", agent: "bob" })).toEqual(["allow", "fallback"]);
  });

  it("does not take a failing service as low risk", async () => {
    const { call, see } = await begin({ every_calls: 2 });
    for (const broken of [
      says(1.1),
      says("0"),
      says(Number.NaN),
      { name: "x", ask: () => Promise.reject(new Error("gone")) },
      { name: "x", ask: () => new Promise(() => {}) },
    ]) {
      const { verdict, events } = await see(broken as OversightService, 20);
      expect([verdict, events[0]?.event_type]).toEqual([undefined, "oversight_failed"]);
    }
    expect(await call()).toEqual(["ask_user", "vibecheck_failed"]);
    await see(says(0.1));
    expect([await call(), await call(), await call()]).toEqual([
      ["allow", "fallback"],
      ["allow", "fallback"],
      ["deny", "vibecheck_due"],
    ]);
    await see(says(2));
    expect(await call()).toEqual(["deny", "vibecheck_failed"]);
    await see(says(0));
    expect(await call()).toEqual(["allow", "fallback"]);
  });

  it("turns prose into a verdict by its words, and silence into none", async () => {
    const { see } = await begin();
    const prose = (text: string) => see(proseOversight("model", () => Promise.resolve(text)));
    expect((await prose("This is over-engineered. Why not add them?")).verdict).toEqual({
      risk: 0.45,
      advice: "This is over-engineered. Why not add them?",
      traits: ["Complex Solution Bias"],
      uncertainties: ["Why not add them?"],
    });
    expect((await prose("  ")).verdict).toBeUndefined();
  });

  it("asks over HTTP, and follows no redirect", async () => {
    const bodies: string[] = [];
    const server = createServer((incoming, answer) => {
      let body = "";
      incoming.on("data", (chunk: unknown) => (body += String(chunk)));
      incoming.on("end", () => {
        bodies.push(body);
        if (incoming.url === "/moved") answer.writeHead(302, { location: "/ok" }).end();
        else if (incoming.url === "/broken") answer.writeHead(500).end("{}");
        else if (incoming.url === "/huge") answer.end(`"${"x".repeat(300_000)}"`);
        else if (incoming.url === "/prose") answer.end("looks fine to me");
        else if (incoming.url === "/odd") answer.end('{"risk": -5}');
        else
          answer
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ risk: 0.3, advice: "go on", traits: [], uncertainties: [] }));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { see } = await begin();
    try {
      expect((await see(httpOversight(`http://127.0.0.1:${port}/ok`))).verdict?.risk).toBe(0.3);
      expect(JSON.parse(bodies[0] ?? "")).toEqual(request);
      for (const path of ["moved", "broken"])
        expect(
          (await see(httpOversight(`http://127.0.0.1:${port}/${path}`))).verdict,
        ).toBeUndefined();
      for (const [path, why] of [
        ["huge", "The oversight answered with more than 262144 bytes"],
        ["prose", "The oversight did not answer with JSON"],
        ["odd", expect.stringContaining("The verdict cannot be used: `risk` must be at least 0")],
      ])
        expect(
          (await see(httpOversight(`http://127.0.0.1:${port}/${path}`))).events[0]?.details,
        ).toMatchObject({ error: why });
    } finally {
      server.close();
    }
  });

  it("waits no longer than its limit", async () => {
    const { run } = await begin();
    const never = { name: "never", ask: () => new Promise(() => {}) };
    const ended = requestOversight(run, never, {
      ...{ agent: "a", task: null, request, signal: AbortSignal.abort() },
    });
    expect((await ended).events[0]?.details).toMatchObject({ error: "The wait was ended" });
  });

  it.each(readCases<string>(import.meta, "refused-addresses"))(
    "accepts only the address of a web server, and repeats no secret in it: %s",
    (url) => {
      const refused = (): unknown => {
        try {
          return httpOversight(url);
        } catch (error) {
          return error;
        }
      };
      expect(refused()).toMatchObject({ code: "BYLAW_URL_INVALID" });
      expect(inspect(refused())).not.toContain("s3cret");
    },
  );

  it("does not load with an asking risk above the stopping risk", () => {
    expect(() => vibecheck({ ask_at: 0.9, stop_at: 0.5 })).toFailWith("BYLAW_OPTIONS_INVALID");
  });
});
