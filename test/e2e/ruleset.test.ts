import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { json, jsonLines, scratch } from "./bylaw.ts";
import {
  CASES,
  INDEX,
  NAME,
  NOW,
  OLD,
  packageAt,
  POLICY,
  ruleset,
  type Files,
} from "./ruleset-kit.ts";

/** What a user has is strict; the new version is this. */
const upgrade = (files: Files): string => scratch({ ...packageAt(OLD), ...packageAt(NOW, files) });

test("a ruleset is made, verified, packed and installed under one digest", async () => {
  const cwd = scratch();
  const made = json(await ruleset(cwd, `new ${NAME} --json`));
  expect(made["written"]).toContain("rules/package.json");
  const packed = await ruleset(cwd, "pack rules --out dist --json");
  expect(packed, packed.stdout + packed.stderr).toMatchObject({ code: 0, stderr: "" });
  const { tarball, files, digest, problems } = json(packed);
  expect([tarball, problems]).toEqual([join(cwd, "dist/acme-rules-0.1.0.tgz"), []]);
  const lines = (files as string[]).map((file) => {
    const hash = createHash("sha256").update(readFileSync(join(cwd, "rules", file)));
    return `${hash.digest("hex")}  ${file}\n`;
  });
  expect(digest).toBe(`sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`);
  const unpacked = await ruleset(cwd, "verify dist/acme-rules-0.1.0.tgz");
  expect(unpacked).toEqual({
    code: 0,
    stdout: `${NAME} 0.1.0: 1 rule, 2 of 2 cases pass\n  digest: ${String(digest)}\n  final: none\n`,
    stderr: "",
  });
  mkdirSync(join(cwd, "node_modules/@acme"), { recursive: true });
  renameSync(join(cwd, "rules"), join(cwd, NOW));
  rmSync(join(cwd, NOW, ".gitignore"));
  expect(json(await ruleset(cwd, `verify ${NAME} --json`))["digest"]).toBe(digest);
});

test("verify warns of a deny that another spelling evades", async () => {
  const ran = await ruleset(scratch(packageAt(NOW)), `verify ${NAME}`);
  expect(ran.code).toBe(0);
  expect(ran.stdout).toContain(
    "warning: policy.toml:12: `git push x` gets ask_user instead of deny",
  );
});

describe("bylaw ruleset verify --against", () => {
  const verify = (cwd: string) => ruleset(cwd, `verify ${NAME} --against ${OLD}`);

  test("names what is less strict: a call, an example whose case went, a rule that was final", async () => {
    const loose = {
      "policy.toml": POLICY.replace('"deny"\ntool', '"ask_user"\ntool')
        .replace("final = true\n", "")
        .replace(/\n\[\[rules\]\]\nname = "no-push"[^]*/, ""),
      "cases.jsonl": '{"tool": "refund", "args": {"ticket": "T-1"}, "must_not": "deny"}\n',
    };
    const ran = await verify(upgrade({ ...loose, manifest: { version: "1.9.0" } }));
    expect(ran.code).toBe(1);
    expect(ran.stdout).toContain("against 1.0.0: 3 less strict");
    expect(ran.stdout).toContain("deny → ask_user bare refund {}");
    expect(ran.stdout).toContain('example of no-push run_shell_command {"command":"git push"}');
    expect(ran.stdout).toContain("no longer final @bylaw/plugin-policy/no-refund");
    expect(ran.stdout).toContain("problem: 1.9.0 is less strict than 1.0.0 without being a major");
    expect(ran.stdout).toContain("fix: Make it 2.0.0, or stay as strict");
    for (const version of ["2.0.0", "2.0.0-rc.1"])
      expect(await verify(upgrade({ ...loose, manifest: { version } }))).toMatchObject({ code: 0 });
    const zero = scratch({
      ...packageAt(OLD, { manifest: { version: "0.1.0" } }),
      ...packageAt(NOW, { ...loose, manifest: { version: "0.1.1" } }),
    });
    expect((await verify(zero)).stdout).toContain("fix: Make it 0.2.0");
  });

  test.each([
    [
      "a stricter minor version",
      {
        manifest: { version: "1.1.0" },
        "policy.toml": `${POLICY}\n[[rules]]\nname = "no-mail"\naction = "deny"\ntool = "mail"\nreason = "No mail."\n`,
      },
      0,
      "nothing is less strict",
    ],
    [
      "other files under the same version",
      { "README.md": "new" },
      1,
      "1.0.0 is also the version it is compared with",
    ],
    ["a lower version", { manifest: { version: "0.9.0" } }, 1, "0.9.0 is lower than 1.0.0"],
    [
      "another ruleset",
      { manifest: { name: "@acme/others" }, "index.js": INDEX.replace(NAME, "@acme/others") },
      2,
      "@acme/others cannot be compared with @acme/rules",
    ],
  ] as const)("%s", async (_, files, code, says) => {
    const ran = await ruleset(upgrade(files as Files), `verify ${NOW} --against ${OLD}`);
    expect(ran.code, ran.stdout + ran.stderr).toBe(code);
    expect(ran.stdout + ran.stderr).toContain(says);
  });
});

