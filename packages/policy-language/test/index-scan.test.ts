import * as fc from "fast-check";
import type { ToolCall } from "@bylaw/kernel";
import { expect, test } from "vitest";
import { compilePolicy, parsePolicy } from "../src/index.ts";
import { toml, type RuleData } from "./toml.ts";

const pick = <T>(...items: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...items);

const localTools = pick(
  "read_file",
  "write_file",
  "http_request",
  "read_*",
  "*_file",
  "read_file|grep",
  "{read,write}_file",
  "*",
);
const mcpTools = pick(
  "mcp__git__*",
  "mcp__git__hub__get",
  "mcp_*",
  "mcp__*__get",
  "mcp_git_*",
  "get",
  "*get*",
  "mcp__gi?__get",
);
const shellTools = pick("run_shell_command", "bash", "{bash,run_shell_command}", "run_*");

const condition = fc.oneof(
  fc.record({ eq: pick<string | number | boolean>("GET", "a", "1", "true", 1, true) }),
  fc.record({ in: pick<readonly (string | number)[]>(["GET", "POST"], ["x", "1"], [2, 1], ["a"]) }),
  fc.record({ regex: pick("GET", "/proj/p1/.*", "(a|b)", "p.*", "[a-z]+", "a\\d*", "n.*", "1.*") }),
  fc.record({ glob: pick<string | readonly string[]>("G*", "*T", ["x*", "a*"], "/proj/*", "t*") }),
  fc.record({ url_prefix: pick("https://a.example/v1/", "https://a.example") }),
  fc.record({ min: fc.integer({ min: 0, max: 2 }) }),
  fc.record({ exists: fc.boolean() }),
  fc.record({ type: pick("string", "number", "object", "array", "null") }),
  fc.record({ not: fc.record({ eq: pick("GET", "a") }) }),
);
const conditions = fc.dictionary(pick("method", "path", "a.b", "n"), condition, {
  minKeys: 1,
  maxKeys: 2,
});

// A rule has at most two of them: with many conditions it would match no call, and none would be put to the test.
const common = fc
  .array(
    fc.oneof(
      fc.record({ priority: pick("admin", "user", "workspace", "default") }),
      fc.record({ agent: pick<string | readonly string[]>("dev", ["dev", "ops"], ["dev", "re*"]) }),
      fc.record({
        phase: pick<string | readonly string[]>("PLAN", ["PLAN", "REVIEW"], ["X", "R*"]),
      }),
      fc.record({ modes: pick<readonly string[]>(["ask"], ["yolo", "autoEdit"]) }),
      fc.record({ interactive: fc.boolean() }),
      fc.record({ shadow: pick(true) }),
      fc.record({ args: conditions }),
    ),
    { maxLength: 2 },
  )
  .map((parts) => Object.assign({}, ...parts) as RuleData);

const effects = fc.uniqueArray(
  pick(
    "reads",
    "writes",
    "writes-outside",
    "runs-outside",
    "deletes",
    "delete-below",
    "network",
    "escalates",
    "pushes",
    "runs-command",
  ),
  { minLength: 1, maxLength: 5 },
);

const kind: fc.Arbitrary<object> = fc.oneof(
  fc.record({ tool: localTools }),
  fc.record({ tool: mcpTools }),
  fc.record({ server: pick("git", "g*", "git|hub"), tool: pick("get", "*", "g*") }),
  fc.record({ server: pick("git", "hub") }),
  fc.record({
    server: pick("git", "git_", "_git", "git__hub", "git_hub"),
    tool: pick("get", "_get", "hub_get", "hub__get", "ge*", "*t"),
  }),
  fc.record({
    tool: shellTools,
    command: pick<string | readonly string[]>(
      "git status *",
      ["rm -rf *", "ls"],
      ["cat x", "*"],
      "git *",
      "*",
      "g* log",
      "rm",
    ),
  }),
  fc.record({ command: pick("rm -rf *", "GIT push *", "/usr/bin/git *") }),
  fc.record({
    command_regex: pick(
      "git (status|log)( .*)?",
      "(rm|sudo)( .*)?",
      "gi.*",
      "Gi.*",
      "rm -rf .*",
      ".*-rf.*",
    ),
  }),
  fc.record({
    paths: pick<string | object>(
      "src/**",
      "/w/*",
      "**/.env",
      "~/.ssh/**",
      { write: "src/**" },
      { read: ["**"] },
    ),
  }),
  fc.record({
    tool: pick("read_file", "write_file", "*"),
    paths: pick("src/**", "/w/**", "/etc/**", "**/.env"),
  }),
  fc.record({ pattern: pick("read_*", "rm -rf *", "git status") }),
  fc.record({
    tool: pick("http_request"),
    network: pick<string | readonly string[]>("*.example", ["a.example", "b.example"]),
  }),
  fc.record({ network: pick<string | readonly string[]>("*.example", ["a.example", "b.example"]) }),
  fc.record({
    command: pick("curl *", "cat *", "ls *", "*"),
    paths: pick<string | object>("/w/**", "**", "/etc/**", { read: "/**" }),
  }),
  fc.record({
    command: pick("sudo *", "rm *", "rm -r", "git push --force *", "[rg]* *", "frobnicate *"),
  }),
  fc.record({ effects }),
  fc.record({ effects, tool: shellTools }),
  fc.record({ effects, paths: pick("/w/**", "src/**", "**/.env") }),
  fc.record({ effects, command: pick("git *", "rm *", "cat *") }),
  fc.record({ effects, network: pick("*.example", "a.example") }),
  fc.record({
    command_regex: pick("git status", "rm -r[f ].*", "git .*push", "(cat|ls) .*\\.env", "[a-z]+"),
  }),
);

