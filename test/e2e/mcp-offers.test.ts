// Tests calls that `bylaw mcp` changes because a rule offers others, in front of a real MCP server.
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { bylaw } from "./bylaw.ts";
import { connect } from "./mcp-proxy-kit.ts";

const rule = (name: string, action: string, fields: string): string => `
[[rules]]
name = "${name}"
action = "${action}"
server = "files"
${fields}
`;
const head = (value: number, instead: string): string => `tool = "read_text_file"
args = { head = { eq = ${value} } }
instead = { ${instead} }`;
const content = (value: string): string => `tool = "write_file"
args = { content = { eq = "${value}" } }`;

const POLICY = [
  rule("reading", "allow", 'tool = "read_text_file"'),
  rule("short", "deny", head(9, "head = 1")),
  rule("to-a-secret", "deny", head(8, 'path = "data/.env"')),
  rule("not-a-number", "deny", head(7, 'head = "many"')),
  rule(
    "listing",
    "deny",
    `tool = "list_directory"
args = { path = { regex = ".*/data" } }
instead = { path = "data/uncovered" }`,
  ),
  rule("drafts", "ask_user", `${content("x")}\ninstead = { content = "y" }`),
  rule("plain", "allow", content("y")),
  rule("secrets", "deny", 'final = true\npaths = ["**/.env"]'),
].join("");
const files = {
  "policy.toml": POLICY,
  "bylaw.config.json": JSON.stringify({
    fallback: "allow",
    plugins: [{ use: "@bylaw/plugin-policy", options: { files: ["policy.toml"], operator: true } }],
  }),
  "data/a.txt": "one\ntwo\nthree",
};

it("runs the call that a rule offers if another rule allows it", async () => {
  const { call, data, asked } = await connect({ files, says: { action: "decline" } });
  expect(await call("read_text_file", { path: join(data, "a.txt"), head: 9 })).toBe("one");
  expect(await call("read_text_file", { path: join(data, "a.txt"), head: 2 })).toBe("one\ntwo");
  const path = join(data, "new.txt");
  expect(await call("write_file", { path, content: "x" })).toMatch(/^Successfully/);
  expect(readFileSync(path, "utf8")).toBe("y");
  expect(asked).toEqual([]);
});

it("runs neither if the other is denied, not covered by a rule, or not what the server takes", async () => {
  const { call, data } = await connect({ files });
  mkdirSync(join(data, "uncovered"));
  const path = join(data, "a.txt");
  expect(await call("read_text_file", { path, head: 8 })).toMatch(/^refused: .*`to-a-secret`/);
  expect(await call("read_text_file", { path, head: 8 })).not.toContain("KEY");
  expect(await call("list_directory", { path: data })).toMatch(/^refused: .*Use `data\/uncovered`/);
  expect(await call("list_directory", { path: join(data, "uncovered") })).not.toMatch(/^refused/);
  expect(await call("read_text_file", { path, head: 7 })).toMatch(/^refused: .*number/s);
});

it("puts both calls on record in a run, under one id, and asks nobody", async () => {
  const store = [".bylaw/store.db", "--run", "r"];
  const options = ["--store", ...store, "--agent", "bot", "--create"];
  const { call, data, cwd } = await connect({ files, options });
  const path = join(data, "new.txt");
  await call("read_text_file", { path: join(data, "a.txt"), head: 9 });
  await call("write_file", { path, content: "x" });
  expect(existsSync(path)).toBe(true);
  const { stdout } = bylaw(["log", "tail", "--store", ...store, "--json"], { cwd });
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { event_type: string; details: { id?: string } })
    .filter(({ event_type }) => event_type.startsWith("tool_"));
  expect(events.map(({ event_type }) => event_type)).toEqual([
    ...["tool_denied", "tool_allowed", "tool_asked", "tool_allowed"],
  ]);
  const ids = events.map(({ details }) => details.id);
  expect(ids[0]).toBe(ids[1]);
  expect(ids[2]).toBe(ids[3]);
  expect(new Set(ids).size).toBe(2);
  const listed = bylaw(["approve", "list", "--store", ...store], { cwd });
  expect(listed.stdout).not.toContain("new.txt");
});