describe("bylaw ruleset verify refuses", () => {
  const outside = INDEX.replace(
    'new URL("policy.toml", import.meta.url)',
    'new URL("../outside.toml", import.meta.url)',
  );
  test.each([
    [
      "a case that is not so",
      { "cases.jsonl": CASES.replace('"deny"', '"allow"') },
      1,
      "case `bare` fails",
    ],
    [
      "cases of which none has to hold",
      { "cases.jsonl": '{"tool": "refund", "args": {}, "must": "allow", "soft": true}\n' },
      1,
      "No case about a tool call",
    ],
    [
      "cases that ask about something else",
      { "cases.jsonl": '{"response": {}}\n' },
      1,
      "No case about a tool call",
    ],
    [
      "a policy beside the package",
      { "index.js": outside, "../outside.toml": POLICY },
      1,
      "`../outside.toml` is read by the ruleset, but the package does not",
    ],
    [
      "a policy of the project that uses it",
      { "index.js": INDEX.replace(/fileURLToPath\(new URL\((.*?), .*\)\)/, "$1") },
      1,
      "`policy.toml` is relative",
    ],
    [
      "an entry outside of the package",
      { manifest: { exports: undefined, main: "../out.js" }, "../out.js": INDEX },
      2,
      "has no entry of its own",
    ],
    [
      "the name of another package",
      { manifest: { name: "@acme/others" } },
      2,
      "installed as `@acme/rules` calls itself `@acme/others`",
    ],
    [
      "a ruleset under another name",
      { "index.js": INDEX.replace(NAME, "@acme/others") },
      2,
      "exports no ruleset of that name",
    ],
    ["no keyword", { manifest: { keywords: [] } }, 1, "lacks the keyword `bylaw-ruleset`"],
    [
      "a range that promises everything",
      { manifest: { dependencies: { x: "*" } } },
      1,
      'No published version is sure to fit "*", the range of `x`',
    ],
    [
      "no kernel",
      { manifest: { peerDependencies: {} } },
      1,
      "`peerDependencies` does not name `@bylaw/kernel`",
    ],
    [
      "another kernel",
      { manifest: { peerDependencies: { "@bylaw/kernel": "^9.0.0" } } },
      1,
      "is not in the range ^9.0.0",
    ],
    [
      "a contract with an error",
      { "agent_workflow.yaml": "bylaw: 1\nphases: {}\n" },
      1,
      "agent_workflow.yaml:",
    ],
    [
      "a template with an error",
      { "templates/x.yaml": "bylaw: 1\nname: x\nsteps: 1\n" },
      1,
      "templates/x.yaml:",
    ],
    [
      "a rule that lint has an error for",
      {
        "policy.toml": `${POLICY}\n[[rules]]\nname = "push"\naction = "allow"\ncommand = "git push * +*"\n`,
      },
      1,
      "problem: policy.toml:19: `git push * +*` in `push` covers nothing",
    ],
    ["a broken policy", { "policy.toml": "[[rules]]\n" }, 2, "BYLAW_POLICY_INVALID"],
    ["code that throws", { "index.js": "throw new Error('no');" }, 2, "failed to load: no"],
    ["a version that is none", { manifest: { version: "new" } }, 2, "no `version` such as 1.0.0"],
    [
      "a manifest that is no JSON",
      { "package.json": "{" },
      2,
      "no `package.json` that can be read",
    ],
  ] as const)("%s", async (_, files, code, says) => {
    const ran = await ruleset(scratch(packageAt(NOW, files as Files)), `verify ${NAME}`);
    expect(ran.code, ran.stdout + ran.stderr).toBe(code);
    expect(ran.stdout + ran.stderr).toContain(says);
  });

  test("files that are links, which npm leaves out, where it chooses them and where they are installed", async () => {
    const cwd = scratch({ ...packageAt(NOW), ...packageAt("rules"), "policy.toml": POLICY });
    for (const folder of [NOW, "rules"]) {
      rmSync(join(cwd, folder, "policy.toml"));
      symlinkSync(join(cwd, "policy.toml"), join(cwd, folder, "policy.toml"));
    }
    const installed = await ruleset(cwd, `verify ${NAME}`);
    expect(installed).toMatchObject({ code: 2, stdout: "" });
    expect(installed.stderr).toContain("policy.toml is a link or no regular file");
    const own = await ruleset(cwd, "pack rules");
    expect(own.code).toBe(1);
    expect(own.stdout).toContain("`policy.toml` is read by the ruleset, but the package does not");
    expect(own.stdout).not.toContain("wrote");
  });

  test.each([
    ["verify nowhere.tgz", "File not found: nowhere.tgz"],
    ["verify nowhere", "There is neither a folder nor an installed package `nowhere`"],
    ["verify calls.jsonl", "calls.jsonl is not an npm tarball"],
    ["verify .", "has no `package.json` that can be read"],
    ["new ../up", "`../up` is not a package name"],
    ["new rules --dir calls.jsonl", "Cannot write into calls.jsonl"],
    ["diff a", "`<new>` is missing"],
  ])("%s", async (args, says) => {
    const ran = await ruleset(scratch({ "calls.jsonl": "" }), args);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(says);
  });
});

