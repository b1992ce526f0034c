import { describe, expect, test } from "vitest";
import { importPolicy } from "../src/index.ts";
import { call, run } from "./calls.ts";
import { imported, settings } from "./imported.ts";

const servers = { github: ["get_issue", "delete_repo"], prod: ["drop"] };
const bash = (command: string) => call("Bash", { command });
const read = (file_path: string) => call("Read", { file_path }, { workspace: "/w" });
const edit = (file_path: string) => call("Edit", { file_path }, { workspace: "/w" });
const fetched = (url: string) => call("WebFetch", { url });
const mcp = (tool: string) => call(tool, {}, { servers });

describe("what Claude Code's documents say a rule covers", () => {
  test.each([
    ["Bash(npm run test:*)", bash("npm run test"), "allow"],
    ["Bash(npm run test:*)", bash("npm run test unit"), "allow"],
    ["Bash(npm run test:*)", bash("npm run testing"), "ask_user"],
    ["Bash(npm run test:*)", bash("npm run test && rm -rf /"), "ask_user"],
    ["Bash(npm run test *)", bash("npm run test unit"), "allow"],
    ["Bash(git log)", bash("git log"), "allow"],
    ["Bash(git log)", bash("git log --oneline"), "ask_user"],
    ["Bash(ls *)", bash("lsof"), "ask_user"],
    ["Bash(ls*)", bash("lsof -i"), "allow"],
    ["Bash(git * main)", bash("git merge main"), "allow"],
    ["Bash(git * main)", bash("git push origin main"), "ask_user"],
    ["Bash(* --version)", bash("node --version"), "allow"],
    ["Bash", bash("npm test"), "allow"],
    ["Bash(*)", bash("npm test"), "allow"],
    ["Bash", bash("cat x | $SHELL"), "ask_user"],
    ["Bash(git log)", run("git log"), "allow"],
    ["Read(./docs/**)", read("/w/docs/a/b.md"), "allow"],
    ["Read(./docs/**)", read("docs/../.env"), "ask_user"],
    ["Read(./docs/**)", edit("/w/docs/a.md"), "ask_user"],
    ["Read(docs)", read("/w/docs/a.md"), "allow"],
    ["Read(*.md)", read("/w/a/b/c.md"), "allow"],
    ["Read(*.md)", read("/etc/x.md"), "ask_user"],
    ["Read(//etc/hosts)", read("/etc/hosts"), "allow"],
    ["Read(~/notes/*.md)", read("/home/dev/notes/x.md"), "allow"],
    ["Read(~/notes/*.md)", read("/home/dev/notes/x/y.txt"), "ask_user"],
    ["Edit(/src/**)", edit("/w/src/x.ts"), "allow"],
    ["Edit(/src/**)", edit("/src/x.ts"), "ask_user"],
    ["Edit(/src/**)", call("Write", { file_path: "/w/src/x.ts" }, { workspace: "/w" }), "allow"],
    ["WebFetch(domain:example.com)", fetched("https://example.com/a"), "allow"],
    ["WebFetch(domain:example.com)", fetched("https://example.com.evil.org/"), "ask_user"],
    ["WebFetch(domain:example.com)", fetched("https://api.example.com/"), "ask_user"],
    ["WebFetch", fetched("https://anything.org"), "allow"],
    ["mcp__github__get_issue", mcp("mcp__github__get_issue"), "allow"],
    ["mcp__github__get_issue", mcp("mcp__github__delete_repo"), "ask_user"],
    ["mcp__github", mcp("mcp__github__delete_repo"), "allow"],
    ["mcp__github__*", mcp("mcp__github__delete_repo"), "allow"],
    ["mcp__github__get_*", mcp("mcp__github__get_issue"), "allow"],
    ["mcp__github", mcp("mcp__prod__drop"), "ask_user"],
    ["mcp__github", call("mcp__github__get_issue"), "ask_user"],
    ["WebSearch", call("WebSearch", { query: "x" }), "allow"],
    ["Agent(Explore)", call("Task", { subagent_type: "Explore" }), "allow"],
    ["Agent(Explore)", call("Task", { subagent_type: "Other" }), "ask_user"],
  ])("allow %s", async (rule, one, wanted) => {
    const { effectOf, report } = await imported("claude", settings({ allow: [rule] }));
    expect(effectOf(one)).toBe(wanted);
    expect(report.filter((line) => line.startsWith("lost"))).toEqual([]);
  });

  test.each([
    ["Bash(rm -rf:*)", bash("rm -rf /"), "deny"],
    ["Bash(rm -rf:*)", bash("ls && sudo rm -r -f /"), "deny"],
    ["Bash(rm -rf:*)", run("rm -rf /"), "deny"],
    ["Bash(rm -rf:*)", bash("rm x"), "ask_user"],
    ["Bash(git push * --force)", bash("git push origin main --force"), "deny"],
    ["Bash(git push * --force)", bash("git status; git push a b c --force"), "deny"],
    ["Bash(curl http://evil.com/:*)", bash("curl http://evil.com/x"), "deny"],
    ['Bash(echo "x" > y)', bash("echo anything"), "deny"],
    ["Bash", bash("ls"), "deny"],
    ["Bash", run("ls"), "deny"],
    ["Read(./.env)", read("/w/.env"), "deny"],
    ["Read(./.env)", bash("cat .env"), "deny"],
    ["Read(./.env)", edit("/w/.env"), "deny"],
    ["Read(.env)", read("/w/a/b/.env"), "deny"],
    ["Read(./secrets)", read("/w/secrets/key"), "deny"],
    ["Read(~/.ssh/**)", read("/home/dev/.ssh/id_rsa"), "deny"],
    ["Edit({a,b}/x)", edit("/w/{a,b}/x"), "deny"],
    ["Read(../secrets/**)", read("/secrets/x"), "deny"],
    ["Read(../secrets/**)", read("/w/src/x"), "ask_user"],
    ["Edit(a\\*b/x)", edit("/w/a*b/x"), "deny"],
    ["Edit(/src/**)", bash("echo x > src/y"), "deny"],
    ["Edit(/src/**)", read("/w/src/x"), "ask_user"],
    ["Write(docs/**)", call("Write", { file_path: "/w/docs/x" }, { workspace: "/w" }), "deny"],
    ["WebFetch(domain:evil.com)", fetched("https://evil.com/"), "deny"],
    ["WebFetch(domain:evil.com)", fetched("https://api.EVIL.com/"), "deny"],
    ["WebFetch(something)", fetched("https://a.org/"), "deny"],
    ["mcp__prod", mcp("mcp__prod__drop"), "deny"],
    ["mcp__prod__drop", call("drop", {}, { server: "prod" }), "deny"],
    ["mcp__prod__drop", call("mcp__prod__drop"), "deny"],
    ["mcp__*", mcp("mcp__github__get_issue"), "deny"],
    ["mcp__*", call("get_issue", {}, { server: "github" }), "deny"],
    ["Skill(deploy)", call("Skill", { skill: "deploy" }), "deny"],
    ["Agent(Explore)", call("Task", { subagent_type: "Explore" }), "deny"],
    ["*", call("anything"), "deny"],
  ])("deny %s", async (rule, one, wanted) => {
    const { effectOf, report } = await imported("claude", settings({ deny: [rule] }));
    expect(effectOf(one)).toBe(wanted);
    expect(report.filter((line) => line.startsWith("lost"))).toEqual([]);
  });
});

