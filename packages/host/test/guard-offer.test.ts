import { allow, ask, createKernel, definePlugin, deny, type JsonObject } from "@bylaw/kernel";
import { createMemoryStore, openRun } from "@bylaw/log";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { checkOffered, createToolGuard, type GuardedCall } from "../src/index.ts";

/** The paths that the rules allow. They change in the middle of some tests. */
let free: ReadonlySet<string>;
/** `deny>PATH` and `ask>PATH` are offered as PATH, `asked` needs a person, and about other paths there is no rule. */
const rules = definePlugin({
  name: "rules",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  grants: true,
  apply({ hooks }) {
    hooks.beforeToolCall.tap("paths", ({ args }) => {
      const { path = "" } = args as { readonly path?: string };
      const [, effect, offered = ""] = /^(deny|ask)>(.+)$/.exec(path) ?? [];
      const details = { instead: { path: offered } };
      if (effect === "deny") return deny("Not this file.", undefined, details);
      if (effect === "ask") return ask("A person has to see this.", undefined, details);
      if (path === "secret") return deny("It is secret.");
      if (path === "asked") return ask("A person has to see this too.");
      return free.has(path) ? allow("Free.") : undefined;
    });
  },
});
/** Takes what was offered out of the log. */
const redactor = definePlugin({
  name: "redactor",
  version: "1.0.0",
  options: z.strictObject({}).prefault({}),
  apply(kernel) {
    kernel.redact(({ details }) => {
      const { decision } = details as { readonly decision?: JsonObject };
      if (decision?.["instead"] === undefined) return details;
      const instead = { path: { redacted: "sha256:0" } };
      return { ...details, decision: { ...decision, instead }, redacted: ["decision.instead"] };
    });
  },
});

type Setup = Parameters<typeof createKernel>[0] & { store?: ReturnType<typeof createMemoryStore> };
async function openGuard({ store = createMemoryStore(), ...config }: Setup = {}) {
  free = new Set(["free"]);
  const kernel = createKernel({ plugins: [rules()], fallback: "ask_user", ...config });
  const run = await openRun(kernel, { run: "r", store, join: true });
  const guard = createToolGuard({ kernel, run, host: "test", agent: "bot" });
  const record = async () =>
    (await store.events("r", 1, 100)).map(({ event_type, details: { id, args = null } }) => {
      const { path = "" } = (args ?? {}) as { readonly path?: string };
      return `${event_type} ${String(id)} ${path}`.trim();
    });
  return { guard, run, store, record };
}
const write = (path: string, id = "c1"): GuardedCall => ({ tool: "write", args: { path }, id });
const YES = { approved: true, by: "ada" };

describe("a call for which a rule offers other arguments", () => {
  it.each(["deny", "ask"])("runs with them if a rule allows that: %s", async (effect) => {
    const { guard, record } = await openGuard();
    const call = { ...write(`${effect}>free`), args: { path: `${effect}>free`, mode: 1 } };
    const judged = await guard.judge(call);
    expect(judged).toMatchObject({ kind: "run", args: { path: "free", mode: 1 } });
    expect(judged).toHaveProperty("changed", expect.stringContaining("Use `free` instead."));
    const ran: unknown[] = [];
    await guard.run(call, (args, changed) => ran.push(args, changed !== undefined));
    expect(ran).toEqual([{ path: "free", mode: 1 }, true]);
    expect(await record()).toEqual([
      `${effect === "deny" ? "tool_denied" : "tool_asked"} c1 ${effect}>free`,
      ...["tool_allowed c1 free", "tool_result c1"],
    ]);
  });

  it("runs with them also if nobody judged it before it starts", async () => {
    const { guard } = await openGuard();
    expect(await guard.run(write("deny>free"), ({ path }) => path)).toBe("free");
  });

  it("starts once, with one answer", async () => {
    const { guard, record } = await openGuard();
    await guard.judge(write("deny>free"));
    await Promise.all([guard.start(write("deny>free")), guard.start(write("deny>free"))]);
    const offered = (await record()).filter((line) => line === "tool_allowed c1 free");
    expect(offered).toHaveLength(2);
  });

  it.each([
    ["deny>secret", "deny", /^Not this file\.$/],
    ["deny>asked", "deny", /Use `asked` instead/],
    ["deny>uncovered", "deny", /Use `uncovered` instead/],
    ["deny>deny>free", "deny", /^Not this file\.$/],
    ["ask>secret", "ask", /^A person has to see this\.$/],
    ["ask>asked", "ask", /Use `asked` instead/],
    ["ask>uncovered", "ask", /Use `uncovered` instead/],
    ["ask>ask>free", "ask", /Use/],
  ])("does not run if no rule allows them, nor what they offer: %s", async (path, kind, reason) => {
    for (const fallback of ["ask_user", "allow"] as const) {
      const { guard, record } = await openGuard({ fallback });
      const expected = { kind, reason: expect.stringMatching(reason) as unknown };
      expect(await guard.judge(write(path))).toMatchObject(expected);
      // What does not run is not on record as allowed, nor as a question that a person could answer.
      expect((await record())[1]).toBe(`tool_denied c1 ${path.slice(path.indexOf(">") + 1)}`);
      expect((await guard.start(write(path))).kind).toBe(kind);
    }
  });

  it("does not run if only an approval mode lets them through", async () => {
    const { guard } = await openGuard({ approval_mode: "yolo" });
    expect((await guard.judge(write("deny>uncovered"))).kind).toBe("deny");
  });

  it("is let through as it is outside of strict mode", async () => {
    const { guard, record } = await openGuard({ enforcement_mode: "permissive" });
    expect(await guard.judge(write("deny>free"))).toEqual({
      kind: "run",
      args: { path: "deny>free" },
    });
    expect(await record()).toEqual(["tool_allowed c1 deny>free"]);
  });

  it("is judged anew in another process, and asked about under the same id", async () => {
    const { guard, store, record } = await openGuard();
    await guard.judge(write("ask>free"));
    const later = await openGuard({ store });
    expect(await later.guard.judge(write("ask>free"))).toMatchObject({ args: { path: "free" } });
    free = new Set();
    const last = await openGuard({ store });
    free = new Set();
    expect((await last.guard.judge(write("ask>free"))).kind).toBe("deny");
    expect(await record()).toEqual([
      ...["tool_asked c1 ask>free", "tool_allowed c1 free"],
      ...["tool_allowed c1 free", "tool_denied c1 free"],
    ]);
  });
});