test.each(["@..", "@calls.tar", "@file:..", "@acme/rules", "@https://acme.test/r"])(
  "asks npm for no `rules%s`, which it would take for a path, a repository or an address",
  async (version) => {
    const ran = await ruleset(scratch({ "calls.tar": "" }), `verify rules${version}`);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toContain(`File not found: rules${version}`);
  },
);

describe("bylaw ruleset diff", () => {
  const NEXT = {
    manifest: { version: "2.0.0" },
    "policy.toml": POLICY.replace("final = true\n", "").replace('tool = "refund"', 'tool = "pay"'),
  };

  test("lists what changes over the packages, a corpus and a log, with what happened in it", async () => {
    const cwd = upgrade(NEXT);
    const event = (sequence: number, tool: string): string =>
      `${JSON.stringify({ timestamp: "2026-01-17T09:00:00Z", sequence, session_id: "s", event_type: "tool_denied", agent_id: "a", task_id: null, details: { id: `${sequence}`, tool, args: {}, decision: { effect: "deny" } } })}\n`;
    writeFileSync(join(cwd, "log.jsonl"), event(1, "pay") + event(2, "read"));
    writeFileSync(join(cwd, "corpus.jsonl"), '{"tool":"pay","args":{"n":1},"must":"deny"}\n');
    const args = `diff ${OLD} ${NAME} --cases corpus.jsonl --log log.jsonl`;
    const ran = await ruleset(cwd, args);
    expect(ran).toEqual({
      code: 1,
      stdout: `deny → ask_user bare refund {}
  no-refund, policy.toml:1 → fallback
ask_user → deny corpus.jsonl:1 pay {"n":1}
  fallback → no-refund, policy.toml:1
ask_user → deny #1 pay {}
  fallback → no-refund, policy.toml:1
no longer final: @bylaw/plugin-policy/no-refund
@acme/rules 1.0.0 → 2.0.0: 6 calls: 3 the same, 3 flips (ask_user → deny 2, deny → ask_user 1), 1 call less strict
`,
      stderr: "",
    });
    const [first, , , last] = jsonLines(await ruleset(cwd, `${args} --json`));
    expect(first).toMatchObject({ flip: { sequence: "bare", recorded: { effect: "deny" } } });
    expect(last).toMatchObject({
      old: { version: "1.0.0", digest: expect.stringMatching(/^sha256:/) as string },
      new: { version: "2.0.0" },
      summary: { calls: 6, flips: 3, looser: 1, final_gone: ["@bylaw/plugin-policy/no-refund"] },
    });
  });

  test("finds nothing between a ruleset and itself", async () => {
    expect(await ruleset(scratch(packageAt(NOW)), `diff ${NAME} ${NOW}`)).toEqual({
      code: 0,
      stdout: "@acme/rules 1.0.0 → 1.0.0: 3 calls: 3 the same, 0 flips, 0 calls less strict\n",
      stderr: "",
    });
  });
});
