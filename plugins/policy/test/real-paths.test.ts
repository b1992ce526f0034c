import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  createKernel,
  freezeJson,
  type Decision,
  type Json,
  type Subject,
  type ToolCall,
} from "@bylaw/kernel";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import { readCases, temporaryFolder } from "@bylaw/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { policy } from "../src/index.ts";

let root = "";
let work = "";
beforeEach(() => {
  root = temporaryFolder();
  work = join(root, "work");
  mkdirSync(join(work, "src"), { recursive: true });
  mkdirSync(join(root, "secret"));
  writeFileSync(join(root, "secret/key"), "x");
  writeFileSync(join(work, "src/a"), "x");
});

const text = (): string => `
[[rules]]
name = "src"
action = "allow"
tool = "read_file|write_file|write_files"
paths = "src/**"
[[rules]]
name = "secret"
action = "deny"
tool = "*"
paths = "${root}/secret/**"
[[rules]]
name = "cat"
action = "allow"
tool = "bash"
command = "cat *"
paths = "src/**"
`;

async function decide(tool: string, args: ToolCall["args"], cwd = work): Promise<Decision> {
  const kernel = createKernel({ plugins: [policy({ text: text() })] });
  return kernel.decide(
    await kernel.prepare({ hook: "beforeToolCall", tool, args, cwd, home: root }),
  );
}
const read = (path: Json): Promise<Decision> => decide("read_file", { path });
const write = (path: Json): Promise<Decision> => decide("write_file", { path });

describe("links", () => {
  test("a plain file inside is allowed, new or old", async () => {
    expect((await read("src/a")).effect).toBe("allow");
    expect((await write("src/new/deep/file")).effect).toBe("allow");
  });
  test("a link that is created between two preparations of one call is seen by the second, whoever prepares", async () => {
    const kernel = createKernel({ plugins: [policy({ text: text() })] });
    const call = freezeJson({
      hook: "beforeToolCall",
      tool: "read_file",
      args: { path: "src/late" },
      cwd: work,
      home: root,
    });
    const ruled = async (subject: Subject): Promise<string | undefined> =>
      (await kernel.decide(await kernel.prepare(subject))).rule?.name;
    const first = await kernel.prepare(call as unknown as Subject);
    expect((await kernel.decide(first)).rule?.name).toBe("src");
    symlinkSync(join(root, "secret/key"), join(work, "src/late"));
    expect(await ruled(call as unknown as Subject)).toBe("secret");
  });
  test("a link that leads out is not allowed, and is denied by its target", async () => {
    symlinkSync(join(root, "secret/key"), join(work, "src/link"));
    symlinkSync(join(root, "secret"), join(work, "src/folder"));
    symlinkSync("/usr", join(work, "src/usr"));
    expect((await read("src/link")).rule?.name).toBe("secret");
    expect((await read("src/folder/key")).rule?.name).toBe("secret");
    expect((await write("src/folder/new")).rule?.name).toBe("secret");
    expect((await read("src/usr/lib")).effect).toBe("ask_user");
    expect((await decide("bash", { command: "cat src/link" })).rule?.name).toBe("secret");
    expect((await decide("bash", { command: "cat src/a" })).effect).toBe("allow");
  });
  test("a link to what does not exist yet leads there too", async () => {
    symlinkSync(join(root, "secret/new"), join(work, "src/dangling"));
    symlinkSync("../../secret/new", join(work, "src/relative"));
    symlinkSync("dangling", join(work, "src/chain"));
    for (const name of ["dangling", "relative", "chain"])
      expect((await write(`src/${name}`)).rule?.name).toBe("secret");
  });
  test("`..` after a link is resolved as the system does, and as a program that normalizes paths does", async () => {
    mkdirSync(join(root, "secret/sub"));
    symlinkSync(join(root, "secret/sub"), join(work, "src/up"));
    expect((await read("src/up/../key")).rule?.name).toBe("secret");
    expect((await read(`${work}/src/up/../a`)).effect).not.toBe("allow");
    expect((await read("src/none/../a")).effect).toBe("allow");
  });
  test("a loop is unknown", async () => {
    symlinkSync("loop", join(work, "src/loop"));
    expect(await read("src/loop/x")).toMatchObject({ effect: "ask_user", code: "unknown_path" });
  });
  test("a link inside that stays inside is allowed", async () => {
    symlinkSync("a", join(work, "src/inner"));
    expect((await read("src/inner")).effect).toBe("allow");
  });
  test("one bad path of several suffices", async () => {
    symlinkSync(join(root, "secret/key"), join(work, "src/link"));
    expect((await decide("write_files", { paths: ["src/a", "src/link"] })).rule?.name).toBe(
      "secret",
    );
  });
});

