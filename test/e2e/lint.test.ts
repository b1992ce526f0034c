import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readCases } from "@bylaw/testing";
import { describe, expect, test } from "vitest";
import { bylawHere, json, scratch, workplace } from "./bylaw.ts";
import { shell } from "./shell.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const WIPE = `[[rules]]
name = "no-wipe"
action = "deny"
command = "rm -rf /"
reason = "This deletes everything."
`;
const CONTRADICTION = `[[rules]]
name = "mail"
action = "allow"
tool = "send_mail"

[[rules]]
name = "no-mail"
action = "deny"
tool = "send_mail"
reason = "Unexpected mail, expected a draft"
`;
const BROKEN = `[[rules]]
name = "r"
actoin = "deny"

[[rules]]
name = "s"
action = "deny"
tol = "x"
`;

interface Finding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly fix?: string;
}

const findingsOf = (ran: Parameters<typeof json>[0]): readonly Finding[] =>
  json(ran)["findings"] as readonly Finding[];
const brief = (ran: Parameters<typeof json>[0]): readonly string[] =>
  findingsOf(ran).map(({ file, line, severity, code }) => `${file}:${line} ${severity} ${code}`);

test("prints findings with the keys of the stable interface", async () => {
  const ran = await workplace({ "p.toml": WIPE }).run("lint p.toml --json");
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(findingsOf(ran)).toEqual([
    {
      file: "p.toml",
      line: 4,
      column: 1,
      code: "evaded_rule",
      severity: "warning",
      message:
        "`rm -rf / x` gets ask_user instead of deny from rule `no-wipe`: it does the same, but is written with one more argument",
      fix: "End the pattern with ` *`, so that it also matches further arguments",
    },
  ]);
});

test("prints for a person: place, severity, code, message, the fix below, and a summary", async () => {
  const { run } = workplace({ "p.toml": WIPE, "q.toml": CONTRADICTION });
  const ran = await run("lint p.toml q.toml");
  expect(ran).toMatchObject({ code: 1, stderr: "" });
  expect(ran.stdout).toMatch(
    /^p\.toml:4:1 warning evaded_rule: .*\n {2}fix: .*\nq\.toml:3:1 error contradictory_rules: .*\n {2}fix: /,
  );
  expect(ran.stdout).toMatch(/\n\n1 error, 1 warning in 2 files\n$/);
});

describe("the exit code", () => {
  test.each([
    ["0 where nothing is found", 'default = "deny"\n', 0],
    ["0 where nothing is an error", WIPE, 0],
    ["1 where a finding is an error", CONTRADICTION, 1],
    ["1 where the policy does not load", BROKEN, 1],
  ])("is %s", async (_, text, code) => {
    const { run } = workplace({ "p.toml": text });
    expect(await run("lint p.toml")).toMatchObject({ code, stderr: "" });
    expect(await run("lint p.toml --json")).toMatchObject({ code, stderr: "" });
  });

  test.each(readCases<[string, string[], string]>(import.meta, "errors"))(
    "is 2 for %s",
    async (_, args, message) => {
      const ran = await workplace().run(args);
      expect(ran).toMatchObject({ code: 2, stdout: "" });
      expect(ran.stderr).toMatch(new RegExp(message));
    },
  );
});

test("a file that does not load is reported, and the others are still checked", async () => {
  const { run } = workplace({ "a.toml": BROKEN, "b.toml": WIPE, "c.toml": 'default = "deny\n' });
  const ran = await run("lint a.toml b.toml c.toml --json");
  expect(ran.code).toBe(1);
  expect(brief(ran)).toEqual([
    "a.toml:3 error BYLAW_POLICY_INVALID",
    "a.toml:8 error BYLAW_POLICY_INVALID",
    "c.toml:1 error BYLAW_POLICY_INVALID",
    "b.toml:4 warning evaded_rule",
  ]);
});

test("a file without rules gives a hint, and a missing one the advice for the command line", async () => {
  const { run } = workplace({ "p.toml": 'default = "deny"\n' });
  expect(brief(await run("lint p.toml --json"))).toEqual(["p.toml:1 info no_rules"]);
  expect((await run("lint q.toml")).stderr).toMatch(
    /fix: Create the file, or name another on the command line\n/,
  );
});

test("a gemini-cli file gives one finding that says which command reads it", async () => {
  const { run } = workplace({
    "p.toml": '[[rule]]\ntoolName = "x"\ndecision = "deny"\npriority = 1\n',
  });
  const ran = await run("lint p.toml");
  expect(ran).toMatchObject({ code: 1, stderr: "" });
  expect(ran.stdout).toMatch(
    /fix: .*`compat = "gemini"`.*`bylaw import gemini FILE`\n\n1 error in 1 file\n$/,
  );
});

test("files that are named together form one pool", async () => {
  const { run } = workplace({
    "a.toml":
      '[[rules]]\nname = "all"\npriority = "admin"\naction = "deny"\ntool = "send_*"\nreason = "x"\n',
    "b.toml": '[[rules]]\nname = "mail"\naction = "allow"\ntool = "send_mail"\n',
  });
  expect(brief(await run("lint a.toml b.toml --json"))).toEqual(["b.toml:2 warning shadowed_rule"]);
  expect(brief(await run("lint b.toml --json"))).toEqual([]);
});

describe("a configuration", () => {
  const config = (options: object): string =>
    JSON.stringify({ plugins: [{ use: "@bylaw/plugin-policy", options }] });

  test("is checked as its policies, with the tools that it names", async () => {
    const files = { files: ["p.toml"], tools: { shell: { terminal: "line" } } };
    const policy =
      '[[rules]]\nname = "r"\naction = "deny"\ntool = "terminal"\ncommand = "reboot"\nreason = "x"\n';
    const { run } = workplace({ "bylaw.config.json": config(files), "p.toml": policy });
    const found = brief(await run("lint --json"));
    expect(found).toContain("p.toml:5 warning evaded_rule");
    expect(brief(await run("lint bylaw.config.json --json"))).toEqual(found);
    // Checked alone, the file knows no such tool.
    expect((await run("lint p.toml")).code).toBe(1);
  });

  test("can be named with --config too, whatever its name, and together with files; a file that is named twice is read once", async () => {
    const files = {
      "bylaw.config.json": config({ files: ["p.toml"] }),
      "p.toml": WIPE,
      "q.toml": CONTRADICTION,
    };
    const { run } = workplace(files);
    const found = brief(await run("lint --json"));
    expect(brief(await run("lint --config bylaw.config.json --json"))).toEqual(found);
    expect((await run("lint --config bylaw.config.json bylaw.config.json")).stdout).toMatch(
      / in 1 file\n$/,
    );
    expect((await run("lint --config ./bylaw.config.json q.toml ./q.toml")).stdout).toMatch(
      / in 2 files\n$/,
    );
    const missing = await run("lint --config none.json");
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toMatch(/^error BYLAW_CONFIG_MISSING: /);
  });

  test("reports its own policy, or a ruleset's, that does not load", async () => {
    const { run } = workplace({
      "bylaw.config.json": config({ files: ["p.toml"] }),
      "p.toml": BROKEN,
    });
    const ran = await run("lint --json");
    expect(ran.code).toBe(1);
    expect(brief(ran)).toContain("p.toml:8 error BYLAW_POLICY_INVALID");
  });

  test("that is itself faulty ends the command without findings", async () => {
    const ran = await workplace({ "bylaw.config.json": '{ "plugns": [] }' }).run(["lint"]);
    expect(ran).toMatchObject({ code: 2, stdout: "" });
    expect(ran.stderr).toMatch(/^error BYLAW_CONFIG_INVALID: /);
  });
});

test("the recommended ruleset and this repository's own rules have no errors or warnings, alone and together", async () => {
  for (const files of [
    ["rulesets/recommended/policy.toml"],
    [".bylaw/policy.toml"],
    ["bylaw.config.ts"],
  ]) {
    const ran = await bylawHere(["lint", ...files, "--json"], { cwd: root });
    expect(ran.code).toBe(0);
    expect(findingsOf(ran).filter(({ severity }) => severity !== "info")).toEqual([]);
  }
});

test("what an agent wrote into a policy cannot move the cursor or forge a line", async () => {
  const name = "evil\\u001b[2K\\u202eerror";
  const { run } = workplace({
    "p.toml": `[[rules]]\nname = "${name}"\naction = "deny"\ntool = "x"\n`,
  });
  for (const args of [
    ["lint", "p.toml"],
    ["lint", "p.toml", "--json"],
  ]) {
    const { stdout } = await run(args);
    expect(stdout).toContain("missing_reason");
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  }
});

test("it runs no command of a policy", async () => {
  const { cwd, run } = workplace({
    "p.toml": `[[rules]]\nname = "r"\naction = "deny"\nreason = "x"\ncommand = "touch ran"\nmatch = "touch ran"\n`,
  });
  await run("lint p.toml");
  expect((await run(["lint", join(cwd, "ran")])).stderr).toMatch(/BYLAW_POLICY_MISSING/);
});

test("the first block of docs/lint.md runs, and prints what the page shows", () => {
  const page = readFileSync(join(root, "docs/lint.md"), "utf8");
  const [, script = "", printed] =
    /^```sh\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```/m.exec(page) ?? [];
  const ran = shell(script.replace(/^npm install .*\n/m, ""), scratch());
  expect(ran).toEqual({ code: 0, stdout: printed, stderr: "" });
});

test("without a file and a configuration it says what it accepts", async () => {
  const ran = await workplace().run(["lint"]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(
    /^error BYLAW_CONFIG_MISSING: [^]*fix: Run `bylaw init`, or name the policies/,
  );
});

test("a policy named alone is compared with the recommended rules if it has a priority", async () => {
  const rule = (priority: string): string =>
    `[[rules]]\nname = "push"\n${priority}action = "allow"\ncommand = ["git push *", "git push --force *"]\n`;
  const { run } = workplace({ "high.toml": rule('priority = "user"\n'), "plain.toml": rule("") });
  const { stdout, code } = await run(["lint", "high.toml"]);
  expect(stdout).toMatch(
    /^high\.toml:3:1 warning lifted_rule: The rule `push` lifts `[\w-]+` \(.*policy\.toml:\d+\)/m,
  );
  expect(stdout).toContain("fix: Narrow `push`, or remove its `priority`, which is `user`");
  expect(code).toBe(0);
  expect((await run(["lint", "plain.toml"])).stdout).not.toContain("lifted_rule");
});