describe("precedence", () => {
  test("deny, then ask, then allow, in whatever order and file they stand", async () => {
    const { effectOf } = await imported(
      "claude",
      settings({ allow: ["Bash(git:*)", "Bash(aws s3 ls)"], deny: ["Bash(git push --force:*)"] }),
      settings({ ask: ["Bash(git push:*)"], deny: ["Bash(aws *)"] }),
    );
    expect(effectOf(bash("git status"))).toBe("allow");
    expect(effectOf(bash("git push origin"))).toBe("ask_user");
    expect(effectOf(bash("git push --force"))).toBe("deny");
    expect(effectOf(bash("aws s3 ls"))).toBe("deny");
    expect(effectOf(bash("make"))).toBe("ask_user");
  });
  test("dontAsk denies what no rule allows", async () => {
    const { effectOf, report } = await imported(
      "claude",
      settings({ allow: ["Bash(ls)"], defaultMode: "dontAsk" }),
    );
    expect(effectOf(bash("ls"))).toBe("allow");
    expect(effectOf(bash("make"))).toBe("deny");
    expect(report).toEqual([]);
  });
  test("without bypassPermissions mode yolo waves nothing through, and rules decide as before", async () => {
    const { effectOf, report } = await imported(
      "claude",
      settings({
        allow: ["Bash(ls)"],
        deny: ["Bash(rm:*)"],
        disableBypassPermissionsMode: "disable",
      }),
    );
    const yolo = { approval_mode: "yolo" } as const;
    expect(effectOf({ ...bash("make"), ...yolo })).toBe("ask_user");
    expect(effectOf({ ...bash("ls"), ...yolo })).toBe("allow");
    expect(effectOf({ ...bash("rm x"), ...yolo })).toBe("deny");
    expect(report).toEqual([]);
  });
  test("plan mode asks about edits and commands, whatever is allowed", async () => {
    const { effectOf } = await imported(
      "claude",
      settings({ allow: ["Edit(/src/**)", "Bash(make)", "Read(./src/**)"], defaultMode: "plan" }),
    );
    expect([edit("/w/src/x"), bash("make"), read("/w/src/x")].map(effectOf)).toEqual([
      "ask_user",
      "ask_user",
      "allow",
    ]);
  });
  test("files of additional folders may be read, and no more", async () => {
    const { effectOf, report } = await imported(
      "claude",
      settings({ additionalDirectories: ["~/shared", "/opt/data/", "../up"] }),
    );
    expect(effectOf(read("/home/dev/shared/x"))).toBe("allow");
    expect(effectOf(read("/opt/data/x"))).toBe("allow");
    expect(effectOf(edit("/opt/data/x"))).toBe("ask_user");
    expect(report).toEqual(["lost 1:66"]);
  });
});

