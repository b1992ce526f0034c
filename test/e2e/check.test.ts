import { join } from "node:path";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { POLICY, bylawHere, json, scratch, workplace } from "./bylaw.ts";

const WITH = ["--policy", "policy.toml"];

describe("one call", () => {
  test.each([
    ["read_file", 0, { effect: "allow", code: "rule_allowed", reason: "Reading changes nothing" }],
    ["drop_table", 1, { effect: "deny", code: "rule_denied", fix: "write a migration" }],
    ["send_mail", 3, { effect: "ask_user", code: "rule_asked" }],
    ["unheard_of", 3, { effect: "ask_user", code: "fallback" }],
  ])("%s ends with exit code %i", async (tool, code, wanted) => {
    const { run } = workplace({ "policy.toml": POLICY });
    const ran = await run(["check", "--tool", tool, "--args", "{}", ...WITH, "--json"]);
    expect(ran).toMatchObject({ code, stderr: "" });
    expect(json(ran)).toMatchObject(wanted);
  });

  test("has exactly the keys of the stable interface, in order", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const denied = json(await run(["check", "--tool", "drop_table", ...WITH, "--json"]));
    expect(Object.keys(denied)).toEqual([
      "effect",
      "code",
      "reason",
      "fix",
      "rule",
      "enforcement_mode",
    ]);
    expect(denied["rule"]).toMatchObject({ name: "no-drop", line: 9 });
    expect((denied["rule"] as { file: string }).file).toMatch(/policy\.toml$/);
    const fallback = json(await run(["check", "--tool", "x", ...WITH, "--json"]));
    expect(Object.keys(fallback)).toEqual(["effect", "code", "reason", "enforcement_mode"]);
    expect(fallback["enforcement_mode"]).toBe("strict");
  });

  test("--explain adds the votes", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const explained = json(
      await run(["check", "--tool", "drop_table", ...WITH, "--json", "--explain"]),
    );
    expect(Object.keys(explained)).toEqual([
      "effect",
      "code",
      "reason",
      "fix",
      "rule",
      "votes",
      "enforcement_mode",
    ]);
    expect(explained["votes"]).toMatchObject([
      { plugin: "@bylaw/plugin-policy", effect: "deny", rule: { name: "no-drop" } },
    ]);
    const human = await run(["check", "--tool", "drop_table", ...WITH, "--explain"]);
    expect(human.stdout).toContain("votes:");
  });

  test("prints for a person, without colours into a pipe", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const ran = await run(["check", "--tool", "drop_table", "--args", '{"name":"users"}', ...WITH]);
    expect(ran.stdout).toBe(`deny drop_table {"name":"users"}
  reason: Unexpected drop, expected a migration
  rule: no-drop, policy.toml:9
  code: rule_denied
  fix: write a migration
`);
  });

  test("lets no escape sequence, newline or direction mark of a call through to a terminal", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const args = JSON.stringify({ name: "\u001b[2Jallow\n\u202eallow\u009b31m" });
    const ran = await run(["check", "--tool", "drop_\u202etable", "--args", args, ...WITH]);
    expect(ran.code).toBe(1);
    expect(ran.stdout).not.toMatch(/[\u001b\u009b\u202e]/);
    expect(ran.stdout.split("\n")[0]).toContain("\\u202e");
  });

  test("an approval mode applies only where nothing decided, and --no-interactive turns a question into a deny", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const ask = (tool: string, ...more: string[]) =>
      run(["check", "--tool", tool, ...WITH, "--json", ...more]);
    expect(json(await ask("other", "--approval-mode", "yolo"))).toMatchObject({
      effect: "allow",
      code: "mode_allowed",
    });
    expect((await ask("drop_x", "--approval-mode", "yolo")).code).toBe(1);
    expect((await ask("send_mail", "--approval-mode", "yolo")).code).toBe(3);
    expect(json(await ask("send_mail", "--no-interactive"))).toMatchObject({
      effect: "deny",
      code: "approval_unavailable",
    });
    expect((await ask("send_mail", "--no-interactive")).code).toBe(1);
  });

  test("agent, phase and server are visible to rules", async () => {
    const rule = (key: string, value: string) =>
      `[[rules]]\nname = "${key}"\naction = "deny"\n${key} = "${value}"\ntool = "${key === "server" ? "get_issue" : `by_${key}`}"\nreason = "by ${key}"\n`;
    const { run } = workplace({
      "policy.toml": rule("agent", "a1") + rule("phase", "PLAN") + rule("server", "github"),
    });
    const code = async (...args: string[]) => (await run(["check", ...args, ...WITH])).code;
    expect(await code("--tool", "by_agent", "--agent", "a1")).toBe(1);
    expect(await code("--tool", "by_agent", "--agent", "a2")).toBe(3);
    expect(await code("--tool", "by_phase", "--phase", "PLAN")).toBe(1);
    expect(await code("--tool", "by_phase", "--phase", "WORK")).toBe(3);
    expect(await code("--tool", "get_issue", "--server", "github")).toBe(1);
    expect(await code("--tool", "get_issue", "--server", "gitlab")).toBe(3);
  });
});