// The names that the rules of a policy get.
const overrides = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  fc.constant(Array.from({ length: 12 }, (_, at) => `r${at}`)),
  fc.uniqueArray(pick("r0", "r1", "r2", "r3", "r4"), { minLength: 1 }),
);

const rule: fc.Arbitrary<RuleData> = fc
  .tuple(kind, common, pick("allow", "deny", "ask_user"), fc.boolean(), overrides)
  .map(([what, rest, action, final, named]) => ({
    ...what,
    ...(action === "allow" && "tool" in what && what.tool === "mcp__git__hub__get"
      ? { server: "git*" }
      : {}),
    ...rest,
    action,
    ...(final && action !== "allow" ? { final } : {}),
    ...(named.length > 0 && action === "allow" ? { overrides: named } : {}),
  }));

const policy = fc.record({
  // Of many rules, one mostly hides what became of the others.
  rules: fc
    .oneof(fc.array(rule, { maxLength: 3 }), fc.array(rule, { maxLength: 12, size: "max" }))
    .map((rules) => rules.map((one, at): RuleData => ({ name: `r${at}`, ...one }))),
  default: fc.option(pick("allow", "ask_user", "deny"), { nil: undefined }),
});

const argument = fc.oneof(
  pick<string | number | boolean | null>(
    "GET",
    "POST",
    "a",
    "b",
    "a1",
    "/proj/p1/x",
    "https://a.example/v1/x",
    "https://b.example/",
    0,
    1,
    2,
    true,
    null,
  ),
  fc.constant(["GET"]),
  fc.constant({ b: "a" }),
  fc.constant({ b: 1 }),
);
const path = pick<unknown>(
  "src/a",
  "/w/src/a",
  "/w/x",
  "/etc/passwd",
  "../etc/passwd",
  "/w/.env",
  "~/.ssh/id",
  "$HOME/x",
  "",
  3,
  "~root/x",
);
const word = pick(
  "-rf",
  "-f",
  "-r",
  "x",
  "push",
  "status",
  "src/a",
  "/etc/passwd",
  "~/.ssh/id",
  ".env",
  "src/*",
  ".e*",
  "~/.s*/id",
  "*",
  "$X",
  '"$X"',
  '"src/$X"',
  "-${X}f",
  "$(id)",
  "--",
  "https://a.example/v1",
  "'git status'",
);
const program = pick(
  "git",
  "Git",
  "rm",
  "/usr/bin/rm",
  "./git",
  "cat",
  "ls",
  "sudo",
  "frobnicate",
  "xargs",
  "curl",
  "ssh h",
  "$X",
  "'git status'",
  "cd",
  "echo",
);
const command = fc
  .tuple(
    program,
    fc.array(word, { maxLength: 4 }),
    pick("", "", "", " > out", " < /etc/passwd", " >> .env"),
  )
  .map(([name, words, redirection]) => [name, ...words].join(" ") + redirection);
const list = fc
  .tuple(command, fc.array(fc.tuple(pick("; ", " && ", " | ", "\n"), command), { maxLength: 3 }))
  .map(([first, rest]) => first + rest.map(([operator, next]) => operator + next).join(""));
