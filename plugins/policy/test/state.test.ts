import {
  createKernel,
  defineProjection,
  defineRuleset,
  type Config,
  type Plugin,
  type ToolCall,
} from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { pluginOf, readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { policy } from "../src/index.ts";
import { call, refused, rule, run as shell } from "./kit.ts";

// The state of a team's own plugins: how often the agent was denied, and whether the last test run passed.
const denials = defineProjection({
  name: "@acme/denials",
  version: 1,
  initial: { count: 0 },
  reduce: (state, { event_type }) =>
    event_type === "tool_denied" ? { count: state.count + 1 } : state,
});
interface Tests {
  readonly passed: boolean;
  readonly running: readonly string[];
}
const tests = defineProjection<Tests>({
  name: "@acme/tests",
  version: 1,
  initial: { passed: false, running: [] },
  reduce(state, { event_type, details }) {
    const id = String(details["id"]);
    const { command } = (details["args"] ?? {}) as { readonly command?: string };
    if (event_type === "tool_allowed" && command === "npm test")
      return { ...state, running: [...state.running, id] };
    if (event_type === "tool_allowed" && details["tool"] === "write_file")
      return { ...state, passed: false };
    if (event_type !== "tool_result" || !state.running.includes(id)) return state;
    return {
      passed: details["ok"] === true,
      running: state.running.filter((other) => other !== id),
    };
  },
});
const rounds = defineProjection({
  name: "@acme/rounds",
  version: 1,
  initial: 0,
  reduce: (state) => state + 1,
});

const declares = (
  name: string,
  ...projections: readonly Parameters<typeof defineProjection>[0][]
): Plugin =>
  pluginOf(name, (kernel) => {
    for (const projection of projections) kernel.projection(projection as never);
  });
const memory = declares("@acme/plugin-memory", denials as never, tests as never, rounds as never);

const asks = (projection: string, path: string, operator: string, value: unknown): string =>
  `{ projection = "${projection}"${path === "" ? "" : `, path = "${path}"`}, operator = "${operator}", value = ${JSON.stringify(value)} }`;
const when = (group: "all" | "any" | "not", leaf: string): string =>
  `when = { ${group} = ${group === "not" ? leaf : `[${leaf}]`} }`;
const passed = asks("@acme/tests", "$.passed", "equal", true);
const work =
  rule("work", "allow", 'command = ["npm test", "git push *"]') +
  rule("edit", "allow", 'tool = "write_file"');

const configOf = (text: string, ...more: readonly Plugin[]): Config => ({
  plugins: [policy({ text }), memory, ...more],
});
const opened = (text: string): Promise<Run> => openRun(createKernel(configOf(text)), { run: "r1" });
const effectOf = async (run: Run, one: ToolCall): Promise<string> =>
  (await run.toolCall(one)).applied;

describe("in a run", () => {
  const push = shell("git push origin main");
  test("git push is denied until a result of npm test was recorded, and again after an edit", async () => {
    const text =
      work + rule("push-when-green", "deny", `command = "git push *"\n${when("not", passed)}`);
    const run = await opened(text);
    expect(await effectOf(run, push)).toBe("deny");
    await run.toolCall(shell("npm test", { id: "t1" }));
    expect(await effectOf(run, push)).toBe("deny");
    await run.toolResult({ id: "t1", tool: "run_shell_command", ok: false });
    expect(await effectOf(run, push)).toBe("deny");
    await run.toolCall(shell("npm test", { id: "t2" }));
    // A result of another call is no test result, whatever it says.
    await run.toolResult({ id: "other", tool: "run_shell_command", ok: true });
    expect(await effectOf(run, push)).toBe("deny");
    await run.toolResult({ id: "t2", tool: "run_shell_command", ok: true });
    expect(await effectOf(run, push)).toBe("allow");
    await run.toolCall(call("write_file", { path: "a", content: "" }, { id: "w1" }));
    expect(await effectOf(run, push)).toBe("deny");
  });
  test.each(readCases<string>(import.meta, "pushes"))("%s counts as a push too", async (line) => {
    const text = `default = "allow"\n${work}${rule("push-when-green", "deny", `command = "git push *"\n${when("not", passed)}`)}`;
    const run = await opened(text);
    expect((await run.toolCall(shell(line))).decision).toMatchObject({
      effect: "deny",
      rule: { name: "push-when-green" },
    });
  });
  test("everything is denied after three denied calls", async () => {
    const text = `${work}${rule("no-rm", "deny", 'command = "rm *"')}${rule("enough", "deny", when("all", asks("@acme/denials", "$.count", "greaterThanInclusive", 3)))}`;
    const run = await opened(text);
    for (let round = 0; round < 3; round += 1) {
      expect(await effectOf(run, push)).toBe("allow");
      expect((await run.toolCall(shell("rm -rf build"))).decision.rule?.name).toBe("no-rm");
    }
    expect((await run.toolCall(push)).decision).toMatchObject({
      effect: "deny",
      rule: { name: "enough" },
    });
  });
  test("an allow applies by what is recorded", async () => {
    const run = await opened(
      rule("push-when-green", "allow", `command = "git push *"\n${when("all", passed)}`) +
        rule("test", "allow", 'command = "npm test"'),
    );
    expect(await effectOf(run, push)).toBe("ask_user");
    await run.toolCall(shell("npm test", { id: "t1" }));
    await run.toolResult({ id: "t1", tool: "run_shell_command", ok: true });
    expect(await effectOf(run, push)).toBe("allow");
  });
  test("a new run is a run: its initial states satisfy an allow", async () => {
    const text = rule(
      "first",
      "allow",
      `tool = "t"\n${when("all", asks("@acme/denials", "$.count", "lessThan", 3))}`,
    );
    expect(await effectOf(await opened(text), call("t"))).toBe("allow");
  });
  test("a state that is a single value needs no path", async () => {
    const text =
      rule(
        "often",
        "deny",
        `tool = "t"\n${when("all", asks("@acme/rounds", "", "greaterThan", 2))}`,
      ) + rule("t", "allow", 'tool = "t"');
    const run = await opened(text);
    expect([
      await effectOf(run, call("t")),
      await effectOf(run, call("t")),
      await effectOf(run, call("t")),
    ]).toEqual(["allow", "allow", "deny"]);
  });
  test("a log that is opened again gives the same answer", async () => {
    const kernel = createKernel(
      configOf(
        work + rule("push-when-green", "deny", `command = "git push *"\n${when("not", passed)}`),
      ),
    );
    const { createMemoryStore } = await import("@bylaw/log");
    const store = createMemoryStore();
    const first = await openRun(kernel, { run: "r1", store });
    await first.toolCall(shell("npm test", { id: "t1" }));
    await first.toolResult({ id: "t1", tool: "run_shell_command", ok: true });
    await first.close();
    expect(await effectOf(await openRun(kernel, { run: "r1", store }), push)).toBe("allow");
    expect(await effectOf(await openRun(kernel, { run: "r2", store }), push)).toBe("deny");
  });
});

describe("the calls of the run, which the plugin itself counts", () => {
  const CALLS = "@bylaw/plugin-policy/calls";
  const opens = (text: string) =>
    openRun(createKernel({ plugins: [policy({ text })] }), { run: "r1" });
  test("stop an agent after three denied calls", async () => {
    const text = `${rule("t", "allow", 'tool = "t"')}${rule("u", "deny", 'tool = "u*"')}${rule("enough", "deny", when("all", asks(CALLS, "$.denied", "greaterThanInclusive", 3)))}`;
    const run = await opens(text);
    for (const name of ["u1", "u2", "u3"]) {
      expect(await effectOf(run, call("t"))).toBe("allow");
      expect(await effectOf(run, call(name))).toBe("deny");
    }
    expect((await run.toolCall(call("t"))).decision.rule?.name).toBe("enough");
  });
  test("limit a tool, whatever else is called before and whatever its spelling", async () => {
    const limit = (name: string): string =>
      rule("t", "allow", 'tool = "*"') +
      rule(
        "twice",
        "deny",
        `tool = "${name}"\n${when("all", asks(CALLS, `$.tools['${name}'].allowed`, "greaterThanInclusive", 2))}`,
      );
    for (const name of ["deploy", "__proto__", "constructor", "hasOwnProperty"]) {
      const run = await opens(limit(name));
      for (const other of ["a", "b", "toString"]) await run.toolCall(call(other));
      expect([
        await effectOf(run, call(name)),
        await effectOf(run, call(name)),
        await effectOf(run, call(name)),
      ]).toEqual(["allow", "allow", "deny"]);
    }
  });
  test("count results, and keep no name of a tool that did not run", async () => {
    const kernel = createKernel({
      plugins: [
        policy({
          text:
            rule("t", "allow", 'tool = "t"') +
            rule(
              "never",
              "deny",
              `tool = "x"\n${when("all", asks(CALLS, "$.failed", "lessThan", 0))}`,
            ),
        }),
      ],
    });
    const run = await openRun(kernel, { run: "r1" });
    await run.toolCall(call("t"));
    await run.toolCall(call("invented"));
    await run.toolResult({ id: "1", tool: "t", ok: true });
    await run.toolResult({ id: "2", tool: "t", ok: false });
    await run.toolResult({ id: "3", tool: "never_ran", ok: true });
    const [calls] = kernel.declared.projections;
    if (calls === undefined) throw new Error("nothing is declared");
    expect(run.view(calls)).toEqual({
      allowed: 1,
      asked: 1,
      denied: 0,
      succeeded: 2,
      failed: 1,
      tools: { t: { allowed: 1, succeeded: 1, failed: 1 } },
    });
  });
  test("are declared only if a condition asks about them", () => {
    const text = rule(
      "r",
      "deny",
      `tool = "t"\n${when("all", '{ fact = "agent", operator = "equal", value = "x" }')}`,
    );
    expect(createKernel({ plugins: [policy({ text })] }).declared.projections).toEqual([]);
  });
});

describe("without a run", () => {
  const t = call("t");
  test.each(readCases<[action: string, condition: string, effect: string]>(import.meta, "cases"))(
    "%s %s: %s",
    async (action, condition, effect) => {
      const text = rule("r", action, `tool = "t"\n${condition}`);
      const kernel = createKernel({
        ...configOf(text),
        fallback: effect === "ask_user" ? "allow" : "ask_user",
      });
      const decision = await kernel.decide(t);
      expect(decision.code === "fallback" ? "fallback" : decision.effect).toBe(effect);
      expect(await kernel.decide(t)).toMatchObject({
        effect: decision.effect,
        code: decision.code,
      });
    },
  );
  test("a host's view that cannot give the state denies", async () => {
    const kernel = createKernel(
      configOf(rule("r", "ask_user", `tool = "t"\n${when("not", passed)}`)),
    );
    const decision = await kernel.decide(t, () => {
      throw new Error("no such projection here");
    });
    expect(decision).toMatchObject({ effect: "deny", code: "check_failed" });
  });
});

test("a state is read only if the rest of the rule matches", async () => {
  const broken = defineProjection<object>({
    name: "@acme/broken",
    version: 1,
    initial: {},
    reduce: (state) => state,
  });
  const text =
    rule("r", "deny", `tool = "t"\n${when("all", asks("@acme/broken", "$.x", "equal", 1))}`) +
    rule("u", "allow", 'tool = "u"');
  const kernel = createKernel({
    plugins: [policy({ text }), declares("@acme/plugin-broken", broken as never)],
  });
  let asked = 0;
  const view = (): never => {
    asked += 1;
    throw new Error("asked");
  };
  expect((await kernel.decide(call("u"), view)).effect).toBe("allow");
  expect(asked).toBe(0);
  expect((await kernel.decide(call("t"), view)).code).toBe("check_failed");
  expect(asked).toBeGreaterThan(0);
});

test.each(["$.constructor.name", "$['__proto__'].x", "$.toString.name", "$.length"])(
  "%s matches nothing in a state",
  async (path) => {
    const run = await opened(
      rule(
        "r",
        "allow",
        `tool = "t"\n${when("all", asks("@acme/tests", path, "notEqual", "never"))}`,
      ) +
        rule("s", "deny", `tool = "u"\n${when("all", asks("@acme/rounds", path, "notEqual", 77))}`),
    );
    expect(await effectOf(run, call("t"))).toBe("ask_user");
    // A state that is a single value has nothing below it, so the path must not fall back to the value itself.
    expect(await effectOf(run, call("u"))).toBe("deny");
    const other = await opened(
      rule("s", "deny", `tool = "u"\n${when("all", asks("@acme/rounds", path, "equal", 0))}`),
    );
    expect(await effectOf(other, call("u"))).toBe("ask_user");
  },
);

test("explain shows which rule asked and what it read", async () => {
  const text = rule(
    "r",
    "deny",
    `tool = "t"\n${when("all", `${asks("@acme/denials", "$.count", "greaterThan", 3)}, ${asks("@acme/rounds", "", "lessThan", 9)}`)}`,
  );
  const { taps } = await createKernel(configOf(text)).explain(call("t"));
  expect(taps[0]?.because).toMatchObject([
    {
      name: "r",
      matched: false,
      failed: "when",
      states: { "@acme/denials $.count": 0, "@acme/rounds $": 0 },
    },
  ]);
});

describe("a projection that no plugin declares keeps the kernel from being created", () => {
  const text = `\n${rule("r", "deny", `tool = "t"\n${when("not", asks("@acme/test", "$.passed", "equal", true))}`)}`;
  test("with the place of the rule and the known names", () => {
    const error = refused(() => createKernel(configOf(text)));
    expect(error).toMatchObject({
      code: "BYLAW_POLICY_INVALID",
      source: { file: "inline policy", line: 2 },
    });
    expect(error.message).toContain(
      "`r` asks about the projection `@acme/test`, which no plugin declares",
    );
    expect(error.fix).toContain("`@acme/tests`");
  });
  test("whatever the order of plugins", () => {
    const good = text.replace("@acme/test", "@acme/tests");
    expect(() => createKernel({ plugins: [memory, policy({ text: good })] })).not.toThrow();
    expect(() => createKernel({ plugins: [policy({ text: good }), memory] })).not.toThrow();
    expect(refused(() => createKernel({ plugins: [policy({ text: good })] })).fix).toContain(
      "none is declared",
    );
  });
  test("also if two plugins declare the name", () => {
    const twin = defineProjection({ ...tests, initial: { passed: true, running: [] } });
    expect(
      refused(() =>
        createKernel(
          configOf(
            text.replace("@acme/test", "@acme/tests"),
            declares("@acme/plugin-twin", twin as never),
          ),
        ),
      ).message,
    ).toContain("`@acme/tests`, which two plugins declare");
  });
});

test.each(readCases<[string, string]>(import.meta, "refused"))("%s is refused", (leaf, message) => {
  expect(
    refused(() => createKernel(configOf(rule("r", "deny", when("all", leaf))))).message,
  ).toMatch(new RegExp(message));
});

test("a rule that was dropped asks for nothing", () => {
  const text = rule("r", "deny", when("all", asks("@acme/none", "$.x", "equal", 1)));
  const base = defineRuleset({ name: "@acme/ruleset", plugins: [policy({ text })] });
  expect(refused(() => createKernel({ extends: [base] })).message).toContain("`@acme/none`");
  expect(
    createKernel({ extends: [base], without: ["@bylaw/plugin-policy/r"] }).decide(call("t")),
  ).toMatchObject({ code: "fallback" });
});