describe("a shell command behind `--`", () => {
  const RULES = `[[rules]]
name = "no-force"
action = "deny"
command = "git push -f*"
reason = "It overwrites"

[[rules]]
name = "echo"
action = "allow"
command = "echo *"
reason = "It prints"
`;
  test.each(readCases<[string[], number]>(import.meta, "exit-codes"))(
    "%j ends with exit code %i",
    async (words, code) => {
      const { run } = workplace({ "policy.toml": RULES });
      expect(await run(["check", "--policy", "policy.toml", "--", ...words])).toMatchObject({
        code,
        stderr: "",
      });
    },
  );

  test("cannot be combined with --tool", async () => {
    const { run } = workplace({ "policy.toml": RULES });
    const ran = await run(["check", "--policy", "policy.toml", "--tool", "x", "--", "ls"]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toMatch(/cannot be given with `--tool`/);
  });
});

describe("the source of the rules", () => {
  test("several policies form one pool, with one option or several, and nothing else decides", async () => {
    const deny =
      '[[rules]]\nname = "no-read"\naction = "deny"\ntool = "read_file"\nreason = "not now"\n';
    const { run } = workplace({
      "a.toml": POLICY,
      "b.toml": deny,
      "bylaw.config.json": "not a configuration",
    });
    for (const named of [
      ["--policy", "a.toml", "b.toml"],
      ["--policy", "a.toml", "--policy", "b.toml"],
    ]) {
      expect(json(await run(["check", "--tool", "read_file", "--json", ...named]))).toMatchObject({
        effect: "deny",
        rule: { name: "no-read" },
      });
    }
  });

  test("--config with --policy: the policies are added", async () => {
    const config = JSON.stringify({
      plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["a.toml"] } }],
      fallback: "deny",
    });
    const { run } = workplace({
      "a.toml": '[[rules]]\nname = "a"\naction = "deny"\ntool = "a"\nreason = "a"\n',
      "b.toml": '[[rules]]\nname = "b"\naction = "deny"\ntool = "b"\nreason = "b"\n',
      "conf/bylaw.config.json": config.replace('"a.toml"', '"../a.toml"'),
    });
    const from = ["--config", "conf/bylaw.config.json", "--policy", "b.toml", "--json"];
    expect(json(await run(["check", "--tool", "a", ...from]))).toMatchObject({
      rule: { name: "a" },
    });
    expect(json(await run(["check", "--tool", "b", ...from]))).toMatchObject({
      rule: { name: "b" },
    });
    expect(json(await run(["check", "--tool", "c", ...from]))).toMatchObject({
      effect: "deny",
      code: "fallback",
    });
  });

  test("a former spelling loads with a warning and its place on the error stream", async () => {
    const { run } = workplace({
      "policy.toml": POLICY.replace('action = "ask_user"', 'action = "askuser"'),
    });
    const ran = await run(["check", "--tool", "send_mail", ...WITH, "--json"]);
    expect(json(ran)).toMatchObject({ effect: "ask_user", code: "rule_asked" });
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(/^policy\.toml:18:\d+ warning BYLAW_\w+: .*`askuser`.*\n$/);
  });

  test("an operator's policy may use any tier", async () => {
    const rule = (name: string, action: string, priority: string) =>
      `[[rules]]\nname = "${name}"\naction = "${action}"\npriority = "${priority}"\ntool = "deploy"\nreason = "${name}"\n`;
    const { run } = workplace({
      "policy.toml": rule("operator", "allow", "admin") + rule("lower", "deny", "user"),
    });
    const ran = await run(["check", "--tool", "deploy", ...WITH, "--json"]);
    expect(json(ran)).toMatchObject({ effect: "allow", rule: { name: "operator" } });
    expect(ran.code).toBe(0);
  });

  const use = "@bylaw/plugin-policy";
  test.each(readCases<[string, string]>(import.meta, "configurations"))(
    "finds %s in a parent folder, and needs nothing installed there",
    async (name, text) => {
      const root = scratch({ [name]: text, "p.toml": POLICY, "src/deep/x": "" });
      const ran = await bylawHere("check --tool drop_table --json", {
        cwd: join(root, "src/deep"),
      });
      expect(ran).toMatchObject({ code: 1, stderr: "" });
      expect(json(ran)).toMatchObject({ effect: "deny", rule: { name: "no-drop", line: 9 } });
    },
  );

  test("without any it says what to do", async () => {
    const { run } = workplace();
    const ran = await run("check --tool x");
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(
      /^error BYLAW_CONFIG_MISSING: No bylaw\.config.*\n {2}fix: Run `bylaw init`/,
    );
  });

  test("the enforcement mode changes what is printed about it, never the verdict", async () => {
    const { run } = workplace({
      "p.toml": POLICY,
      "bylaw.config.yaml": `plugins:\n  - { use: "${use}", options: { files: [p.toml] } }\nenforcement_mode: advisory\n`,
    });
    const ran = await run("check --tool drop_table --json");
    expect(json(ran)).toMatchObject({ effect: "deny", enforcement_mode: "advisory" });
    expect(ran.code).toBe(1);
  });
});