const shellLine = fc.oneof(
  { weight: 4, arbitrary: list },
  list.map((text) => `(${text})`),
  list.map((text) => `echo "$(${text})"`),
  list.map((text) => `for X in a -rf; do ${text}; done`),
  list.map((text) => `bash -c '${text.replaceAll("'", "")}'`),
  list.map((text) => `${text} '`),
);
const fixedLine = pick<unknown>(
  "git status",
  "git status -s",
  "rm -rf x",
  "rm -fr x",
  "/usr/bin/git log",
  "./git log",
  "sudo rm -rf x",
  "frobnicate rm -rf x",
  "ls; id",
  "git push -f",
  "ls",
  "cat /etc/passwd",
  "cat src/a",
  "",
  7,
);
const line = fc.oneof<fc.Arbitrary<unknown>[]>(fixedLine, shellLine);

const call: fc.Arbitrary<ToolCall> = fc
  .record(
    {
      tool: pick(
        "read_file",
        "write_file",
        "http_request",
        "grep",
        "run_shell_command",
        "bash",
        "other",
        "get",
        "mcp__git__get",
        "mcp__git__hub__get",
        "mcp_git_get",
        "mcp_git",
        "mcp_git_hub_get",
        "mcp__git___get",
      ),
      args: fc
        .oneof(
          {
            weight: 9,
            arbitrary: fc.record(
              {
                method: argument,
                path: fc.oneof(path, argument),
                a: argument,
                "a.b": argument,
                n: argument,
                command: line,
                url: argument,
              },
              { requiredKeys: [] },
            ),
          },
          { weight: 1, arbitrary: fc.array(argument, { maxLength: 2 }) },
        )
        .map((args) => args as ToolCall["args"]),
      server: pick("git", "git__hub", "hub"),
      servers: pick(
        { git: ["get", "hub__get"] },
        { git: ["get"], hub: ["get"] },
        { git: ["hub__get"], git__hub: ["get"] },
      ),
      agent: pick("dev", "reviewer", "ops"),
      phase: pick("PLAN", "REVIEW"),
      approval_mode: pick("ask" as const, "autoEdit" as const, "yolo" as const),
      interactive: fc.boolean(),
      cwd: pick("/w"),
      home: pick("/home/dev"),
    },
    { requiredKeys: ["tool", "args"] },
  )
  .map((fields) => ({ hook: "beforeToolCall", ...fields }));

const parse = (data: { rules: readonly RuleData[]; default?: string | undefined }, file: string) =>
  parsePolicy(toml(data.rules, data.default === undefined ? {} : { default: data.default }), {
    file,
  });

const shellCall: fc.Arbitrary<ToolCall> = fc
  .record({ command: shellLine })
  .map((args) => ({ hook: "beforeToolCall", tool: "bash", args, cwd: "/w", home: "/home/dev" }));

test("the index gives the same votes for shell lines as a scan of every rule", () => {
  const seen = new Set<string | undefined>();
  fc.assert(
    fc.property(policy, fc.array(shellCall, { minLength: 1, maxLength: 8 }), (data, calls) => {
      const pool = compilePolicy([parse(data, "a.toml")]);
      for (const one of calls) {
        const votes = pool.evaluate(one);
        expect(pool.evaluateByScan(one)).toEqual(votes);
        seen.add(votes?.[0]?.code);
      }
    }),
    // A fixed seed, so that a failure does not depend on luck; `npm run fuzz` tries any seed.
    { numRuns: 1000, seed: 1 },
  );
  expect([...seen]).toEqual(
    expect.arrayContaining([
      undefined,
      "rule_allowed",
      "rule_denied",
      "rule_asked",
      "unknown_command",
      "unknown_path",
    ]),
  );
});

interface Topic {
  readonly rules: fc.Arbitrary<object>;
  readonly calls: fc.Arbitrary<object>;
}

const names = pick(..."a.b a b c d e f g h i j k l m n".split(" "));
const values = pick<unknown>("GET", "a1", "x", "1", 1, 2, true, null, ["GET"], { b: "a" });

