import { allow, ask, createKernel, defineCheck, definePlugin, deny } from "@bylaw/kernel";
import { createMemoryStore, openRun, type Run } from "@bylaw/log";
import { expect, it } from "vitest";
import { z } from "zod";
import { createToolGuard, type GuardedCall, type ToolGuardOptions } from "../src/index.ts";

let faulty = false;
const rules = (strict: boolean) =>
  definePlugin({
    name: "rules",
    version: strict ? "2.0.0" : "1.0.0",
    options: z.strictObject({}).prefault({}),
    grants: true,
    codes: { phase_tool_not_allowed: "the phase does not name the tool" },
    apply({ hooks }) {
      hooks.beforeToolCall.tap("calls", ({ tool, args, phase }) => {
        if (faulty) throw new Error("down");
        if (tool === "deploy" && phase === "PLAN")
          return deny("The phase PLAN allows `read`.", undefined, {
            code: "phase_tool_not_allowed",
          });
        if (tool === "delete") return deny("Nothing is deleted.", "Move it instead");
        if (tool === "deploy") return ask(strict ? "Two people must agree." : "This deploys.");
        return tool === "read" && !("secret" in args) ? allow("Reading is free.") : undefined;
      });
      hooks.onTransition.tap("all", () => allow("All phases may be entered."));
      hooks.onEnforcement.tap("tests", ({ text = "" }) =>
        text.includes("tests pass") ? undefined : deny("The tests were not run.", "Run them"),
      );
    },
  })();

const openGuard = async ({
  store = createMemoryStore(),
  strict = false,
  ...options
}: Partial<ToolGuardOptions> & {
  store?: ReturnType<typeof createMemoryStore>;
  strict?: boolean;
} = {}) => {
  const kernel = createKernel({ plugins: [rules(strict)], fallback: "deny" });
  const run = await openRun(kernel, { run: "r", store, join: true });
  const guard = createToolGuard({ kernel, run, host: "test", agent: "bot", ...options });
  return { run, store, guard };
};
const deploy = (to: string, id = "c1"): GuardedCall => ({ tool: "deploy", args: { to }, id });
const types = async ({ run }: { run: Run }, store: ReturnType<typeof createMemoryStore>) =>
  (await store.events(run.run, 0, 100)).map(({ event_type }) => event_type);

it("runs an allowed call with a copy of the judged arguments, and records how it ended", async () => {
  const { run, store, guard } = await openGuard();
  const args = { path: "a", more: undefined };
  const got = await guard.run({ tool: "read", args, id: "1" }, (given) => given);
  expect(got).toEqual({ path: "a" });
  await expect(
    guard.run({ tool: "read", args, id: "2" }, () => {
      throw new Error("no such file");
    }),
  ).rejects.toThrow("no such file");
  await guard.run({ tool: "read", args, id: "3" }, () => ({ exit_code: 4, stdout: "KEY=1" }));
  const results = (await store.events(run.run, 0, 100)).filter(
    ({ event_type }) => event_type === "tool_result",
  );
  expect(results.map(({ details: { id, ok, result } }) => [id, ok, result])).toEqual([
    ["1", true, null],
    ["2", false, null],
    ["3", true, { exit_code: 4 }],
  ]);
});

it("denies with a reason that the model can act on", async () => {
  const { guard } = await openGuard();
  expect(await guard.judge({ tool: "delete", args: {} })).toEqual({
    kind: "deny",
    reason: "Nothing is deleted. Move it instead.",
  });
  await expect(guard.run({ tool: "delete", args: {} }, () => "gone")).rejects.toMatchObject({
    code: "BYLAW_TOOL_REFUSED",
    message: "Nothing is deleted. Move it instead.",
  });
});

it("follows the fallback of the configuration if no rule covers a call", async () => {
  const { guard } = await openGuard();
  expect(await guard.judge({ tool: "other", args: {} })).toMatchObject({ kind: "deny" });
});

