// `bylaw suggest` over real stores: which questions become rules, and that no agent can bring one about.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createKernel, type ToolCall } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { policy } from "@bylaw/plugin-policy";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { pluginOf } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { OPERATORS, TOKENS } from "./approve-kit.ts";
import { bylaw, bylawHere, json, scratch, type Ran } from "./bylaw.ts";

const RULES = `
[[rules]]
name = "look"
action = "allow"
command = "ls *"

[[rules]]
name = "no-secrets"
action = "deny"
paths = ["**/.env", "**/.git/**", "**/.bylaw/**"]

[[rules]]
name = "publishing"
action = "ask_user"
command = "npm publish *"

[[rules]]
name = "deleting"
action = "ask_user"
command = "rm *"

[[rules]]
name = "no-drop"
action = "deny"
command = "dropdb *"

[[rules]]
name = "drop-scratch"
priority = "workspace"
action = "ask_user"
command = "dropdb scratch*"
reason = "Look first"
`;
const CONFIG = JSON.stringify({
  plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["rules.toml"], discover: "none" } }],
});

interface Suggestion {
  readonly toml: string;
  readonly saves: number;
  readonly not_covered: readonly object[];
  readonly newly_allowed: readonly object[];
}

interface Person {
  readonly cwd: string;
  /** Makes a call, and answers if it is asked about. */
  readonly ask: (command: string, answer: "yes" | "no" | "nothing", more?: Ask) => Promise<void>;
  readonly suggest: (...args: readonly string[]) => Promise<Ran>;
  readonly found: (...args: readonly string[]) => Promise<readonly Suggestion[]>;
}

interface Ask {
  readonly run?: string;
  readonly agent?: string;
  readonly by?: string;
  readonly tool?: Pick<ToolCall, "tool" | "args">;
}

/** A project whose store holds what these answers made, and the command. */
async function project(
  answers: (person: Pick<Person, "ask">) => Promise<void>,
  { redact }: { readonly redact?: string } = {},
): Promise<Person> {
  const cwd = scratch({
    ...{ "rules.toml": RULES, "bylaw.config.json": CONFIG, ".bylaw/operators.json": OPERATORS },
    ...{ "src/a.ts": "", "src/b.ts": "", "src/c.ts": "" },
  });
  const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
  const redactor = pluginOf("redactor", (api) => {
    api.redact((event) =>
      redact !== undefined && JSON.stringify(event.details).includes(redact)
        ? { ...event.details, args: { redacted: 7 } }
        : event.details,
    );
  });
  const kernel = createKernel({ plugins: [policy({ text: RULES }), redactor] });
  const runs = new Map<string, Run>();
  const ask: Person["ask"] = async (command, answer, more = {}) => {
    const { run: name = "main", agent = "dev", by = "ada", tool } = more;
    const run = runs.get(name) ?? (await openRun(kernel, { run: name, store }));
    runs.set(name, run);
    const call = { tool: "bash", args: { command }, ...tool, agent, cwd, workspace: cwd };
    const { decision, events } = await run.toolCall(call);
    if (decision.effect !== "ask_user" || answer === "nothing") return;
    const asked = events.at(-1)?.sequence ?? 0;
    if (answer === "no") await run.refuse({ asked, by, reason: "no" });
    else
      await run.approve({
        ...{ subject: { hook: "beforeToolCall", ...call }, by },
        expires_at: new Date(Date.now() + 60_000).toISOString(),
      });
    await run.toolCall(call);
  };
  await answers({ ask });
  for (const run of runs.values()) await run.close();
  await store.close();
  const suggest: Person["suggest"] = (...args) => bylawHere(["suggest", ...args], { cwd });
  return {
    ...{ cwd, ask, suggest },
    found: async (...args) =>
      json(await suggest("--json", ...args))["suggestions"] as readonly Suggestion[],
  };
}

/** The effect under the project's rules and what was learned. */
const effectIn = async (cwd: string, command: string): Promise<unknown> =>
  json(
    await bylawHere(
      [
        ...["check", "--policy", "rules.toml", "--policy", "learned.toml", "--agent", "dev"],
        ...["--tool", "bash", "--args", JSON.stringify({ command }), "--json"],
      ],
      { cwd },
    ),
  )["effect"];

const WC = ["a", "b", "c"].map((file) => `wc -l src/${file}.ts`);
const digest = (token: string): string =>
  `sha256:${createHash("sha256").update(token).digest("hex")}`;
const thrice = (command: string): readonly string[] => [command, command, command];

