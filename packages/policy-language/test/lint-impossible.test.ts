import { readCases } from "@bylaw/testing";
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
  test.each(readCases<[string]>(import.meta, "impossible-rules"))("%s", async (rule) =>
    expect(await codesOf(rule)).toContain("impossible_rule"),
  );
  test.each(readCases<[string]>(import.meta, "possible-rules"))("near: %s", async (rule) =>
    expect(await codesOf(rule)).not.toContain("impossible_rule"),
  );
});

describe("an allow of shell lines by their text is reported as broad", () => {
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

describe("a deny that can be evaded", () => {
  const found = async (...rules: readonly string[]) => {
    const text = rules
      .map((rule, at) => `[[rules]]\nname = "r${at}"\nreason = "x"\n${rule}\n`)
      .join("\n");
    const all = await lintPolicies([parsePolicy(text, { file: "p.toml" })]);
    return all.filter(({ code }) => code.startsWith("evaded"));
  };
  test("is found if an allow covers only one of the shell tools", async () => {
    const findings = await found(
      deny('command = "git push"'),
      allow('tool = "bash"\ncommand = "git *"'),
    );
    expect(findings.map(({ code }) => code)).toContain("evaded_to_allow");
  });
  test("is not advised to do what the rule already does", async () => {
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
