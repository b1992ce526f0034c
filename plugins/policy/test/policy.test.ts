import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  createKernel,
  defineRuleset,
  type ApprovalMode,
  type Config,
  type Decision,
  type JsonObject,
  type ToolCall,
} from "@bylaw/kernel";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { policy, policyWarnings } from "../src/index.ts";
import { call, refused, rule } from "./kit.ts";

let folder = "";
beforeEach(() => {
  folder = temporaryFolder();
});

const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, content);
  return path;
};
const kernelOf = (config: Config) =>
  createKernel(config, { configFile: join(folder, "bylaw.config.ts") });
const decide = (config: Config, one: ToolCall): Decision =>
  kernelOf(config).decide(one) as Decision;

describe("files", () => {
  test("the default is .bylaw/policy.toml next to the configuration", () => {
    write(".bylaw/policy.toml", rule("r", "deny", 'tool = "t"'));
    expect(decide({ plugins: [policy()] }, call("t"))).toMatchObject({
      effect: "deny",
      code: "rule_denied",
      by: "@bylaw/plugin-policy/rules",
      rule: { name: "r", file: ".bylaw/policy.toml", line: 1 },
    });
  });
  test("relative, absolute and file: names", () => {
    const absolute = write("other/a.toml", rule("a", "deny", 'tool = "a"'));
    write("rel.toml", rule("b", "deny", 'tool = "b"'));
    const url = pathToFileURL(write("url file.toml", rule("c", "deny", 'tool = "c"'))).href;
    const config = { plugins: [policy({ files: [absolute, "rel.toml", url] })] };
    for (const name of ["a", "b", "c"]) expect(decide(config, call(name)).rule?.name).toBe(name);
    expect(decide(config, call("c")).rule?.file).toBe("url file.toml");
  });
  test("a file outside the folder of the configuration is named in full", () => {
    const other = temporaryFolder();
    writeFileSync(join(other, "p.toml"), rule("r", "deny", 'tool = "t"'));
    expect(
      decide({ plugins: [policy({ files: [join(other, "p.toml")] })] }, call("t")).rule?.file,
    ).toBe(join(other, "p.toml"));
  });

  const options = (name: string) => () => kernelOf({ plugins: [policy({ files: [name] })] });
  test("a missing file", () => {
    expect(refused(options("none.toml"))).toMatchObject({
      code: "BYLAW_POLICY_MISSING",
      message: `File not found: ${join(folder, "none.toml")}`,
      source: { file: join(folder, "none.toml") },
    });
    expect(refused(options("file://elsewhere/x.toml")).code).toBe("BYLAW_POLICY_MISSING");
    write("x", "");
    expect(refused(options("x/y.toml")).code).toBe("BYLAW_POLICY_MISSING");
  });
  test("a folder", () => {
    mkdirSync(join(folder, "d.toml"));
    expect(refused(options("d.toml"))).toMatchObject({
      code: "BYLAW_POLICY_UNREADABLE",
      message: expect.stringContaining("folder"),
    });
  });
  test("a device", () => {
    expect(refused(options("/dev/null"))).toMatchObject({
      code: "BYLAW_POLICY_UNREADABLE",
      message: expect.stringContaining("device"),
    });
  });
  test.skipIf(process.getuid?.() === 0)("a file that the reader may not open", () => {
    chmodSync(write("p.toml", ""), 0);
    expect(refused(options("p.toml"))).toMatchObject({
      code: "BYLAW_POLICY_UNREADABLE",
      message: expect.stringContaining("EACCES"),
    });
  });
  test("bytes that are not UTF-8, with their line", () => {
    write(
      "p.toml",
      Buffer.concat([Buffer.from("# é\n# ok\n# "), Buffer.from([0xff, 0xfe]), Buffer.from("\n")]),
    );
    expect(refused(options("p.toml")).message).toBe(
      `Line 3 of \`${join(folder, "p.toml")}\` is not UTF-8`,
    );
    write("cut.toml", Buffer.concat([Buffer.from("# a\n# "), Buffer.from([0xc3])]));
    expect(refused(options("cut.toml")).message).toContain("Line 2 of");
  });
  test("a file of 10 MB is refused before it is parsed, and one of 13 MB before it is read", () => {
    write("p.toml", "#".repeat(10_000_000));
    expect(refused(options("p.toml"))).toMatchObject({
      code: "BYLAW_POLICY_INVALID",
      message: expect.stringContaining("10000000 characters"),
    });
    write("q.toml", "#".repeat(13_000_000));
    expect(refused(options("q.toml"))).toMatchObject({
      code: "BYLAW_POLICY_UNREADABLE",
      message: expect.stringContaining("13000000 bytes"),
    });
  });
  test("a byte order mark and CRLF", () => {
    write("p.toml", `\uFEFF${rule("r", "deny", 'tool = "t"').replaceAll("\n", "\r\n")}`);
    expect(decide({ plugins: [policy({ files: ["p.toml"] })] }, call("t")).rule?.name).toBe("r");
  });
  test("a new kernel of the same configuration reads the files again", () => {
    write("p.toml", rule("r", "deny", 'tool = "t"'));
    const config = { plugins: [policy({ files: ["p.toml"] })] };
    expect(decide(config, call("t")).rule?.name).toBe("r");
    write("p.toml", rule("s", "deny", 'tool = "t"'));
    expect(decide(config, call("t")).rule?.name).toBe("s");
    write("p.toml", "broken");
    expect(refused(() => kernelOf(config)).code).toBe("BYLAW_POLICY_INVALID");
  });
  test("one bad file of two: nothing loads", () => {
    write("good.toml", rule("r", "deny", 'tool = "t"'));
    write("bad.toml", rule("s", "alow", 'tool = "t"'));
    expect(
      refused(() => kernelOf({ plugins: [policy({ files: ["good.toml", "bad.toml"] })] })),
    ).toMatchObject({
      code: "BYLAW_POLICY_INVALID",
      source: { file: "bad.toml", line: 3, column: 1 },
    });
  });
});

