import { mkdtempSync, rmSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  createKernel,
  type ApprovalMode,
  type Config,
  type Decision,
  type Effect,
  type JsonObject,
  type Kernel,
  type ToolCall,
} from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { afterAll, describe, expect, it } from "vitest";
import { recommended } from "../src/index.ts";

interface Case {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly server?: string;
  readonly servers?: Readonly<Record<string, readonly string[]>>;
  readonly cwd: string;
  readonly home: string;
  readonly approval_mode?: ApprovalMode;
  readonly interactive?: boolean;
  readonly must: Effect;
  readonly rule?: string;
  readonly code?: string;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
const linesOf = (path: string): readonly Case[] =>
  read(path)
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Case);
const cases = linesOf("../cases.jsonl");

const kernel = createKernel({ extends: [recommended] });
const rules = kernel.plugins.flatMap(({ plugin, instances }) =>
  instances.flatMap(plugin.definition.rules),
);

async function decide(
  asked: Kernel,
  { must: _must, rule: _rule, code: _code, ...call }: Case,
): Promise<Decision> {
  const subject: ToolCall = { hook: "beforeToolCall", workspace: call.cwd, ...call };
  return await asked.decide(subject);
}

it.each(cases.map((one) => [one.id, one] as const))("every case: %s", async (_, one) => {
  const decision = await decide(kernel, one);
  const expected = { effect: one.must, rule: one.rule, code: one.code ?? decision.code };
  expect({ effect: decision.effect, rule: decision.rule?.name, code: decision.code }).toEqual(
    expected,
  );
});

