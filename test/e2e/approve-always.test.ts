// `bylaw approve yes --always`: one answer that also becomes a rule, which no agent can bring about.
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createConfiguredKernel } from "@bylaw/config";
import { openRun } from "@bylaw/log";
import { openSqliteStore } from "@bylaw/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../contract/workspaces.ts";
import { OPERATORS, TOKENS } from "./approve-kit.ts";
import { BIN, bylawHere, json, jsonLines, scratch, type Ran } from "./bylaw.ts";
import { answer } from "./terminal.ts";

const FILES = {
  "bylaw.config.json": JSON.stringify({
    plugins: [{ use: "@bylaw/plugin-policy", options: { files: [".bylaw/policy.toml"] } }],
  }),
  ".bylaw/policy.toml": `
[[rules]]
name = "look"
action = "allow"
command = "ls *"

[[rules]]
name = "publishing"
action = "ask_user"
command = "npm publish *"
`,
};

interface Project {
  readonly cwd: string;
  /** The effect of a call of the agent, recorded in a run of its own. */
  readonly call: (command: string) => Promise<string>;
  /** The effects of calls in one run. */
  readonly calls: (commands: readonly string[]) => Promise<readonly string[]>;
  readonly idOf: (command: string) => Promise<string>;
  readonly yes: (id: string, ...args: readonly string[]) => Promise<Ran>;
  readonly policy: string;
}

async function project(): Promise<Project> {
  const cwd = scratch({ ...FILES, ".bylaw/operators.json": OPERATORS, "src/a.ts": "" });
  symlinkSync(join(root, "node_modules"), join(cwd, "node_modules"));
  const store = await openSqliteStore(join(cwd, ".bylaw/store.db"));
  onTestFinished(() => store.close());
  let runs = 0;
  const open = async () => (await bylawHere("approve list --json", { cwd })).stdout;
  const calls: Project["calls"] = async (commands) => {
    const { kernel } = await createConfiguredKernel({ file: join(cwd, "bylaw.config.json") });
    const run = await openRun(kernel, { run: `run-${(runs += 1)}`, store });
    const effects = await Promise.all(
      commands.map(async (command) => {
        const args = { command };
        const at = { agent: "dev", cwd, workspace: cwd };
        return (await run.toolCall({ tool: "bash", args, ...at })).decision.effect;
      }),
    );
    await run.close();
    return effects;
  };
  return {
    ...{ cwd, calls },
    call: async (command) => (await calls([command]))[0] ?? "",
    async idOf(command) {
      const asked = jsonLines({ code: 0, stderr: "", stdout: await open() }).flatMap((one) =>
        Array.isArray(one["questions"]) ? one["questions"] : [one],
      ) as readonly { readonly id: string; readonly args: { readonly command: string } }[];
      return asked.find(({ args }) => args.command === command)?.id ?? "";
    },
    yes: (id, ...args) =>
      bylawHere(["approve", "yes", id, "--always", ...args], {
        ...{ cwd, env: { BYLAW_OPERATOR_TOKEN: TOKENS.ada } },
      }),
    policy: join(cwd, ".bylaw/policy.toml"),
  };
}

test("a yes with `--always` adds the smallest rule, and the call is not asked about again", async () => {
  const one = await project();
  expect(await one.call("frob src/a.ts")).toBe("ask_user");
  const ran = await one.yes(await one.idOf("frob src/a.ts"));
  expect([ran.stderr, ran.code]).toEqual(["", 0]);
  expect(ran.stdout).toMatch(/^approved by ada, until .*\nAdded [\w-]+ to .*policy\.toml, and/);
  expect(await one.call("frob src/a.ts")).toBe("allow");
  for (const other of ["frob --all src/a.ts", "frob ../a.ts", "frobber src/a.ts"])
    expect(await one.call(other), other).toBe("ask_user");
  const cases = join(one.cwd, ".bylaw/policy.cases.jsonl");
  const tested = await bylawHere(["test", "--config", "bylaw.config.json", cases], {
    cwd: one.cwd,
  });
  expect([tested.stderr, tested.code]).toEqual(["", 0]);
});