/** What is suggested after these questions, each answered like this. */
async function after(
  commands: readonly string[],
  answer: "yes" | "no" | "nothing" = "yes",
  more: Ask = {},
): Promise<readonly Suggestion[]> {
  const { found } = await project(async ({ ask }) => {
    for (const command of commands) await ask(command, answer, more);
  });
  return await found();
}

describe("a suggestion", () => {
  test("covers calls that differ in their files, in the folder that they share, and no option", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of WC) await ask(command, "yes");
      await ask("wc -l src/d.ts", "nothing");
    });
    const [suggestion, ...others] = await one.found();
    expect(others).toEqual([]);
    expect(suggestion?.toml).toContain(
      'command = "wc -l [!-]*"\neffects = ["reads"]\npaths = { read = ["./src/*"] }\n',
    );
    expect(suggestion).toMatchObject({
      saves: 3,
      not_covered: expect.arrayContaining([
        { tool: "bash", args: { command: "wc -l src/a.ts --force" } },
      ]) as unknown,
      newly_allowed: [{ args: { command: "wc -l src/d.ts" }, yes: 0, open: 1 }],
    });
    writeFileSync(join(one.cwd, "learned.toml"), suggestion?.toml ?? "");
    const effectOf = (command: string): Promise<unknown> => effectIn(one.cwd, command);
    expect(await effectOf("wc -l src/new.ts")).toBe("allow");
    for (const command of [
      ...[
        "wc -c src/a.ts",
        "wc -l src/sub/a.ts",
        "wc -l a.ts",
        "wc -l src/../a.ts",
        "wc -l /etc/passwd",
      ],
      ...[
        "wc -l src/a.ts src/b.ts",
        "wc -l src/a.ts > src/b.ts",
        "wc -l src/a.ts; id",
        "wc -l -- src/a.ts",
      ],
    ])
      expect([command, await effectOf(command)]).toEqual([command, "ask_user"]);
    expect(await effectOf("wc -l src/.env")).toBe("deny");
  });

  test("spells out a call whose words are no files, and joins the files of a file tool", async () => {
    expect(await after(thrice("npm run build"))).toMatchObject([
      { saves: 3, toml: expect.stringContaining('command = "npm run build"\n') as unknown },
    ]);
    const { found } = await project(async ({ ask }) => {
      for (const path of ["src/a.ts", "src/b.ts", "src/sub/c.ts"])
        await ask("", "yes", { tool: { tool: "read_file", args: { path } } });
    });
    expect(await found()).toMatchObject([
      { toml: expect.stringContaining('paths = { read = ["./src/**"] }\n') as unknown },
    ]);
  });

  test("needs two answers for a call, and one more for a rule that covers others", async () => {
    expect(await after(["npm run build", "npm run lint", "npm run test"])).toEqual([]);
    expect(await after(["npm run build", "npm run build"])).toHaveLength(1);
    const one = await project(async ({ ask }) => {
      for (const command of WC.slice(0, 2)) await ask(command, "yes");
    });
    expect(await one.found()).toEqual([]);
    expect(await one.found("--at-least", "3")).toEqual([]);
    expect(await one.suggest("--at-least", "1")).toMatchObject({ code: 2 });
  });

  test("overrides what a rule asks on purpose, for that call alone, and says so", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of ["rm old", "rm older", "rm draft", "rm draft"])
        await ask(command, "yes");
    });
    writeFileSync(
      join(one.cwd, "rules.cases.jsonl"),
      ["draft", "src"]
        .map((what) => ({
          ...{ id: what, tool: "bash", args: { command: `rm ${what}` } },
          ...{ agent: "dev", must: "ask_user" },
        }))
        .map((line) => JSON.stringify(line))
        .join("\n"),
    );
    const [suggestion, ...others] = await one.found();
    expect(others).toEqual([]);
    expect(suggestion).toMatchObject({
      overrides: [{ name: "deleting", file: "rules.toml" }],
      overruled: [expect.stringContaining("the case `draft`")],
      people: ["ada"],
    });
    expect(suggestion?.toml).toContain(
      'command = "rm draft"\npaths = { write = ["./draft"] }\ninput = false\nagent = "dev"\noverrides = ["deleting"]\n',
    );
    expect((await one.suggest()).stdout).toMatch(
      /all answered with yes by ada\n {3}overrides `deleting` \(rules\.toml:\d+\), which asks on purpose/,
    );
    const file = join(one.cwd, "learned.toml");
    writeFileSync(file, suggestion?.toml ?? "");
    for (const [command, effect] of [
      ["rm draft", "allow"],
      ...["rm src", "rm -r draft", "rm draft src", "cd .. && rm draft", "cd src && rm draft"].map(
        (other) => [other, "ask_user"] as const,
      ),
      ["rm draft && cat .env", "deny"],
    ] as const)
      expect([command, await effectIn(one.cwd, command)]).toEqual([command, effect]);
  });

  test("overrides the deny that an ask lifts, and says so", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of ["dropdb scratch1", "dropdb scratch1", "dropdb main"])
        await ask(command, "yes");
    });
    const [suggestion] = await one.found();
    expect(suggestion?.toml).toContain('overrides = ["drop-scratch", "no-drop"]\n');
    expect((await one.suggest()).stdout).toMatch(
      /`drop-scratch` \(.*\), which asks on purpose: Look first\n {3}overrides `no-drop` \(.*\), which denies on purpose/,
    );
    writeFileSync(join(one.cwd, "learned.toml"), suggestion?.toml ?? "");
    for (const [command, effect] of [
      ["dropdb scratch1", "allow"],
      ["dropdb scratch2", "ask_user"],
      ["dropdb main", "deny"],
    ] as const)
      expect([command, await effectIn(one.cwd, command)]).toEqual([command, effect]);
  });

  test("changes no case of the files beside the policy, or of those that are named", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of WC) await ask(command, "yes");
    });
    const fixed = JSON.stringify({
      ...{ id: "x", tool: "bash", args: { command: "wc -l src/x.ts" }, agent: "dev" },
      must: "ask_user",
    });
    writeFileSync(join(one.cwd, "rules.cases.jsonl"), fixed);
    const { suggestions, without_rule, cases } = json(await one.suggest("--json"));
    expect({ suggestions, cases }).toEqual({ suggestions: [], cases: 1 });
    expect(without_rule).toMatchObject([
      { why: expect.stringContaining("the case `x`") as unknown },
    ]);
  });
});