describe("the cases as a whole", () => {
  it("have unique ids", () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it("let every rule decide at least one call", () => {
    const deciding = new Set(cases.map(({ rule }) => rule));
    expect(rules.map(({ name }) => name).filter((name) => !deciding.has(name))).toEqual([]);
  });

  it("keep every ask and deny of a rule in every approval mode", async () => {
    for (const one of cases.filter(({ must, rule }) => must !== "allow" && rule !== undefined)) {
      for (const approval_mode of ["ask", "autoEdit", "yolo"] as const) {
        const { effect } = await decide(kernel, { ...one, approval_mode });
        expect({ id: one.id, approval_mode, effect }).toEqual({
          id: one.id,
          approval_mode,
          effect: one.must,
        });
      }
    }
  });

  it("deny every question if no one can be asked", async () => {
    for (const one of cases.filter(({ must }) => must === "ask_user")) {
      const { effect, code } = await decide(kernel, { ...one, interactive: false });
      expect({ id: one.id, effect, code }).toEqual({
        id: one.id,
        effect: "deny",
        code: "approval_unavailable",
      });
    }
  });
});

// Not a case in the file, because a policy that extends the ruleset may protect more files from a patch.
it("asks before a patch may change the rules, even if everything without a rule is allowed", async () => {
  const patch = cases.find(({ id }) => id === "line-apply-patch") as Case;
  const codes: readonly string[] = await Promise.all(
    ["git apply p.diff", "git -C .bylaw apply p.diff", "black ."].map(
      async (command) => (await decide(kernel, { ...patch, args: { command } })).code,
    ),
  );
  expect(codes).toEqual(["unknown_path", "rule_asked", "mode_allowed"]);
});

describe("the README", () => {
  it("lists exactly the rules of the policy, with what each does", () => {
    const listed = [
      ...read("../README.md").matchAll(/^\| `([a-z-]+)` +\| (allows|asks|denies)(, final)? +\|/gm),
    ];
    const words = { allow: "allows", ask_user: "asks", deny: "denies" } as const;
    const written = read("../policy.toml")
      .split("[[rules]]")
      .slice(1)
      .map((text) => [
        /^name = "(.+)"$/m.exec(text)?.[1],
        words[/^action = "(.+)"$/m.exec(text)?.[1] as Effect],
        /^final = true$/m.test(text) ? ", final" : undefined,
      ]);
    expect(listed.map((match) => [match[1], match[2], match[3]])).toEqual(written);
    expect(new Set(written.map(([name]) => name))).toEqual(new Set(rules.map(({ name }) => name)));
  });

  it("counts the rules and the cases", () => {
    const [, ruleCount, caseCount] =
      /(\d+) rules in .* of the (\d+) calls in/.exec(read("../README.md")) ?? [];
    expect({ rules: Number(ruleCount), cases: Number(caseCount) }).toEqual({
      rules: rules.length,
      cases: cases.length,
    });
  });
});

it("the page of the repository shows a real decision", async () => {
  const call = {
    hook: "beforeToolCall",
    tool: "bash",
    args: { command: "git push --force origin main" },
  } as const;
  const { effect, reason, fix, code, rule } = await kernel.decide(call);
  const place = `${rule?.name}, node_modules/@bylaw/ruleset-recommended/policy.toml:${rule?.line}`;
  expect(read("../../../README.md")).toContain(
    [
      `${effect} bash ${JSON.stringify(call.args)}`,
      `  reason: ${reason}`,
      `  rule: ${place}`,
      `  code: ${code}`,
      `  fix: ${fix}`,
    ].join("\n"),
  );
});

describe("the recorded session", () => {
  const session = linesOf("../session.jsonl").filter(({ args }) => args !== undefined);

  it("has at least forty calls of every kind", () => {
    const tools = new Set(session.map(({ tool }) => tool));
    expect(session.length).toBeGreaterThanOrEqual(40);
    expect([...tools]).toEqual(
      expect.arrayContaining([
        "read_files",
        "edit_file",
        "bash",
        "web_fetch",
        "ask_user_question",
        "mcp__github__get_issue",
      ]),
    );
  });

  it("meets all three effects", async () => {
    const effects = await Promise.all(
      session.map(async (call) => (await decide(kernel, call)).effect),
    );
    expect(new Set(effects)).toEqual(new Set(["allow", "ask_user", "deny"]));
  });

  it("allows no attempt to evade the rules", async () => {
    const attempts = session.filter((call) =>
      /\.env|\.ssh|\.bylaw|rm |--force|\| sh|approved|githuh|drop_/.test(JSON.stringify(call)),
    );
    expect(attempts.length).toBeGreaterThanOrEqual(10);
    for (const call of attempts)
      expect(await decide(kernel, call)).not.toMatchObject({ effect: "allow" });
  });
});

describe("a host's own policy", () => {
  const folder = mkdtempSync(join(tmpdir(), "bylaw-recommended-"));
  let files = 0;
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const withOwn = (text: string, config: Config = {}): Kernel => {
    const file = join(folder, `${(files += 1)}.toml`);
    writeFileSync(file, text);
    return createKernel({
      extends: [recommended],
      ...config,
      plugins: [policy({ files: [file] })],
    });
  };
  const allowShell =
    '[[rules]]\nname = "own"\npriority = "user"\naction = "allow"\ntool = "bash"\n';
  const one = (id: string): Case => {
    const found = cases.find((candidate) => candidate.id === id);
    if (found === undefined) throw new Error(`no case ${id}`);
    return found;
  };

  it("overrides a deny of the ruleset with a rule of a higher tier", async () => {
    const own = withOwn(allowShell);
    expect(await decide(own, one("rm-rf"))).toMatchObject({
      effect: "allow",
      rule: { name: "own" },
    });
  });

  it("does not override a final rule", async () => {
    const own = withOwn(allowShell);
    for (const id of ["rm-root", "mkfs-ext4", "dd-device"]) {
      expect(await decide(own, one(id))).toMatchObject({
        effect: "deny",
        rule: { name: one(id).rule },
      });
    }
  });

  it("can exclude any rule by name, except a final one", async () => {
    for (const { name, final } of rules) {
      const without = () =>
        createKernel({ extends: [recommended], without: [`@bylaw/plugin-policy/${name}`] });
      if (final === true)
        expect(without).toThrow(expect.objectContaining({ code: "BYLAW_WITHOUT_FINAL" }));
      else expect(without).not.toThrow();
    }
    const dropped = createKernel({
      extends: [recommended],
      without: ["@bylaw/plugin-policy/no-recursive-delete"],
    });
    expect(await decide(dropped, one("rm-rf"))).toMatchObject({
      effect: "ask_user",
      rule: { name: "ask-delete" },
    });
  });
});

describe("rules that no priority overrides", () => {
  const GUARDED: readonly (readonly [tool: string, args: JsonObject])[] = [
    ["bash", { command: "cat .env" }],
    ["bash", { command: "cat ~/.ssh/id_rsa" }],
    ["bash", { command: "cp ~/.aws/credentials /tmp/x" }],
    ["read_file", { path: ".env" }],
    ["write_file", { path: ".git/config", content: "x" }],
    ["bash", { command: "echo x > .git/hooks/pre-commit" }],
    ["write_file", { path: ".bylaw/policy.toml", content: "x" }],
    ["bash", { command: "rm .bylaw/policy.toml" }],
    ["write_file", { path: "bylaw.config.ts", content: "x" }],
  ];
  const ALL = readFileSync(join(import.meta.dirname, "fixtures/cases-all.toml"), "utf8");
  it.each(["admin", "user", "workspace", "default"])("not even %s", async (tier) => {
    const kernel = createKernel({
      extends: [recommended],
      plugins: [policy({ text: ALL.replaceAll("TIER", tier), operator: true, discover: "none" })],
    });
    for (const [tool, args] of GUARDED) {
      const { effect } = await kernel.decide({
        ...{ hook: "beforeToolCall", tool, args, approval_mode: "yolo" },
        ...{ cwd: "/w", workspace: "/w", home: "/home/dev" },
      });
      expect([tool, args, effect]).not.toContain("allow");
    }
  });
});