/** Rules and calls that are so close that rules often match. */
const topics: Readonly<Record<string, Topic>> = {
  argument: {
    rules: fc.record({
      tool: pick("t"),
      args: fc.dictionary(names, condition, { minKeys: 1, maxKeys: 1 }),
    }),
    calls: fc.record({
      tool: pick("t"),
      args: fc.dictionary(names, values, { minKeys: 1, maxKeys: 6 }),
    }),
  },
  server: {
    rules: fc.record(
      {
        server: pick("git", "git_", "_git", "git__hub", "x_y", "git|h*", "h*|g*"),
        tool: pick("get", "_get", "hub_get", "get|x", "*t"),
      },
      { requiredKeys: ["server"] },
    ),
    calls: fc.record(
      {
        tool: pick(
          "get",
          "x_y_get",
          "mcp__git_",
          "mcp__git__get",
          "mcp_git__get",
          "mcp_git_hub_get",
        ),
        args: fc.constant({}),
        server: pick("git", "hub", "git__hub"),
        servers: pick<object>({ git: ["get"] }, { git: ["get"], hub: ["get"] }),
      },
      { requiredKeys: ["tool", "args"] },
    ),
  },
  network: {
    rules: fc.record(
      { network: pick("*.example", "b.example"), effects: fc.constant(["network", "reads"]) },
      { requiredKeys: ["network"] },
    ),
    calls: pick(
      { tool: "bash", args: { command: "curl https://a.example/v1" } },
      { tool: "bash", args: { command: "curl -s https://b.example/" } },
      { tool: "bash", args: { command: "curl $X" } },
      { tool: "web_fetch", args: { url: "https://a.example/v1" } },
      { tool: "other", args: { url: "https://b.example/" } },
    ),
  },
  file: {
    rules: fc
      .tuple(
        fc.oneof(
          fc.record({ command: pick("ls *", "cat *", "[a-z]* *", "*") }),
          fc.record({ command_regex: pick("ls.*", "(cat|git) .*", " a.*", "[a-z]+( .*)?") }),
        ),
        fc.record(
          { paths: pick<string | object>("/w/**", { read: "**" }, { write: "/w/*" }) },
          { requiredKeys: [] },
        ),
      )
      .map((parts) => Object.assign({}, ...parts) as object),
    calls: pick(
      "ls",
      "ls /w/x",
      "git status",
      "cat a",
      "cat /etc/passwd",
      "ls > a",
      "ls $X",
      "date",
      "'' a",
    ).map((line) => ({ tool: "bash", args: { command: line } })),
  },
};

test.each(Object.entries(topics))(
  "the index gives the same votes as a scan if the rules differ by %s",
  (_, { rules, calls }) => {
    const decided = fc.tuple(rules, pick("allow", "deny", "ask_user"));
    const all = fc.oneof(
      fc.array(decided, { maxLength: 3 }),
      fc.array(decided, { maxLength: 40, size: "max" }),
    );
    const places = { hook: "beforeToolCall", cwd: "/w", home: "/home/dev" } as const;
    fc.assert(
      fc.property(all, fc.array(calls, { minLength: 1, maxLength: 4 }), (chosen, asked) => {
        const data = chosen.map(([what, action], at) => ({ name: `r${at}`, ...what, action }));
        const pool = compilePolicy([parse({ rules: data }, "a.toml")]);
        for (const one of asked.map((given) => ({ ...places, ...given }) as ToolCall))
          expect(pool.evaluate(one)).toEqual(pool.evaluateByScan(one));
      }),
      { numRuns: 600 },
    );
  },
);

test("the index gives the same votes as a scan for lines that often name a program", () => {
  const repeated = fc
    .tuple(
      pick("npm test", "frobnicate", "git log", "sudo", "xargs"),
      fc.array(fc.tuple(pick("git", "rm", "x"), fc.integer({ min: 1, max: 70 })), {
        minLength: 1,
        maxLength: 2,
      }),
    )
    .map(([first, rest]) => [first, ...rest.map(([name, times]) => `${name} `.repeat(times))]);
  const patterns = [
    "git grep --no-index *",
    "git grep --untracked *",
    "git grep --no-exclude-standard *",
    ...["rm -rf *", "git *", "npm test *", "sudo *"],
  ];
  const rules = fc
    .array(
      fc.record({
        action: pick("allow", "ask_user", "deny"),
        command: fc.uniqueArray(pick(...patterns), { minLength: 1 }),
      }),
      { minLength: 10, maxLength: 12 },
    )
    .map((all) => all.map((one, at): RuleData => ({ name: `r${at}`, ...one })));
  fc.assert(
    fc.property(rules, repeated, (data, words) => {
      const pool = compilePolicy([parse({ rules: data }, "a.toml")]);
      const one: ToolCall = {
        ...{ hook: "beforeToolCall", tool: "bash", args: { command: words.join(" ") } },
        ...{ cwd: "/w", home: "/home/dev" },
      };
      expect(pool.evaluate(one)).toEqual(pool.evaluateByScan(one));
    }),
    { numRuns: 600 },
  );
});

