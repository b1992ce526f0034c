import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { POLICY, bylaw, json, jsonLines, makePipe, scratch, start, workplace } from "./bylaw.ts";

const WITH = ["--policy", "policy.toml"];
const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

test("answers in order, one line each, with the same id, and continues after bad lines", async () => {
  const { run } = workplace({
    "policy.toml": POLICY,
    "calls.jsonl": [
      line({ id: "1", tool: "read_file", args: {} }),
      "not json\n",
      line({ id: "3", tool: "drop_table", args: {}, tol: 1 }),
      '{"id":"4","tool":"read_file","args":{"a":1,"a":2}}\n',
      '{"id":"5","tool":"read_file","args":{"__proto__":{"x":1}}}\n',
      "\n  \r\n",
      line({ id: 6, tool: "drop_table", args: {} }),
      line([1]),
      line({ id: "8", args: {} }),
      line({ id: "9", tool: "read_file" }),
      line({ id: "10", tool: "", args: {} }),
      line({ id: "11", tool: "read_file", args: "text" }),
      line({ id: "12", tool: "read_file", args: {}, approval_mode: "YOLO" }),
      line({ id: "13", tool: "read_file", args: {}, interactive: "yes" }),
      line({ id: "14", tool: "read_file", args: {}, cwd: "relative" }),
      line({ id: "15", tool: "read_file", args: {}, servers: { github: "get_issue" } }),
      line({ id: { nested: 1 }, tool: "read_file", args: {} }),
      '{"id":"17","id":"18","tool":"read_file","args":{}}\n',
      '{"id":"19","tool":"read_file","args":{"n":9007199254740993}}\n',
      '{"id":"20","tool":"read_file","args":{"s":"\\ud800"}}\n',
      line({ id: "21", tool: "read_file\n", args: {} }),
      JSON.stringify({ id: "last", tool: "send_mail", args: {} }),
    ].join(""),
  });
  const ran = await run(["check", "--batch", "calls.jsonl", "--json", ...WITH]);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(jsonLines(ran).map(({ id, effect, code }) => [id, effect, code])).toEqual([
    ["1", "allow", "rule_allowed"],
    [undefined, "deny", "invalid_call"],
    ["3", "deny", "invalid_call"],
    ["4", "deny", "invalid_call"],
    ["5", "deny", "invalid_call"],
    [6, "deny", "rule_denied"],
    [undefined, "deny", "invalid_call"],
    ["8", "deny", "invalid_call"],
    ["9", "deny", "invalid_call"],
    ["10", "deny", "invalid_call"],
    ["11", "deny", "invalid_call"],
    ["12", "deny", "invalid_call"],
    ["13", "deny", "invalid_call"],
    ["14", "deny", "invalid_call"],
    ["15", "deny", "invalid_call"],
    [undefined, "deny", "invalid_call"],
    [undefined, "deny", "invalid_call"],
    ["19", "deny", "invalid_call"],
    ["20", "deny", "invalid_call"],
    ["21", "deny", "invalid_call"],
    ["last", "ask_user", "rule_asked"],
  ]);
});

test("args_raw wins over args, and is parsed as strictly as the line", async () => {
  const { run } = workplace({
    "policy.toml":
      '[[rules]]\nname = "a"\naction = "allow"\ntool = "t"\nargs = { n = { eq = 1 } }\nreason = "one"\n',
  });
  const raw = (args_raw: unknown, args: unknown = { n: 1 }) => line({ tool: "t", args, args_raw });
  const input = [
    raw('{"n":1}', { n: 2 }),
    raw('{"n":2}'),
    raw('{"n":2,"n":1}'),
    raw("{"),
    raw({ n: 1 }),
    raw(""),
  ].join("");
  const ran = await run(["check", "--batch", "-", "--json", ...WITH], { input });
  expect(jsonLines(ran).map(({ code }) => code)).toEqual([
    "rule_allowed",
    "fallback",
    "invalid_call",
    "invalid_call",
    "invalid_call",
    "invalid_call",
  ]);
});

test("options are defaults for the lines", async () => {
  const { run } = workplace({
    "policy.toml":
      '[[rules]]\nname = "a"\naction = "deny"\ntool = "t"\nagent = "a1"\nreason = "no"\n',
  });
  const input = line({ tool: "t", args: {} }) + line({ tool: "t", args: {}, agent: "a2" });
  const codes = async (...more: string[]) =>
    jsonLines(await run(["check", "--batch", "-", "--json", ...WITH, ...more], { input })).map(
      ({ code }) => code,
    );
  expect(await codes("--agent", "a1", "--approval-mode", "yolo")).toEqual([
    "rule_denied",
    "mode_allowed",
  ]);
  expect(await codes("--no-interactive")).toEqual(["approval_unavailable", "approval_unavailable"]);
});