test("unknown options are refused", () => {
  const wrong = { file: ["x"] } as unknown as Parameters<typeof policy>[0];
  expect(refused(() => policy(wrong))).toMatchObject({ code: "BYLAW_OPTIONS_INVALID" });
});

describe("a policy that agents could write", () => {
  const rules =
    rule("grant", "allow", 'tool = "t"\npriority = "admin"') +
    rule("ask", "ask_user", 'tool = "t"\npriority = "user"');
  test("grants at most at tier workspace, and says so", () => {
    write("p.toml", rules);
    const plugin = policy({ files: ["p.toml"] });
    expect(decide({ plugins: [plugin] }, call("t")).effect).toBe("ask_user");
    const instance = {
      options: plugin.options,
      configFile: join(folder, "bylaw.config.ts"),
    } as never;
    expect(policyWarnings(instance)).toMatchObject([
      { file: "p.toml", line: 5, severity: "warning" },
    ]);
  });
  test("keeps its tiers if the operator vouches for it", () => {
    write("p.toml", rules);
    expect(
      decide({ plugins: [policy({ files: ["p.toml"], operator: true })] }, call("t")).effect,
    ).toBe("allow");
  });
  test("a link does not hide where it lies", () => {
    write("w/p.toml", rules);
    const outside = temporaryFolder();
    symlinkSync(join(folder, "w/p.toml"), join(outside, "p.toml"));
    symlinkSync(join(folder, "w"), join(outside, "w"));
    for (const file of [join(outside, "p.toml"), join(outside, "w/p.toml")]) {
      expect(
        decide({ plugins: [policy({ files: [file], workspace: join(folder, "w") })] }, call("t"))
          .effect,
      ).toBe("ask_user");
      expect(
        decide(
          {
            plugins: [policy({ files: [join(folder, "w/p.toml")], workspace: join(outside, "w") })],
          },
          call("t"),
        ).effect,
      ).toBe("ask_user");
    }
    writeFileSync(join(outside, "real.toml"), rules);
    symlinkSync(join(outside, "real.toml"), join(folder, "w/linked.toml"));
    expect(
      decide(
        {
          plugins: [
            policy({ files: [join(folder, "w/linked.toml")], workspace: join(folder, "w") }),
          ],
        },
        call("t"),
      ).effect,
    ).toBe("ask_user");
    expect(
      decide(
        {
          plugins: [policy({ files: [join(outside, "real.toml")], workspace: join(folder, "w") })],
        },
        call("t"),
      ).effect,
    ).toBe("allow");
  });
});