describe("a workspace behind a link", () => {
  test("its own files are inside, whichever path names them", async () => {
    symlinkSync(work, join(root, "alias"));
    const alias = join(root, "alias");
    expect((await decide("read_file", { path: "src/a" }, alias)).effect).toBe("allow");
    expect((await decide("read_file", { path: `${alias}/src/a` }, alias)).effect).toBe("allow");
  });
  test("a deny of its real folder applies", async () => {
    symlinkSync(join(root, "secret"), join(root, "alias"));
    expect((await decide("read_file", { path: "key" }, join(root, "alias"))).rule?.name).toBe(
      "secret",
    );
  });
});

test("an edit through a link out of the workspace is no edit of the workspace", async () => {
  symlinkSync(join(root, "secret"), join(work, "out"));
  const kernel = createKernel({ plugins: [policy({ text: "" })], approval_mode: "autoEdit" });
  const edit = async (path: string): Promise<string> =>
    (
      await kernel.decide(
        await kernel.prepare({
          hook: "beforeToolCall",
          tool: "write_file",
          args: { path },
          cwd: work,
        }),
      )
    ).effect;
  expect(await edit("src/a")).toBe("allow");
  expect(await edit("out/key")).toBe("ask_user");
});

test("only calls that name files are resolved", async () => {
  const kernel = createKernel({ plugins: [policy({ text: text() })] });
  const facts = async (tool: string, args: ToolCall["args"]): Promise<unknown> =>
    (await kernel.prepare({ hook: "beforeToolCall", tool, args, cwd: work })).facts?.[
      "@bylaw/plugin-policy"
    ] ?? {};
  expect(await facts("read_file", { path: "src/a" })).toEqual({
    paths: [["src/a", join(work, "src/a")]],
  });
  expect(await facts("http_request", { url: "https://a.example" })).toEqual({});
  expect(await facts("bash", { command: "echo src/a" })).toEqual({});
  expect(await facts("bash", { command: "cd src && cat a < b > 'c d'; cat $X" })).toEqual({
    paths: ["src", "src/a", "src/b", "src/c d"].map((name) => [name, join(work, name)]),
  });
  expect(await facts("read_file", { path: "$HOME/a" })).toEqual({});
});

test("beyond a thousand paths none is resolved, and none is allowed", async () => {
  const paths = (count: number): string[] => Array.from({ length: count }, (_, at) => `src/${at}`);
  expect((await decide("write_files", { paths: paths(1000) })).effect).toBe("allow");
  expect(await decide("write_files", { paths: paths(1001) })).toMatchObject({
    effect: "ask_user",
    code: "unknown_path",
  });
  const call: ToolCall = { hook: "beforeToolCall", tool: "write_files", args: {}, cwd: work };
  const stamped = resolvePaths(call, paths(1001))?.["paths"] as readonly Json[];
  expect([stamped[999], stamped[1000]]).toEqual([["src/999", join(work, "src/999")], ["src/1000"]]);
});

test("a command that reads or writes through a link is denied by its target", async () => {
  symlinkSync(join(root, "secret"), join(work, "src/door"));
  const line = async (command: string): Promise<unknown> =>
    (await decide("bash", { command })).rule?.name;
  for (const command of readCases<string>(import.meta, "through-links")) {
    expect([command, await line(command)]).toEqual([command, "secret"]);
  }
});

test("a glob through a link, and a copy through one, are denied by their target", async () => {
  symlinkSync(join(root, "secret"), join(work, "src/folder"));
  expect((await decide("glob", { pattern: "src/folder/*" })).rule?.name).toBe("secret");
  expect((await decide("grep", { pattern: "x", include: "src/folder/key" })).rule?.name).toBe(
    "secret",
  );
  expect((await decide("copy_file", { source: "src/a", dest: "src/folder" })).rule?.name).toBe(
    "secret",
  );
});

describe("what a rule by effect or mode yolo allows to write stays inside, also through a link", () => {
  const line = async (rules: string, command: string): Promise<string> => {
    const kernel = createKernel({ plugins: [policy({ text: rules })], approval_mode: "yolo" });
    const call = { hook: "beforeToolCall", tool: "bash", args: { command }, cwd: work } as const;
    return (await kernel.decide(await kernel.prepare(call))).effect;
  };
  const allow = '[[rules]]\nname = "w"\naction = "allow"\neffects = ["reads", "writes"]\n';
  const deny = '[[rules]]\nname = "w"\naction = "deny"\neffects = ["writes-outside"]\n';
  test.each([
    ["no rule", "", "ask_user"],
    ["an allow", allow, "ask_user"],
    ["a deny", deny, "deny"],
  ])("%s", async (_, rules, effect) => {
    symlinkSync("/etc", join(work, "src/etc"));
    expect(await line(rules, "touch src/b src/a")).toBe("allow");
    for (const command of ["touch src/etc/x", "echo x > src/etc/x", "cp src/a src/etc"])
      expect(await line(rules, command), command).toBe(effect);
  });
});