it.each([
  ["a class", { at: new Date(0) }],
  ["a list", ["a"]],
  ["a key that other readers see otherwise", JSON.parse('{"__proto__":{}}') as object],
  ["a promise", Promise.resolve({})],
  ["nothing", undefined],
])("denies arguments that are %s", async (_, args) => {
  const { guard } = await openGuard();
  expect(await guard.judge({ tool: "read", args })).toMatchObject({ kind: "deny" });
});

it("denies a call that cannot be judged or recorded", async () => {
  const { guard, run } = await openGuard();
  faulty = true;
  const judged = await guard.judge({ tool: "read", args: {} });
  faulty = false;
  expect(judged).toMatchObject({ kind: "deny" });
  await run.close();
  expect(await guard.start({ tool: "read", args: {} })).toMatchObject({ kind: "deny" });
  expect(await guard.answer(deploy("prod"), { approved: true })).toMatchObject({ kind: "deny" });
  expect(await guard.respond({ text: "The tests pass" })).toMatchObject({ kind: "end" });
});

it("answers a call with the same id once, and another call with that id separately", async () => {
  const { run, store, guard } = await openGuard();
  const call = { tool: "read", args: {}, id: "1" };
  await Promise.all([guard.judge(call), guard.judge(call), guard.start(call)]);
  expect(await types({ run }, store)).toEqual(["session_start", "tool_allowed"]);
  expect(await guard.judge({ ...call, tool: "delete" })).toMatchObject({ kind: "deny" });
  expect(await guard.judge({ ...call, args: { secret: 1 } })).toMatchObject({ kind: "deny" });
});

it("drops the permission when a call ends, so that it does not start again", async () => {
  const { guard } = await openGuard();
  await guard.judge(deploy("prod"));
  await guard.answer(deploy("prod"), { approved: true });
  await guard.finish(deploy("prod"), { ok: true });
  expect(await guard.start(deploy("prod"))).toMatchObject({ kind: "ask" });
});

it("asks with one question id, and lets the approved call start once, also in another process", async () => {
  const first = await openGuard();
  const asked = await first.guard.judge(deploy("prod"));
  expect(asked).toMatchObject({ kind: "ask", reason: "This deploys." });
  expect(await first.guard.judge(deploy("prod"))).toEqual(asked);
  await expect(first.guard.run(deploy("prod"), () => "out")).rejects.toThrow(
    /^This deploys\. A person must approve this call first \(question `[\da-f]{16}`\)\.$/,
  );
  const { guard } = await openGuard({ store: first.store });
  const yes = { approved: true, by: "ada" };
  expect(await guard.answer(deploy("prod"), yes)).toEqual({ kind: "run", args: { to: "prod" } });
  const starts = await Promise.all([guard.start(deploy("prod")), guard.start(deploy("prod"))]);
  expect(starts.map(({ kind }) => kind)).toEqual(["run", "ask"]);
  expect(await guard.answer(deploy("prod"), yes)).toEqual({
    kind: "deny",
    reason: "This question was answered before, or nobody asked it.",
  });
  expect(await first.guard.answer(deploy("prod"), yes)).toMatchObject({ kind: "deny" });
  const events = await first.store.events("r", 0, 100);
  const granted = events.find(({ event_type }) => event_type === "approval_granted");
  expect(granted?.details["by"]).toBe("ada");
});

it("lets a call start once if the same approval arrives twice at the same time", async () => {
  const yes = { approved: true, by: "ada" };
  const { guard } = await openGuard();
  await guard.judge(deploy("prod"));
  const starts = await Promise.all([
    guard.start(deploy("prod"), yes),
    guard.start(deploy("prod"), yes),
  ]);
  expect(starts.map(({ kind }) => kind).sort()).toEqual(["deny", "run"]);
  await guard.judge(deploy("prod", "c2"));
  const answers = await Promise.all([
    guard.answer(deploy("prod", "c2"), yes),
    guard.answer(deploy("prod", "c2"), yes),
  ]);
  expect(answers.map(({ kind }) => kind).sort()).toEqual(["deny", "run"]);
  expect((await guard.start(deploy("prod", "c2"))).kind).toBe("run");
  expect((await guard.start(deploy("prod", "c2"))).kind).toBe("ask");
});