test("it overrides a rule that asks on purpose, for that call alone, and the JSON names the rule", async () => {
  const one = await project();
  await one.call("npm publish a");
  const ran = await one.yes(await one.idOf("npm publish a"), "--json");
  expect(json(ran)).toMatchObject({
    event_type: "approval_granted",
    always: { policy: one.policy, rule: expect.any(String) },
  });
  expect(readFileSync(one.policy, "utf8")).toContain('overrides = ["publishing"]');
  expect(await one.call("npm publish a")).toBe("allow");
  expect(await one.call("npm publish b")).toBe("ask_user");
});

test("it says how many other questions can then only be refused", async () => {
  const one = await project();
  await one.calls(["frob src/a.ts", "npm publish a", "npm publish b"]);
  const [id, other] = [await one.idOf("frob src/a.ts"), await one.idOf("npm publish a")];
  const ran = await one.yes(id);
  expect(ran.stdout).toContain("\nWith this rule, 2 other open questions can only be refused: ");
  const env = { BYLAW_OPERATOR_TOKEN: TOKENS.ada };
  const answered = (...args: readonly string[]) =>
    bylawHere(["approve", ...args], { cwd: one.cwd, env });
  expect((await answered("yes", other)).stderr).toContain(
    "This question was asked under another policy",
  );
  expect((await answered("no", other, "--reason", "Ask again")).code).toBe(0);
  // The call made again has a question under the policy with the rule.
  expect(await one.call("npm publish a")).toBe("ask_user");
  expect((await answered("yes", await one.idOf("npm publish a"))).code).toBe(0);
});

test("a question older than 10,000 other calls can become a rule, and an older no still counts", async () => {
  const one = await project();
  await one.calls(["frob --all src/b.ts", "frob src/a.ts"]);
  const env = { BYLAW_OPERATOR_TOKEN: TOKENS.ada };
  const no = ["approve", "no", await one.idOf("frob --all src/b.ts"), "--reason", "Not this"];
  expect((await bylawHere(no, { cwd: one.cwd, env })).code).toBe(0);
  await one.calls(Array.from({ length: 10_000 }, (_, at) => `frob ${at}`));
  await one.calls(["frob --all src/a.ts", "ls src"]);
  const suggested = await bylawHere("suggest", { cwd: one.cwd });
  expect(suggested.stdout).toContain(
    "Older calls were left out: only the newest 10000 different ones are considered\n",
  );
  const refused = await one.yes(await one.idOf("frob --all src/a.ts"));
  expect(refused.stderr).toMatch(/BYLAW_APPROVAL_UNFIT: .* A call like it was refused/);
  const ran = await one.yes(await one.idOf("frob src/a.ts"));
  expect([ran.stderr, ran.code]).toEqual(["", 0]);
  expect(await one.call("frob src/a.ts")).toBe("allow");
});

test("nothing is recorded or written if the call cannot become a rule", async () => {
  const one = await project();
  await one.call("frob $(date)");
  const unread = await one.yes(await one.idOf("frob $(date)"));
  expect(unread.code).toBe(1);
  expect(unread.stderr).toMatch(/^error BYLAW_APPROVAL_UNFIT: The answer cannot become a rule: /);
  expect(await one.idOf("frob $(date)")).not.toBe("");

  await one.call("frob src/a.ts");
  const env = { BYLAW_OPERATOR_TOKEN: TOKENS.ada };
  const no = ["approve", "no", await one.idOf("frob src/a.ts"), "--reason", "Not this"];
  expect((await bylawHere(no, { cwd: one.cwd, env })).code).toBe(0);
  await one.call("frob src/a.ts");
  const refused = await one.yes(await one.idOf("frob src/a.ts"));
  expect(refused.stderr).toMatch(/BYLAW_APPROVAL_UNFIT: .* A call like it was refused/);
  expect(readFileSync(one.policy, "utf8")).toBe(FILES[".bylaw/policy.toml"]);
});

