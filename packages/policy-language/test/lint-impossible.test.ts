import { describe, expect, test } from "vitest";
import { lintPolicies, parsePolicy } from "../src/index.ts";

const codesOf = async (...rules: readonly string[]): Promise<readonly string[]> => {
  const text = rules
    .map((rule, at) => `[[rules]]\nname = "r${at}"\nreason = "x"\n${rule}\n`)
    .join("\n");
  return (await lintPolicies([parsePolicy(text, { file: "p.toml" })])).map(({ code }) => code);
};
const allow = (text: string): string => `action = "allow"\n${text}`;
const deny = (text: string): string => `action = "deny"\n${text}`;

describe("a rule that no call can match is an error", () => {
  test.each([
    [allow('tool = "read_file"\npaths = { write = "src/**" }')],
    [deny('tool = "read_file|grep"\npaths = { write = "src/**" }')],
    [allow('tool = "write_file"\npaths = { read = "src/**" }')],
    [deny('tool = "apply_patch"\npaths = { read = "src/**" }')],
    [allow('tool = "copy_file"\npaths = { write = "src/**" }')],
    [allow('tool = "t"\nargs = { a = { eq = 1 }, "a.b" = { eq = 2 } }')],
    [allow('tool = "t"\nargs = { a = { glob = "x*" }, "a.b.c" = { exists = true } }')],
    [allow('command = "ls"\nargs = { command = { eq = "cat" } }')],
    [allow('command = "git push"\neffects = "reads"')],
    [deny('command = ["ls", "cat x"]\neffects = ["deletes"]')],
    [deny('command_regex = "ls( .*)?"\nargs = { command = { in = ["cat", "pwd"] } }')],
  ])("%s", async (rule) => expect(await codesOf(rule)).toContain("impossible_rule"));
  test.each([
    [allow('tool = "read_file|write_file"\npaths = { write = "src/**" }')],
    [deny('tool = "read_file|copy_file"\npaths = { write = "src/**" }')],
    [deny('tool = "read_*"\npaths = { write = "src/**" }')],
    [deny('tool = "mine"\npaths = { write = "src/**" }')],
    [allow('tool = "copy_file"\npaths = { read = "src/**", write = "src/**" }')],
    [allow('tool = "apply_patch"\npaths = { write = "src/**" }')],
    [allow('tool = "bash"\ncommand = "ls *"\npaths = { read = "src/**" }')],
    [allow('tool = "t"\nargs = { a = { type = "object" }, "a.b" = { eq = 2 } }')],
    [allow('tool = "t"\nargs = { a = { eq = 1 }, ab = { eq = 2 }, "a.b" = { exists = false } }')],
    [deny('tool = "t"\nargs = { a = { eq = 1 }, "a.b" = { eq = 2 } }')],
    [allow('command = "ls *"\nargs = { command = { eq = "ls -l" } }')],
    [allow('command = "ls *"\nargs = { command = { in = ["cat", "ls -l"] } }')],
    [allow('command = "ls *"\nargs = { command = { glob = "cat*" } }')],
    [allow('command = "git push *"\neffects = "reads"')],
    [allow('command = ["ls", "git push"]\neffects = "reads"')],
  ])("near: %s", async (rule) => expect(await codesOf(rule)).not.toContain("impossible_rule"));
});

describe("an allow of shell lines by their text is broad", () => {
  test.each([
    [allow('tool = "bash"\nargs = { command = { regex = "ls.*" } }')],
    [allow('args = { command = { glob = "ls *" } }')],
    [allow('tool = "run_*"\nargs = { command = { glob = ["ls *", "cat *"] } }')],
  ])("%s", async (rule) => expect(await codesOf(rule)).toContain("broad_allow"));
  test.each([
    [allow('tool = "bash"\nargs = { command = { eq = "ls -l" } }')],
    [allow('tool = "bash"\ncommand = "ls *"\nargs = { command = { regex = "ls.*" } }')],
    [allow('tool = "deploy"\nargs = { command = { glob = "ls *" } }')],
    [deny('tool = "bash"\nargs = { command = { glob = "*curl*" } }')],
  ])("near: %s", async (rule) => expect(await codesOf(rule)).not.toContain("broad_allow"));
});

describe("a deny that gets round", () => {
  const found = async (...rules: readonly string[]) => {
    const text = rules
      .map((rule, at) => `[[rules]]\nname = "r${at}"\nreason = "x"\n${rule}\n`)
      .join("\n");
    const all = await lintPolicies([parsePolicy(text, { file: "p.toml" })]);
    return all.filter(({ code }) => code.startsWith("evaded"));
  };
  test("is found where an allow is for one of the shell tools only", async () => {
    const findings = await found(
      deny('command = "git push"'),
      allow('tool = "bash"\ncommand = "git *"'),
    );
    expect(findings.map(({ code }) => code)).toContain("evaded_to_allow");
  });
  test("is advised of nothing that the rule does already", async () => {
    const findings = [
      ...(await found(
        deny('command = "git push *"'),
        allow('tool = "bash"\ncommand = ["git *", "sudo git *"]'),
      )),
      ...(await found(deny('command = "git push *"'))),
    ];
    for (const { fix } of findings) expect(fix).not.toContain("End the pattern with ` *`");
  });
});