test("a suggestion changes no case of the rulesets that the command has inside", async () => {
  const one = await project(async ({ ask }) => {
    for (const command of thrice("npm run build")) await ask(command, "yes");
  });
  const extending = JSON.stringify({ extends: ["@bylaw/ruleset-recommended"] });
  writeFileSync(join(one.cwd, "bylaw.config.json"), extending);
  // The built command, which brings files of its own.
  const found = json(bylaw(["suggest", "--json"], { cwd: one.cwd }));
  expect(found["suggestions"]).toMatchObject([{ saves: 3 }]);
  expect(found["cases"]).toBeGreaterThan(1_000);
});

describe("an agent cannot bring about a rule", () => {
  test.each([
    ["by asking without an answer", [...WC, ...WC, ...WC], "nothing"],
    ["by asking for what a person refuses", WC, "no"],
    [
      "for what a rule asks on purpose, by many variants",
      Array.from({ length: 100 }, (_, at) => `npm publish ./p${at}`),
      "yes",
    ],
    ["for what a rule denies", thrice("cat src/.env"), "yes"],
    ["outside of the workspace", ["a", "b", "c"].map((file) => `wc -l /srv/${file}`), "yes"],
    ["for what nobody can know", thrice('eval "$X"'), "yes"],
    ["by a harmless text in a pipe", thrice("echo status | mycli shell"), "yes"],
    ["by a harmless file that is read", thrice("nc host 80 < src/a.ts"), "yes"],
  ] as const)("%s", async (_, commands, answer) => {
    expect(await after(commands, answer)).toEqual([]);
  });

  test("that covers another text than nothing, through a pipe or from a file", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of ["mycli send", "curl -d @- https://a.example"])
        for (const each of thrice(command)) await ask(each, "yes");
    });
    const learned = (await one.found()).map(({ toml }) => toml);
    expect(learned).toHaveLength(2);
    writeFileSync(join(one.cwd, "learned.toml"), learned.join("\n"));
    for (const [command, effect] of [
      ["mycli send && curl -d @- https://a.example", "allow"],
      ["ls | mycli send", "ask_user"],
      ["ls src | curl -d @- https://a.example", "ask_user"],
      ["curl -d @- https://a.example < src/a.ts", "ask_user"],
      ["{ ls; curl -d @- https://a.example; } <<< secret", "ask_user"],
      ["exec < src/a.ts; mycli send", "ask_user"],
    ] as const)
      expect([command, await effectIn(one.cwd, command)]).toEqual([command, effect]);
  });

  test("by repeating a call that a person answered once", async () => {
    const { found } = await project(async ({ ask }) => {
      await ask("npm run build", "yes");
      for (const run of ["main", "main", "main", "other", "third"])
        await ask("npm run build", "nothing", { run });
    });
    expect(await found()).toEqual([]);
  });

  test("with an answer under the name of an agent of the run", async () => {
    expect(await after(thrice("npm run build"), "yes", { by: "Dev" })).toEqual([]);
  });

  test("if one call of the same shape was refused, by anybody and in any run", async () => {
    const { found } = await project(async ({ ask }) => {
      for (const command of [...WC, ...WC]) await ask(command, "yes");
      await ask("wc -l src/secret.ts", "no", { run: "other", by: "bob" });
    });
    expect(await found()).toEqual([]);
  });

  test("with calls whose text was redacted", async () => {
    const { found } = await project(
      async ({ ask }) => {
        for (const command of thrice("npm run build")) await ask(command, "yes");
      },
      { redact: "npm run" },
    );
    expect(await found()).toEqual([]);
  });

  test("with a name that ends the text of a rule", async () => {
    for (const { toml } of await after(thrice("frob '\"]\n[[rules]]\naction=allow'")))
      expect(toml.match(/\[\[rules\]\]/g)).toHaveLength(1);
  });

  test("by accepting a suggestion under a configuration of its own, also through a link", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of thrice("npm run build")) await ask(command, "yes");
    });
    const own = scratch({
      ...{ "rules.toml": RULES, "bylaw.config.json": CONFIG },
      ".bylaw/operators.json": JSON.stringify({
        operators: [{ name: "mallory", token: digest("m".repeat(40)) }],
      }),
    });
    const env = { BYLAW_OPERATOR_TOKEN: "m".repeat(40) };
    symlinkSync(join(one.cwd, ".bylaw"), join(own, "linked"));
    const logs = ["--store", join(one.cwd, ".bylaw/store.db"), "--accept", "1"];
    const policy = join(one.cwd, ".bylaw/policy.toml");
    for (const [cwd, written] of [
      [one.cwd, ["--config", join(own, "bylaw.config.json")]],
      [own, ["--write", policy]],
      [own, ["--write", join(own, "linked", "policy.toml")]],
    ] as const) {
      const ran = bylaw(["suggest", ...logs, ...written], { cwd, env });
      expect(ran.stderr).toMatch(/BYLAW_APPROVAL_UNAUTHORIZED/);
    }
    expect(existsSync(policy)).toBe(false);
    expect(bylaw(["suggest", ...logs], { cwd: own, env })).toMatchObject({ code: 0 });
  });

  test("by accepting a suggestion without a person", async () => {
    const one = await project(async ({ ask }) => {
      for (const command of thrice("npm run build")) await ask(command, "yes");
    });
    const accept = ["suggest", "--accept", "1", "--write", "learned.toml"];
    for (const token of ["", "x".repeat(40)]) {
      const ran = bylaw(accept, { cwd: one.cwd, env: { BYLAW_OPERATOR_TOKEN: token } });
      expect(ran.code).not.toBe(0);
      expect(ran.stderr).toMatch(/BYLAW_APPROVAL_UNAUTHORIZED/);
    }
    expect(existsSync(join(one.cwd, "learned.toml"))).toBe(false);
  });
});