describe("a person's answer", () => {
  it("to a question that nobody saw lets nothing run, in any process", async () => {
    const { guard, store, record } = await openGuard();
    await guard.judge(write("ask>free"));
    const later = await openGuard({ store });
    for (const { answer, start } of [guard, later.guard])
      for (const path of ["ask>free", "ask>free"]) {
        const refused = {
          kind: "deny",
          reason: expect.stringContaining("nobody asked it") as unknown,
        };
        expect(await answer(write(path), YES)).toMatchObject(refused);
        expect(await start(write(path), YES)).toMatchObject(refused);
      }
    expect(await record()).toEqual(["tool_asked c1 ask>free", "tool_allowed c1 free"]);
  });

  it("lets exactly the call run that the person saw", async () => {
    for (const [path, offered] of [
      ["ask>asked", "asked"],
      ["ask>secret", "secret"],
    ] as const) {
      const { guard } = await openGuard();
      expect((await guard.judge(write(path))).kind).toBe("ask");
      for (const _ of [1, 2])
        expect((await guard.answer(write(offered), YES)).kind).not.toBe("run");
      expect(await guard.answer(write(path), YES)).toEqual({ kind: "run", args: { path } });
      expect(await guard.start(write(path))).toEqual({ kind: "run", args: { path } });
      expect((await guard.start(write(path))).kind).toBe("ask");
    }
  });

  it("counts for the call that the person saw, even if a rule allows the other one meanwhile", async () => {
    const { guard, store } = await openGuard();
    const asked = await guard.judge(write("ask>later"));
    const later = await openGuard({ store });
    free = new Set(["later"]);
    expect(await later.guard.judge(write("ask>later"))).toEqual(asked);
    expect(await later.guard.start(write("ask>later"), YES)).toMatchObject({
      args: { path: "ask>later" },
    });
  });

  it("that comes with a call keeps any other call from running", async () => {
    const { guard } = await openGuard();
    for (const answered of [YES, { approved: false }]) {
      expect((await guard.start(write("deny>free"), answered)).kind).toBe("deny");
      await guard.judge(write("deny>free"));
      expect((await guard.start(write("deny>free"), answered)).kind).toBe("deny");
    }
  });

  it("has no effect if the log no longer tells what was offered", async () => {
    for (const path of ["ask>free", "ask>asked"]) {
      const plugins = [rules(), redactor()];
      const { guard, store, record } = await openGuard({ plugins });
      await guard.judge(write(path));
      const later = await openGuard({ plugins, store });
      expect((await later.guard.judge(write(path))).kind).toBe("deny");
      expect((await later.guard.start(write(path), YES)).kind).toBe("deny");
      expect(await record()).toHaveLength(2);
    }
  });
});

describe("checkOffered", () => {
  it("accepts arguments that the tool takes as they are", async () => {
    const schema = z.object({ path: z.string() });
    await checkOffered({ path: "a" }, (args) => schema.parse(args));
    await checkOffered({ path: "a" }, (args) => schema.parseAsync(args));
  });

  it.each([
    ["refuses", z.object({ path: z.number() }), /^The tool does not accept the arguments/],
    ["completes", z.object({ path: z.string(), mode: z.string().default("w") }), /would change/],
    ["strips", z.object({}), /would change/],
    ["converts", z.object({ path: z.string().transform(() => new Date(0)) }), /./],
  ])("refuses arguments that the tool %s", async (_, schema, message) => {
    await expect(checkOffered({ path: "a" }, (args) => schema.parse(args))).rejects.toMatchObject({
      code: "BYLAW_TOOL_REFUSED",
      message: expect.stringMatching(message) as unknown,
    });
  });
});