describe("the pool", () => {
  const brought = (text: string) =>
    defineRuleset({ name: "@x/ruleset-base", plugins: [policy({ text })] });
  test("all uses give one vote, by tier", () => {
    const base = brought(rule("base", "deny", 'tool = "t"\npriority = "default"'));
    const decision = decide(
      {
        extends: [base],
        plugins: [policy({ text: rule("own", "allow", 'tool = "t"\npriority = "user"') })],
      },
      call("t"),
    );
    expect(decision).toMatchObject({ effect: "allow", rule: { name: "own" } });
    expect(decision.votes).toHaveLength(1);
  });
  test("a final rule of a ruleset applies", () => {
    const base = brought(rule("base", "deny", 'tool = "t"\nfinal = true'));
    const own = policy({ text: rule("own", "allow", 'tool = "t"\npriority = "admin"') });
    expect(decide({ extends: [base], plugins: [own] }, call("t")).rule?.name).toBe("base");
    expect(
      refused(() =>
        kernelOf({ extends: [base], without: ["@bylaw/plugin-policy/base"], plugins: [own] }),
      ).code,
    ).toBe("BYLAW_WITHOUT_FINAL");
    expect(
      refused(() =>
        kernelOf({ extends: [base], without: ["@bylaw/plugin-policy"], plugins: [own] }),
      ).code,
    ).toBe("BYLAW_WITHOUT_FINAL");
  });
  test("without drops an inherited rule, and not the host's own rule of the same name", () => {
    const base = brought(rule("same", "deny", 'tool = "t"'));
    const without = ["@bylaw/plugin-policy/same"];
    expect(decide({ extends: [base], without }, call("t")).code).toBe("fallback");
    expect(
      decide(
        {
          extends: [base],
          without,
          plugins: [policy({ text: rule("same", "deny", 'tool = "u"') })],
        },
        call("u"),
      ).effect,
    ).toBe("deny");
    expect(
      refused(() => kernelOf({ extends: [base], without: ["@bylaw/plugin-policy/none"] })).code,
    ).toBe("BYLAW_WITHOUT_UNMATCHED");
  });
  test("a rule of a file with compat can be dropped too", () => {
    const text = `compat = "radium"\n${rule("r", "deny", 'tool_pattern = "t"')}`;
    expect(decide({ extends: [brought(text)] }, call("t")).effect).toBe("deny");
    expect(
      decide({ extends: [brought(text)], without: ["@bylaw/plugin-policy/r"] }, call("t")).effect,
    ).toBe("ask_user");
  });
  test("the digest changes with the rules, but not with the order or the place of files", () => {
    const [a, b] = [rule("a", "deny", 'tool = "a"'), rule("b", "deny", 'tool = "b"')];
    write("a.toml", a);
    write("b.toml", b);
    const digest = (...files: string[]) =>
      kernelOf({ plugins: [policy({ files })] }).policy["@bylaw/plugin-policy"];
    expect(digest("a.toml", "b.toml")).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(digest("a.toml", "b.toml")).toBe(digest("b.toml", "a.toml"));
    expect(digest("a.toml")).not.toBe(digest("a.toml", "b.toml"));
    write("copy.toml", a);
    expect(digest("copy.toml", "b.toml")).toBe(digest("a.toml", "b.toml"));
    const dropped = kernelOf({ extends: [brought(a)], without: ["@bylaw/plugin-policy/a"] }).policy[
      "@bylaw/plugin-policy"
    ];
    expect(dropped).not.toBe(kernelOf({ extends: [brought(a)] }).policy["@bylaw/plugin-policy"]);
  });
});