it("refuses an approval for other arguments, or for another id, agent, conversation or policy", async () => {
  const { guard, store } = await openGuard();
  await guard.judge(deploy("test"));
  const yes = { approved: true, by: "ada" };
  for (const other of [
    deploy("prod"),
    deploy("test", "c2"),
    { ...deploy("test"), agent: "eve" },
    { ...deploy("test"), session: "s2" },
    { ...deploy("test"), server: "mcp" },
  ]) {
    // Neither the second time: the first answer must not create a question for the second one.
    expect(await guard.answer(other, yes)).toMatchObject({ kind: "ask" });
    expect((await guard.answer(other, yes)).kind).toBe("deny");
    expect(await guard.start(other)).toMatchObject({ kind: "ask" });
  }
  const later = await openGuard({ store, strict: true });
  expect(await later.guard.answer(deploy("test"), yes)).toMatchObject({
    kind: "ask",
    reason: "Two people must agree.",
  });
  expect(await guard.answer({ tool: "delete", args: {}, id: "c1" }, yes)).toMatchObject({
    kind: "deny",
  });
});

it("records a refusal, after which an approval has no effect", async () => {
  const { guard, run, store } = await openGuard();
  await guard.judge(deploy("prod"));
  const no = { approved: false, by: "ada", reason: "Not on a Friday" };
  expect(await guard.answer(deploy("prod"), no)).toEqual({
    kind: "deny",
    reason: "A person (ada) refused this call: Not on a Friday",
  });
  expect(await guard.answer(deploy("prod"), { approved: true })).toMatchObject({ kind: "deny" });
  expect(await types({ run }, store)).toContain("approval_refused");
  expect(await types({ run }, store)).not.toContain("tool_allowed");
});

it("denies instead of asking if nobody is there", async () => {
  const { guard } = await openGuard({ interactive: false });
  expect(await guard.judge(deploy("prod"))).toMatchObject({ kind: "deny" });
  expect(await guard.answer(deploy("prod"), { approved: true })).toMatchObject({ kind: "deny" });
});

it("applies the phase in the log to calls and to lists of tools", async () => {
  const { guard, run } = await openGuard({ task: "t1" });
  const to = async (phase: string) => run.transition({ task: "t1", to: phase, artifacts: {} });
  await to("IMPL");
  expect(await guard.allowedTools(["read", "deploy"])).toEqual(["read", "deploy"]);
  await guard.judge(deploy("prod"));
  await guard.answer(deploy("prod"), { approved: true });
  await to("PLAN");
  expect(await guard.allowedTools(["read", "deploy"])).toEqual(["read"]);
  expect(await guard.start(deploy("prod"))).toMatchObject({ kind: "deny" });
});

it("judges finished responses until the attempts are used up", async () => {
  const { guard } = await openGuard();
  const done = { text: "Done" };
  const retry = { kind: "retry", message: "The tests were not run. Run them." };
  expect([await guard.respond(done), await guard.respond(done)]).toEqual([retry, retry]);
  expect(await guard.respond(done)).toEqual({ ...retry, kind: "end" });
  const { guard: other } = await openGuard();
  expect(await other.respond({ text: "All tests pass" })).toEqual({ kind: "accepted" });
});

it("reads a check that names no plugin of its own", async () => {
  const kernel = createKernel({
    plugins: [
      defineCheck({
        name: "paths",
        hook: "beforeToolCall",
        args: z.object({ path: z.string() }),
        check: () => deny("Not this path."),
      }),
    ],
  });
  const guard = createToolGuard({ kernel, run: await openRun(kernel, { run: "r" }), host: "test" });
  expect(await guard.allowedTools(["read"])).toEqual(["read"]);
});