test("a relative path is resolved in the folder of its line, else in the working directory", async () => {
  const { cwd, run } = workplace({
    "policy.toml":
      '[[rules]]\nname = "src"\naction = "allow"\ntool = "read_file"\npaths = { read = "src/**" }\nreason = "src"\n',
    "src/x": "",
    "other/x": "",
  });
  const input =
    line({ tool: "read_file", args: { path: "src/x" } }) +
    line({ tool: "read_file", args: { path: "x" }, cwd: `${cwd}/src`, workspace: cwd }) +
    line({ tool: "read_file", args: { path: "x" }, cwd: `${cwd}/other`, workspace: cwd }) +
    line({ tool: "read_file", args: { path: "../src/../other/x" } });
  const ran = await run(["check", "--batch", "-", "--json", ...WITH], { input });
  expect(jsonLines(ran).map(({ effect }) => effect)).toEqual([
    "allow",
    "allow",
    "ask_user",
    "ask_user",
  ]);
});

test("--explain adds the votes to each line", async () => {
  const { run } = workplace({ "policy.toml": POLICY });
  const input = line({ id: "1", tool: "drop_x", args: {} }) + "bad\n";
  const [first, second] = jsonLines(
    await run(["check", "--batch", "-", "--json", "--explain", ...WITH], { input }),
  );
  expect(first?.["votes"]).toMatchObject([{ rule: { name: "no-drop" } }]);
  expect(Object.keys(first ?? {})).toEqual([
    "id",
    "effect",
    "code",
    "reason",
    "fix",
    "rule",
    "votes",
    "enforcement_mode",
  ]);
  expect(second).toMatchObject({ code: "invalid_call" });
});

test("prints a line for each decision and a summary for a person", async () => {
  const { run } = workplace({ "policy.toml": POLICY });
  const input =
    line({ id: "c1", tool: "drop_x", args: { a: "\u001b[31m" } }) +
    line({ tool: "read_file", args: {} }) +
    "bad\n";
  const ran = await run(["check", "--batch", "-", ...WITH], { input });
  expect(ran.code).toBe(0);
  expect(ran.stdout)
    .toBe(`deny     c1 drop_x {"a":"\\u001b[31m"} — Unexpected drop, expected a migration [no-drop, policy.toml:9] (fix: write a migration)
allow    read_file {} — Reading changes nothing [read, policy.toml:3]
deny     — Not valid JSON: \`b\` stands where a JSON value belongs (line 1, column 1)

3 calls: allow 1, ask_user 0, deny 2
codes: invalid_call 1, rule_allowed 1, rule_denied 1
rules:
       1  no-drop (policy.toml:9)
       1  read (policy.toml:3)
`);
});

describe("bytes", () => {
  test("a byte order mark at the start and CRLF change nothing", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const input =
      `\ufeff${line({ id: "1", tool: "read_file", args: {} })}${line({ id: "2", tool: "drop_x", args: {} })}`.replaceAll(
        "\n",
        "\r\n",
      );
    const ran = await run(["check", "--batch", "-", "--json", ...WITH], { input });
    expect(jsonLines(ran).map(({ effect }) => effect)).toEqual(["allow", "deny"]);
  });

  test("invalid UTF-8 is an invalid call, not a call with replaced characters", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const bytes = Buffer.concat([
      Buffer.from('{"id":"1","tool":"read_file","args":{"path":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}}\n{"id":"2","tool":"read_file","args":{}}\n'),
    ]);
    const ran = await run(["check", "--batch", "-", "--json", ...WITH], { input: bytes });
    expect(jsonLines(ran).map(({ effect, code }) => [effect, code])).toEqual([
      ["deny", "invalid_call"],
      ["allow", "rule_allowed"],
    ]);
  });

  test("an argument of 1 MB is decided, a line over 16 MiB is refused, and the next line is answered", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const call = (id: string, size: number) =>
      line({ id, tool: "read_file", args: { path: "x", text: "é".repeat(size / 2) } });
    const input = call("1", 1_000_000) + call("2", 17 * 1024 * 1024) + call("3", 10);
    const ran = await run(["check", "--batch", "-", "--json", ...WITH], { input });
    expect(ran.code).toBe(0);
    expect(jsonLines(ran).map(({ id, effect, code }) => [id, effect, code])).toEqual([
      ["1", "allow", "rule_allowed"],
      [undefined, "deny", "invalid_call"],
      ["3", "allow", "rule_allowed"],
    ]);
  });

  test("only spaces, tabs and carriage returns make a blank line", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const input = "\ufeff \t\r\n\u00a0\n\ufeff\n\u2028\n\u3000\n\f\n\n";
    const ran = await run(["check", "--batch", "-", "--json", ...WITH], { input });
    expect(jsonLines(ran).map(({ code }) => code)).toEqual(
      Array.from({ length: 5 }, () => "invalid_call"),
    );
  });

  test("a second byte order mark at the start makes an invalid call", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    const input = `\ufeff\ufeff${line({ tool: "read_file", args: {} })}`;
    expect(json(await run(["check", "--batch", "-", "--json", ...WITH], { input }))).toMatchObject({
      code: "invalid_call",
    });
  });

  test("an empty batch is answered", async () => {
    const { run } = workplace({ "policy.toml": POLICY });
    expect(await run(["check", "--batch", "-", "--json", ...WITH])).toMatchObject({
      code: 0,
      stdout: "",
    });
  });
});