describe("fallback and modes", () => {
  test("the strictest default of the files overrides the configuration's", () => {
    const config = {
      plugins: [policy({ text: 'default = "deny"' }), policy({ text: 'default = "allow"' })],
      fallback: "allow",
    } as const;
    expect(decide(config, call("t"))).toMatchObject({ effect: "deny", code: "fallback" });
    expect(decide({ plugins: [policy({ text: "" })], fallback: "allow" }, call("t")).effect).toBe(
      "allow",
    );
  });
  test.each(readCases<[ApprovalMode, string, JsonObject, string]>(import.meta, "modes"))(
    "%s and %s %j: %s",
    (approval_mode, tool, args, effect) => {
      expect(
        decide({ plugins: [policy({ text: "" })] }, call(tool, args, { approval_mode, cwd: "/w" }))
          .effect,
      ).toBe(effect);
    },
  );
  test("yolo says why it asks, and keeps what a rule allows", () => {
    const text = rule("get", "allow", 'command = "curl *"');
    const config: Config = { plugins: [policy({ text })], approval_mode: "yolo" };
    const of = (command: string) => decide(config, call("bash", { command }, { cwd: "/w" }));
    expect(of("curl https://example.com && make").effect).toBe("allow");
    expect(of("curl https://example.com && kill 1")).toMatchObject({
      effect: "ask_user",
      code: "fallback",
      reason:
        "No rule covers `kill 1` in `curl https://example.com && kill 1`. `kill 1` ends processes, services or containers; the default is ask_user",
    });
  });
  test("a file with `compat` does not affect what yolo asks", () => {
    const text = 'compat = "gemini"\n[[rule]]\ntoolName = "t"\ndecision = "deny"\npriority = 1\n';
    const config: Config = { plugins: [policy({ text })], approval_mode: "yolo" };
    expect(decide(config, call("bash", { command: "frobnicate" })).effect).toBe("allow");
  });
  test.each([
    ["run_shell_command", { command: "$CMD id" }, "unknown_command"],
    ["read_file", { path: "$HOME/x" }, "unknown_path"],
    ["mcp__a__b", {}, "unknown_server"],
  ])("no mode and no default allows %s %j", (tool, args, code) => {
    const text = `default = "allow"\n${rule("r", "deny", 'tool = "*"\npaths = "/etc/**"')}`;
    const one = call(tool, args, { approval_mode: "yolo", cwd: "/w" });
    expect(decide({ plugins: [policy({ text })], approval_mode: "yolo" }, one)).toMatchObject({
      effect: "ask_user",
      code,
    });
    expect(decide({ plugins: [policy({ text })] }, { ...one, interactive: false })).toMatchObject({
      effect: "deny",
      code: "approval_unavailable",
    });
  });
});

test("tools can be added, and one use's tools count for all", () => {
  const tools = {
    shell: { my_shell: "line" },
    files: { my_reader: { read: ["where"] } },
    network: { my_get: "address" },
  };
  const text = [
    rule("no-rm", "deny", 'tool = "my_shell"\ncommand = "rm *"'),
    rule("src", "allow", 'tool = "my_reader"\npaths = "src/**"'),
    rule("net", "deny", 'tool = "my_get"\nnetwork = "*.evil"'),
  ].join("");
  const config = {
    plugins: [
      policy({ text, tools }),
      policy({ text: rule("no-sudo", "deny", 'tool = "*"\ncommand = "sudo *"') }),
    ],
  };
  expect(decide(config, call("my_shell", { line: "/bin/rm x" })).rule?.name).toBe("no-rm");
  expect(decide(config, call("my_shell", { line: "sudo x" })).rule?.name).toBe("no-sudo");
  expect(decide(config, call("my_shell", { line: "$CMD b" })).code).toBe("unknown_command");
  expect(decide(config, call("my_reader", { where: "src/a" }, { cwd: "/w" })).effect).toBe("allow");
  expect(decide(config, call("my_reader", { path: "src/a" }, { cwd: "/w" })).code).toBe(
    "unknown_path",
  );
  expect(decide(config, call("my_get", { address: "https://x.evil" })).rule?.name).toBe("net");
});

test("explain lists every rule with its requirements", async () => {
  const kernel = createKernel({
    plugins: [
      policy({
        text: rule("a", "deny", 'tool = "t"\nagent = "x"') + rule("b", "ask_user", 'tool = "t"'),
      }),
    ],
  });
  const { taps } = await kernel.explain(call("t"));
  expect(taps[0]?.because).toMatchObject([
    {
      name: "a",
      matched: false,
      failed: "agent",
      effect: "deny",
      tier: "default",
      file: "inline policy",
      line: 1,
      deciding: false,
    },
    { name: "b", matched: true, effect: "ask_user", deciding: true },
  ]);
});