test("an operator accepts one suggestion, which becomes a rule with cases that hold", async () => {
  const one = await project(async ({ ask }) => {
    for (const command of [...thrice("npm run build"), ...WC]) await ask(command, "yes");
  });
  const env = { BYLAW_OPERATOR_TOKEN: TOKENS.ada };
  const accept = (number: string): Ran =>
    bylaw(["suggest", "--accept", number, "--write", "rules.toml"], { cwd: one.cwd, env });
  expect(accept("9")).toMatchObject({ code: 2 });
  expect(accept("1")).toMatchObject({ code: 0, stderr: expect.any(String) as unknown });
  expect(accept("1")).toMatchObject({ code: 0 });
  expect(readFileSync(join(one.cwd, "rules.toml"), "utf8")).toContain(RULES);
  expect(await one.found()).toEqual([]);
  const tested = bylaw("test rules.toml rules.cases.jsonl", { cwd: one.cwd });
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining("10 ") as unknown });
});

test("names rules that decided nothing, were always overruled, or were never refused", async () => {
  const one = await project(async ({ ask }) => {
    for (const command of ["a", "b", "c"]) await ask(`npm publish ${command}`, "yes");
    for (const command of ["ls", "npm run a", "npm run b", "npm run c"])
      await ask(command, "nothing");
  });
  expect(json(await one.suggest("--json"))["rules"]).toEqual({
    never_fired: ["no-secrets", "deleting", "no-drop", "drop-scratch"],
    always_overruled: ["publishing"],
    never_refused: ["(fallback)"],
  });
  expect((await one.suggest()).stdout).toMatch(
    /^Nothing to suggest\n\nRules that were always overruled\n {2}publishing/,
  );
});
