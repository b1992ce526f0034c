import { describe, expect, it } from "vitest";
import {
  defineProjection,
  isJsonObject,
  type EventDraft,
  type JsonObject,
  type KernelApi,
  type LogEvent,
  type Plugin,
} from "@bylaw/kernel";
import { pluginOf } from "@bylaw/testing";
import { createMemoryStore } from "../src/index.ts";
import { call, forged, voter } from "./kit.ts";
import {
  logOf,
  note,
  noted,
  open,
  sinkOf,
  takeOver,
  tool,
  typesOf,
  withSinks,
  permissive,
  takenOver,
} from "./run-kit.ts";

type Redactor = Parameters<KernelApi["redact"]>[0];

const SECRET = "hunter2";
const redacts = (name: string, redactor: Redactor): Plugin =>
  pluginOf(name, (kernel) => kernel.redact(redactor));
/** Replaces a word wherever it occurs in the details. */
const without =
  (word: string, by: string): Redactor =>
  ({ details }) =>
    JSON.parse(JSON.stringify(details).replaceAll(word, by)) as JsonObject;
/** Opens as usual, and applies the given redactor afterwards. */
const later =
  (redactor: Redactor): Redactor =>
  (event) =>
    event.event_type === "session_start" ? event.details : redactor(event);

describe("a redactor", () => {
  it("runs before projections, guards, sinks and the store, for every event", async () => {
    const store = createMemoryStore();
    const seen: Record<string, (EventDraft | LogEvent)[]> = { projection: [], guard: [], sink: [] };
    const spy = pluginOf("spy", (kernel) => {
      kernel.projection(
        defineProjection({
          name: "demo/spy",
          version: 1,
          initial: 0,
          reduce: (count, event) => (seen["projection"]?.push(event), count + 1),
        }),
      );
      kernel.guard("g", (_, event) => void seen["guard"]?.push(event));
    });
    const plugins = [
      spy,
      noted,
      redacts("r", without(SECRET, "***")),
      ...withSinks(sinkOf({ write: (events) => void seen["sink"]?.push(...events) })),
    ];
    const run = await takeOver(
      { plugins },
      { store, plan: { file: `${SECRET}.md`, total_tasks: 1 } },
    );
    const { events } = await run.toolCall(tool({ args: { token: SECRET } }));
    await run.transition({ task: "T1", to: "PLAN", artifacts: { key: SECRET } });
    await run.behave({ action: "loop", reason: SECRET });
    await run.respond({ text: SECRET, tool_calls: [{ tool: "t", args: { key: SECRET } }] });
    const result = await run.toolResult({
      id: "c1",
      tool: "read_file",
      ok: true,
      result: { content: SECRET },
    });
    await run.record([note(SECRET)]);
    await run.approve({ subject: call(), by: SECRET, expires_at: "2026-02-01T00:00:00Z" });
    const log = await logOf(store);
    expect(log).toHaveLength(8);
    expect(JSON.stringify([log, seen, events, result])).not.toContain(SECRET);
    expect(log[0]?.details).toEqual({ plan_file: "***.md", total_tasks: 1 });
    expect(log[1]?.details).toMatchObject({ args: { token: "***" } });
    expect(seen["sink"]).toEqual(log);
    expect(seen["guard"]).toEqual(log.map(({ sequence: _, hash: __, ...draft }) => draft));
    for (const event of log) expect(seen["projection"]).toContainEqual(event);
  });

  it("changes what is recorded, but not what was decided", async () => {
    const judged: unknown[] = [];
    const spy = voter(
      "spy",
      "beforeToolCall",
      (subject) => void judged.push(subject.hook === "beforeToolCall" ? subject.args : null),
    );
    const run = await takeOver({
      plugins: [spy, redacts("r", without(SECRET, "***")), ...permissive],
    });
    const { decision, applied, events } = await run.toolCall(
      tool({ tool: SECRET, args: { token: SECRET } }),
    );
    expect({ effect: decision.effect, applied }).toEqual({ effect: "allow", applied: "allow" });
    expect(judged).toEqual([{ token: SECRET }]);
    const refused = await run.toolCall(tool({ tool: `${SECRET}\n` }));
    expect(refused.decision).toMatchObject({ effect: "deny", code: "invalid_call" });
    expect(JSON.stringify([events, refused.events])).not.toContain(SECRET);
  });

  it("is followed by the next one, which sees its result", async () => {
    const store = createMemoryStore();
    const plugins = [
      noted,
      redacts("first", without("one", "two")),
      redacts("second", without("two", "three")),
    ];
    await (await takeOver({ plugins }, { store })).record([note("one")]);
    expect((await logOf(store))[1]?.details).toEqual({ text: "three" });
  });

  it("may read the whole event, but change only the details", async () => {
    const store = createMemoryStore();
    const seen: unknown[] = [];
    const nosy = later((event) => {
      seen.push(Object.keys(event));
      expect(() => Object.assign(event, { event_type: "tool_allowed" })).toThrow(TypeError);
      expect(() => Object.assign(event.details, { text: "forged" })).toThrow(TypeError);
      return forged({ ...event.details, more: true });
    });
    const plugins = [noted, redacts("nosy", nosy), redacts("nosier", nosy)];
    await (await takeOver({ plugins }, { store })).record([note("as it was")]);
    expect(await logOf(store)).toMatchObject([
      { event_type: "session_start" },
      { event_type: "note", details: { text: "as it was", more: true } },
    ]);
    expect(seen).toEqual(
      [1, 2].map(() => ["timestamp", "session_id", "event_type", "agent_id", "task_id", "details"]),
    );
  });

  it("cannot make an event invalid for `record`, which checks it before", async () => {
    const { store, run } = await takenOver({
      plugins: [
        noted,
        redacts(
          "r",
          later(() => ({ text: "fine" })),
        ),
      ],
    });
    await expect(run.record([note(7)])).rejects.toFailWith("BYLAW_EVENT_INVALID");
    expect(await typesOf(store)).toEqual(["session_start"]);
  });

  it.each<[string, Redactor]>([
    [
      "throws",
      () => {
        throw new Error("cannot redact");
      },
    ],
    ["returns nothing", () => forged(undefined)],
    ["returns text", () => forged("***")],
    ["returns a list", () => forged([])],
    ["returns null", () => forged(null)],
    ["returns a number that JSON cannot represent", () => ({ value: Number.NaN })],
    ["returns an object with a prototype", () => forged(new Map())],
    ["returns an object with a date", () => forged({ at: new Date(0) })],
    ["answers later", () => forged(Promise.resolve({}))],
    ["returns half a character", () => ({ text: "\ud800" })],
  ])("that %s denies every call, and nothing is written", async (_, redactor) => {
    const store = createMemoryStore();
    const told: LogEvent[] = [];
    const plugins = [
      noted,
      redacts("r", later(redactor)),
      ...withSinks(sinkOf({ write: (events) => void told.push(...events) })),
    ];
    const run = await takeOver({ plugins }, { store });
    for (const outcome of [
      await run.toolCall(tool({ args: { token: SECRET } })),
      await run.transition({ task: "T1", to: "PLAN", artifacts: {} }),
      await run.behave({ action: "loop" }),
      await run.respond({ text: "done" }),
    ]) {
      expect(outcome).toMatchObject({
        applied: "deny",
        decision: { effect: "deny", code: "engine_absent" },
        events: [],
      });
      expect(JSON.stringify(outcome)).not.toContain(SECRET);
    }
    await expect(run.record([note()])).rejects.toThrow();
    await expect(run.toolResult({ id: "c1", tool: "t", ok: true })).rejects.toThrow();
    await expect(
      run.approve({ subject: call(), by: "ada", expires_at: "2026-02-01T00:00:00Z" }),
    ).rejects.toThrow();
    expect(await typesOf(store)).toEqual(["session_start"]);
    expect(told).toHaveLength(1);
  });

  it("that throws for one of several events prevents all of them", async () => {
    const store = createMemoryStore();
    const picky: Redactor = ({ details }) => {
      if (details["text"] === "bad") throw new Error("cannot redact");
      return details;
    };
    const run = await takeOver({ plugins: [noted, redacts("r", picky)] }, { store });
    await expect(run.record([note("good"), note("bad")])).rejects.toThrow("cannot redact");
    expect(await typesOf(store)).toEqual(["session_start"]);
    await run.record([note("good")]);
    expect(await typesOf(store)).toEqual(["session_start", "note"]);
  });

  it("that throws at the opening fails it, and the sinks stay closed", async () => {
    const store = createMemoryStore();
    let closed = 0;
    const throws = redacts("r", () => {
      throw new Error("cannot redact");
    });
    const plugins = [
      throws,
      ...withSinks(sinkOf({ write: () => {}, close: () => void (closed += 1) })),
    ];
    await expect(takeOver({ plugins }, { store })).rejects.toThrow("cannot redact");
    expect(closed).toBe(1);
    expect(await logOf(store)).toEqual([]);
  });

  it("gives the same state to everyone who reads the log later", async () => {
    const store = createMemoryStore();
    const tokens = defineProjection<readonly unknown[]>({
      name: "demo/tokens",
      version: 1,
      initial: [],
      reduce: (state, { details: { args } }) =>
        isJsonObject(args) ? [...state, args["token"] ?? null] : state,
    });
    const config = {
      plugins: [
        pluginOf("tokens", (kernel) => kernel.projection(tokens)),
        redacts("r", without(SECRET, "***")),
        ...permissive,
      ],
    };
    const run = await open(config, { store });
    await run.toolCall(tool({ args: { token: SECRET } }));
    expect(run.view(tokens)).toEqual(["***"]);
    expect((await open(config, { store })).view(tokens)).toEqual(run.view(tokens));
  });

  it("that removes the approval from an event lets nobody use it twice", async () => {
    const forgets: Redactor = ({ details }) => {
      const { decision, ...rest } = details;
      return {
        ...rest,
        ...(isJsonObject(decision) ? { decision: { effect: decision["effect"] ?? null } } : {}),
      };
    };
    const run = await takeOver({ plugins: [redacts("r", forgets)] });
    const { hook: _, ...question } = call();
    await run.approve({ subject: call(), by: "ada", expires_at: "2026-02-01T00:00:00Z" });
    const outcomes = [await run.toolCall(question), await run.toolCall(question)];
    expect(outcomes.map(({ applied }) => applied)).toEqual(["allow", "deny"]);
  });
});