test("nothing is recorded if the policy is not in force", async () => {
  const one = await project();
  await one.call("frob src/a.ts");
  const id = await one.idOf("frob src/a.ts");
  renameSync(one.policy, join(one.cwd, "rules.toml"));
  const config = FILES["bylaw.config.json"].replace(".bylaw/policy.toml", "rules.toml");
  writeFileSync(join(one.cwd, "bylaw.config.json"), config);
  const ran = await one.yes(id);
  expect([ran.code, ran.stderr]).toEqual([
    1,
    expect.stringMatching(/has no policy .*policy\.toml/),
  ]);
  expect(await one.idOf("frob src/a.ts")).toBe(id);
});

test("the yes counts if the rule cannot be added, and the error says so", async () => {
  const one = await project();
  await one.call("frob src/a.ts");
  symlinkSync(join(one.cwd, "missing/cases"), join(one.cwd, ".bylaw/policy.cases.jsonl"));
  const ran = await one.yes(await one.idOf("frob src/a.ts"));
  expect(ran.code).not.toBe(0);
  expect(ran.stderr).toMatch(/BYLAW_POLICY_UNWRITABLE: The yes is recorded, but .*policy\.toml/);
  expect(await one.idOf("frob src/a.ts")).toBe("");
  expect(readFileSync(one.policy, "utf8")).toBe(FILES[".bylaw/policy.toml"]);
});

test("a server's question takes no rule", async () => {
  const one = await project();
  const ran = await one.yes("0a1b2c3d4e5f6071", "--url", "http://127.0.0.1:9");
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringMatching(/`--always` writes a policy/)]);
});

test("an agent cannot add a rule with operators of its own, even through a link", async () => {
  const one = await project();
  await one.call("frob src/a.ts");
  const token = "m".repeat(40);
  const mallory = createHash("sha256").update(token).digest("hex");
  const operators = [{ name: "mallory", token: `sha256:${mallory}` }];
  const { ".bylaw/policy.toml": _, ...others } = FILES;
  const own = scratch({ ...others, "operators.json": JSON.stringify({ operators }) });
  symlinkSync(join(one.cwd, ".bylaw"), join(own, ".bylaw"));
  const id = await one.idOf("frob src/a.ts");
  const store = ["--store", join(one.cwd, ".bylaw/store.db")];
  for (const given of [[], ["--by", "mallory"]]) {
    const ran = await bylawHere(["approve", "yes", id, "--always", ...store, ...given], {
      ...{ cwd: own, env: { BYLAW_OPERATOR_TOKEN: token } },
    });
    expect(ran.stderr).toMatch(/BYLAW_APPROVAL_UNAUTHORIZED/);
  }
  expect(readFileSync(one.policy, "utf8")).toBe(FILES[".bylaw/policy.toml"]);
});

test.skipIf(spawnSync("script", ["--version"]).status !== 0).each([
  ["a person", ["--by", "ada"], {}],
  ["an operator with a token", [], { BYLAW_OPERATOR_TOKEN: TOKENS.ada }],
])("%s who watches sees the rule before it is written", async (_, by, env) => {
  const one = await project();
  if (by.length > 0) rmSync(join(one.cwd, ".bylaw/operators.json"));
  await one.call("frob src/a.ts");
  const shown = await answer(
    one.cwd,
    [BIN, "approve", "--watch", ...by],
    [
      ["always, or anything else to leave it: ", "always\n"],
      ["Type yes to continue: ", "yes\n"],
      ["Added ", "\u0003"],
    ],
    env,
  );
  expect(shown).toMatch(/command = .*frob[^]*Type yes to continue/);
  expect(readFileSync(one.policy, "utf8")).toContain("frob");
});