test.each([
  ["gone.jsonl", "File not found: gone.jsonl"],
  [".", "\\. is a directory"],
])("a batch that is not a file is refused: %s", async (name, what) => {
  const { run } = workplace({ "policy.toml": POLICY });
  const ran = await run(["check", "--batch", name, ...WITH]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(new RegExp(`^error BYLAW_BATCH_UNREADABLE: ${what}`));
  expect(json(await run(["check", "--batch", name, ...WITH, "--json"]))).toMatchObject({
    error: { code: "BYLAW_BATCH_UNREADABLE" },
  });
});

test.skipIf(process.platform === "win32").each([
  ["a directory", ".", "r"],
  ["a file that cannot be read", "out", "w"],
] as const)("a standard input that is %s is refused", async (_, name, flags) => {
  const cwd = scratch({ "policy.toml": POLICY, out: "" });
  const stdin = openSync(join(cwd, name), flags);
  onTestFinished(() => closeSync(stdin));
  const ran = bylaw(["check", "--batch", "-", ...WITH], { cwd, stdin });
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(/^error BYLAW_BATCH_UNREADABLE: /);
});

test.skipIf(process.platform === "win32")(
  "a pipe without data yet is waited for, because a batch is a stream",
  async () => {
    const cwd = scratch({ "policy.toml": POLICY });
    makePipe(join(cwd, "calls"));
    const child = start(["check", "--batch", "calls", "--json", ...WITH], cwd);
    if (child.stdout === null) throw new Error("no pipe");
    await writeFile(join(cwd, "calls"), line({ tool: "read_file", args: {} }));
    const { value } = await createInterface(child.stdout)[Symbol.asyncIterator]().next();
    expect(JSON.parse(value as string)).toMatchObject({ effect: "allow" });
  },
);

describe("a live process", () => {
  test("answers each line as it arrives, before the input ends", async () => {
    const cwd = scratch({ "policy.toml": POLICY });
    const child = start(["check", "--batch", "-", "--json", ...WITH], cwd);
    if (child.stdout === null || child.stdin === null) throw new Error("no pipes");
    const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
    for (const [tool, effect] of [
      ["read_file", "allow"],
      ["drop_x", "deny"],
      ["send_mail", "ask_user"],
    ]) {
      child.stdin.write(line({ tool, args: {} }));
      const { value } = await answers.next();
      expect(JSON.parse(value as string)).toMatchObject({ effect });
    }
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  test("a reader that closes the pipe ends it quietly, but not with success", async () => {
    const cwd = scratch({
      "policy.toml": POLICY,
      "calls.jsonl": line({ tool: "read_file", args: {} }).repeat(50_000),
    });
    const child = start(["check", "--batch", "calls.jsonl", "--json", ...WITH], cwd);
    let errors = "";
    child.stderr?.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    child.stdout?.once("data", () => child.stdout?.destroy());
    expect(await once(child, "close")).toEqual([2, null]);
    expect(errors).toBe("");
  });
});

test("200,000 lines give 200,000 answers", async () => {
  const { run } = workplace({ "policy.toml": POLICY });
  const input = Array.from({ length: 200_000 }, (_, id) =>
    line({ id, tool: id % 2 === 0 ? "read_file" : "drop_x", args: { id } }),
  ).join("");
  const answers = jsonLines(await run(["check", "--batch", "-", "--json", ...WITH], { input }));
  expect(answers).toHaveLength(200_000);
  expect(
    answers.every(
      ({ id, effect }, index) => id === index && effect === (index % 2 === 0 ? "allow" : "deny"),
    ),
  ).toBe(true);
});