describe("conditions", () => {
  const amount = (operator: string) =>
    `when = { all = [{ fact = "args", path = "$.amount", operator = "${operator}", value = 100 }] }`;
  const text = rule("small", "allow", `tool = "transfer"\n${amount("lessThanInclusive")}`);
  const kernel = createKernel({
    plugins: [policy({ text }), policy({ text: rule("r", "deny", 'tool = "t"') })],
  });
  test("make every decision a promise", async () => {
    const decision = kernel.decide(call("transfer", { amount: 50 }));
    expect(decision).toBeInstanceOf(Promise);
    expect(await decision).toMatchObject({
      effect: "allow",
      code: "rule_allowed",
      rule: { name: "small" },
    });
    expect(await kernel.decide(call("transfer", { amount: 500 }))).toMatchObject({
      effect: "ask_user",
      code: "fallback",
    });
    expect(await kernel.decide(call("transfer", {}))).toMatchObject({
      effect: "ask_user",
      code: "fallback",
    });
    expect(await kernel.decide(call("t"))).toMatchObject({ effect: "deny", rule: { name: "r" } });
  });
  test("that a configuration dropped cost nothing", () => {
    const config = {
      extends: [defineRuleset({ name: "rs", plugins: [policy({ text })] })],
      without: ["@bylaw/plugin-policy/small"],
    };
    expect(createKernel(config).decide(call("transfer"))).not.toBeInstanceOf(Promise);
  });
  test("that the engine cannot evaluate deny", async () => {
    const strict = createKernel({
      plugins: [policy({ text: rule("s", "ask_user", `tool = "t"\n${amount("greaterThan")}`) })],
    });
    const decision = await strict.decide(call("t", { amount: { toString: 1, valueOf: 1 } }));
    expect(decision).toMatchObject({ effect: "deny", code: "check_failed" });
  });
  test("are shown by explain", async () => {
    const because = async (amount: number) =>
      (await kernel.explain(call("transfer", { amount }))).taps[0]?.because;
    expect(await because(50)).toMatchObject([
      { name: "r", failed: "tool" },
      { name: "small", matched: true, deciding: true },
    ]);
    expect(await because(500)).toMatchObject([
      { name: "r" },
      { name: "small", matched: false, failed: "when", deciding: false },
    ]);
  });
  test("with an error keep the kernel from being created", () => {
    const bad = rule(
      "s",
      "deny",
      'when = { all = [{ fact = "args", path = "$[?(@.a)]", operator = "equal", value = 1 }] }',
    );
    expect(refused(() => createKernel({ plugins: [policy({ text: bad })] }))).toMatchObject({
      code: "BYLAW_POLICY_INVALID",
      source: { line: 4, column: 34 },
    });
  });
});

test("shadow votes are recorded and do not count", () => {
  const decision = decide(
    {
      plugins: [policy({ text: rule("s", "deny", 'tool = "t"\nshadow = true') })],
      fallback: "allow",
    },
    call("t"),
  );
  expect(decision.effect).toBe("allow");
  expect(decision.votes).toMatchObject([{ effect: "deny", shadow: true, rule: { name: "s" } }]);
});

test("approval mode autoEdit approves no edit of a policy in force, or of a folder above it", async () => {
  const file = write("rules/own.toml", "");
  symlinkSync(join(folder, "rules"), join(folder, "linked"));
  const kernel = kernelOf({
    plugins: [policy({ files: [file], operator: true })],
    approval_mode: "autoEdit",
  });
  const effectOf = async (tool: string, args: ToolCall["args"]) =>
    (
      await kernel.decide(
        await kernel.prepare(call(tool, args, { cwd: folder, workspace: folder })),
      )
    ).effect;
  expect(await effectOf("write_file", { path: "rules/other.txt", content: "x" })).toBe("allow");
  expect(await effectOf("write_file", { path: "rules/own.toml", content: "x" })).toBe("ask_user");
  expect(await effectOf("write_file", { path: "linked/own.toml", content: "x" })).toBe("ask_user");
  expect(await effectOf("delete_path", { path: "rules" })).toBe("ask_user");
});