test("explain prints every tap with its answer and why, and ends with the verdict", async () => {
  const { run } = workplace({ "policy.toml": POLICY });
  const ran = await run(["explain", "--tool", "drop_table", ...WITH, "--json"]);
  expect(ran.code).toBe(1);
  expect(json(ran)).toMatchObject({
    decision: { effect: "deny", rule: { name: "no-drop" } },
    taps: [{ plugin: "@bylaw/plugin-policy", votes: [{ effect: "deny" }] }],
  });
  const human = await run(["explain", "--tool", "other", ...WITH]);
  expect(human.code).toBe(3);
  expect(human.stdout).toContain("@bylaw/plugin-policy");
  expect(human.stdout).toContain("abstains");
  expect(human.stdout).toContain("3 more rules do not match; --all lists them");
  const all = await run(["explain", "--tool", "other", "--all", ...WITH]);
  expect(all.stdout).toMatch(/^ +allow {4}read, policy\.toml:3: needs `.*`$/m);
  const matched = await run(["explain", "--tool", "drop_table", ...WITH]);
  expect(matched.stdout).toMatch(/^ +matches {3}deny {5}no-drop, policy\.toml:9 \(decides\)$/m);
});

describe("usage", () => {
  test.each(readCases<[string[]]>(import.meta, "errors"))(
    "%j is one line of error with exit code 2, also as JSON",
    async (args) => {
      const { run } = workplace({ "policy.toml": POLICY });
      const ran = await run(args);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(/^error BYLAW_USAGE_INVALID: .*\n {2}fix: .*\n$/);
      const scripted = await run([...args, "--json"]);
      expect(scripted).toMatchObject({ code: 2, stderr: "" });
      expect(json(scripted)).toMatchObject({ error: { code: "BYLAW_USAGE_INVALID" } });
    },
  );

  test.each(readCases<[string, string, string]>(import.meta, "advice"))(
    "%s says what is wrong and what to do",
    async (args, message, fix) => {
      const ran = await workplace().run(args.split(" "));
      expect(ran).toEqual({
        code: 2,
        stdout: "",
        stderr: `error BYLAW_USAGE_INVALID: ${message}\n  fix: ${fix}\n`,
      });
    },
  );

  test("no command at all prints the help on the error stream", async () => {
    const ran = await workplace().run([]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain("Usage: bylaw");
  });
});