describe("what cannot be carried over", () => {
  test.each([
    ["Write(docs/**)", /never consults/],
    ["Skill(deploy)", /not known here/],
    ["mcp__*", /server is not written out/],
    ["mcp__*__get", /server is not written out/],
    ["*", /skips an allow with a `\*`/],
    ['Bash(git commit -m "x")', /shell syntax/],
    ["Bash($(x))", /shell syntax/],
    ["WebFetch(example.com)", /only `domain:`/],
    ["Read({a,b})", /braces/],
    ["Read(a\\ b)", /cannot be written as a glob/],
    ["Read(!x)", /takes back another/],
    ["Bash(ls", /no rule of the form/],
    ["Bash()", /between the parentheses/],
  ])("an allow is lost and allows nothing: %s", async (rule, message) => {
    const { rules, findings } = await imported("claude", settings({ allow: [rule] }));
    expect(rules).toBe(0);
    expect(findings).toEqual([
      {
        severity: "lost",
        file: "source-1",
        line: 1,
        column: 26,
        source: rule,
        message: expect.stringMatching(message),
      },
    ]);
  });
  test.each([
    { deny: ["Bash(rm"] },
    { ask: [7] },
    { deny: "Bash" },
    { deny: ["Read(!x)"] },
    { disableBypassPermissionsMode: true },
  ])("what may have denied and cannot be read puts every allow in doubt: %j", async (lost) => {
    const { effectOf, findings } = await imported(
      "claude",
      settings({ allow: ["Bash(ls)"], ...lost }),
    );
    expect(effectOf(bash("ls"))).toBe("ask_user");
    expect(findings.map(({ severity }) => severity)).toEqual(["lost", "stricter"]);
  });
  test("modes and unknown keys are named with their place", async () => {
    const text =
      '{\n  // mine\n  "permissions": {\n    "defaultMode": "acceptEdits",\n    "magic": [true, null, {"a": -1.5}]\n  }\n}';
    const { report, findings } = await imported("claude", text);
    expect(report).toEqual(["lost 4:20", "lost 5:14"]);
    expect(findings[1]?.source).toBe('magic: [true, null, { "a": -1.5 }]');
  });
  test("the settings of a user read `/path` from their own folder; a deny holds in both readings", async () => {
    const input = {
      file: "settings.json",
      text: settings({ allow: ["Read(/a)"], deny: ["Read(/b)"] }),
      scope: "user",
    } as const;
    const { effectOf } = await imported("claude", input);
    expect(effectOf(read("/home/dev/.claude/a"))).toBe("allow");
    expect(effectOf(read("/w/a"))).toBe("ask_user");
    expect(effectOf(read("/home/dev/.claude/b"))).toBe("deny");
    expect(effectOf(read("/w/b"))).toBe("deny");
  });
  test("a rule cannot break out of its comment or its text", async () => {
    const evil = 'Bash(ls)\n[[rules]]\nname = "x"\naction = "allow"\n# \u2028\u0007"""';
    const { rules, toml } = await imported(
      "claude",
      settings({ allow: [evil, "Bash(ls)"], deny: [`Tool"\n'''x`] }),
    );
    expect(rules).toBe(1);
    expect(toml.match(/^\[\[rules\]\]$/gm)).toHaveLength(1);
  });
  test("rules of one text have names of their own", async () => {
    const { toml } = await imported(
      "claude",
      settings({ allow: ["Bash(ls)", "Bash(ls)", "Bash(LS)"] }),
    );
    expect([...toml.matchAll(/^name = "(.*)"$/gm)].map(([, name]) => name)).toEqual([
      "allow-bash-ls",
      "allow-bash-ls-2",
      "allow-bash-ls-3",
    ]);
  });
  test.each([
    ["{", 1, 2],
    ['{"permissions": {"allow": [}}', 1, 28],
    ['{\n"permissions": {}, "permissions": {}}', 2, 33],
    ['{"permissions": []}', 1, 1],
    ['{"a": 1}', 1, 1],
    ["[".repeat(100), 1, 66],
    ['{"permissions": {"allow": ["\\x"]}}', 1, 28],
    ["", 1, 1],
  ])("no settings: %s", async (text, line, column) => {
    await expect(importPolicy("claude", [{ file: "s.json", text }])).rejects.toMatchObject({
      code: "BYLAW_IMPORT_INVALID",
      source: { file: "s.json", line, column },
    });
  });
});