test("the index gives the same votes as a scan of every rule", () => {
  fc.assert(
    fc.property(policy, fc.array(call, { minLength: 1, maxLength: 8 }), (data, calls) => {
      const pool = compilePolicy([parse(data, "a.toml")]);
      for (const one of calls) expect(pool.evaluate(one)).toEqual(pool.evaluateByScan(one));
    }),
    { numRuns: 1000 },
  );
});

const leaf: fc.Arbitrary<object> = fc.oneof(
  fc.record({
    fact: pick("tool", "agent", "phase", "approval_mode"),
    operator: pick("equal", "notEqual"),
    value: pick("dev", "PLAN", "ask"),
  }),
  fc.record({
    fact: pick("agent", "phase"),
    operator: pick("in", "notIn"),
    value: pick(["dev", "PLAN"], ["ops"]),
  }),
  fc.record({
    fact: pick("args"),
    path: pick("$.n", "$.a.b", "$.a"),
    operator: pick("lessThan", "greaterThanInclusive"),
    value: pick(1, 2),
  }),
  fc.record({
    fact: pick("args"),
    path: pick("$.method", "$['a.b']"),
    operator: pick("contains", "doesNotContain"),
    value: pick("GET"),
  }),
);
const group = (inner: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  fc.oneof(
    fc.record({ all: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
    fc.record({ any: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: inner }),
  );
const whenever = group(fc.oneof(leaf, group(leaf)));
const conditionalPolicy = fc
  .tuple(
    policy,
    fc.array(fc.option(whenever, { nil: undefined, freq: 2 }), { minLength: 12, maxLength: 12 }),
  )
  .map(([data, conditions]) => ({
    ...data,
    rules: data.rules.map((one, at): RuleData =>
      conditions[at] === undefined ? one : ({ ...one, when: conditions[at] } as RuleData),
    ),
  }));

test("the index gives the same votes as a scan of every rule and condition", async () => {
  await fc.assert(
    fc.asyncProperty(
      conditionalPolicy,
      fc.array(call, { minLength: 1, maxLength: 4 }),
      async (data, calls) => {
        const pool = compilePolicy([parse(data, "a.toml")]);
        for (const one of calls) {
          const votes = await pool.evaluateConditional(one);
          expect(await pool.evaluateConditionalByScan(one)).toEqual(votes);
          if (!pool.conditional) expect(pool.evaluate(one)).toEqual(votes);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("neither the order of rules nor of files changes a vote", () => {
  fc.assert(
    fc.property(
      fc.array(policy, { minLength: 1, maxLength: 3 }),
      fc.array(call, { minLength: 1, maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      (files, calls, noise) => {
        const shuffle = <T>(items: readonly T[]): readonly T[] =>
          items
            .map((item) => ({ item, key: noise.next().value ?? 0 }))
            .sort((a, b) => a.key - b.key)
            .map(({ item }) => item);
        const parsed = files.map((data, at) => parse(data, `${at}.toml`));
        const inOrder = compilePolicy(parsed);
        const shuffled = compilePolicy(
          shuffle(parsed.map((file) => ({ ...file, rules: shuffle(file.rules) }))),
        );
        for (const one of calls) expect(shuffled.evaluate(one)).toEqual(inOrder.evaluate(one));
      },
    ),
    { numRuns: 500 },
  );
});

test("an unknown call is never allowed", () => {
  fc.assert(
    fc.property(policy, call, ({ rules, ...data }, one) => {
      // A rule about writing may allow it.
      const strict = rules.filter(
        ({ effects: listed = "" }) => !JSON.stringify(listed).includes('"writes"'),
      );
      const pool = compilePolicy([parse({ ...data, rules: strict }, "a.toml")]);
      const votes = pool.evaluate(one) ?? [];
      const counted = votes.filter(({ shadow }) => shadow !== true);
      expect(counted.length).toBeLessThanOrEqual(1);
      const { command: given } = one.args as { readonly command?: unknown };
      const isShell = one.tool === "bash" || one.tool === "run_shell_command";
      if (
        isShell &&
        (typeof given !== "string" || given === "" || given.endsWith("'") || given.includes("> "))
      ) {
        expect(counted[0]?.effect).not.toBe("allow");
      }
    }),
    { numRuns: 1000 },
  );
});
