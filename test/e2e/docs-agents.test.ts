import { spawnSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratch } from "./bylaw.ts";
import { shell } from "./shell.ts";

const ROOT = join(import.meta.dirname, "../..");
const page = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const blocks = (text: string, language: string): readonly string[] =>
  Array.from(
    text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm")),
    ([, block = ""]) => block,
  );

/** What the programs of a page print, one after the other, in a folder with only these files. */
function follow(
  name: string,
  files: Readonly<Record<string, string>> = {},
): { readonly cwd: string; readonly printed: readonly string[] } {
  const cwd = scratch({ "package.json": '{ "type": "module" }', ...files });
  symlinkSync(join(ROOT, "node_modules"), join(cwd, "node_modules"));
  const printed = blocks(page(name), "ts").map((text, index) => {
    const file = join(cwd, `program-${index}.ts`);
    writeFileSync(file, text);
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", file],
      { cwd, encoding: "utf8" },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    return stdout;
  });
  return { cwd, printed };
}

test("docs/enforcement.md: the programs print what the page says", () => {
  const { printed } = follow("docs/enforcement.md");
  expect(printed[0]).toMatch(/^Retry \(1\/3\): .*\nRetry \(2\/3\): .*\naccepted\nok 2\n$/);
});

test("the page of the ruleset for consensus: three agents agree as described", () => {
  const name = "rulesets/consensus/README.md";
  const said = /^It prints `(cem .*)`, then `(.* bob)`\.$/m.exec(page(name));
  expect(follow(name).printed.at(-1)).toBe(`${said?.[1]}\n${said?.[2]}\n`);
});

test("docs/status.md and docs/report.md: the program and the commands about its log print what the pages say", () => {
  const { cwd, printed } = follow("docs/status.md");
  expect(printed[0]).toContain("total_enforcement_retries: 1,");
  expect(printed[0]).toContain("outcome: 'ok'");
  const commands = blocks(page("docs/status.md"), "sh").join("").split("\n");
  expect(commands.findIndex((line) => line.startsWith("npm install"))).toBeLessThan(
    commands.findIndex((line) => line.startsWith("npx")),
  );
  const ran = commands.filter((line) => line.startsWith("npx bylaw "));
  expect(ran).toHaveLength(2);
  const [, , html = ""] = blocks(page("docs/report.md"), "sh")[0]?.split("\n") ?? [];
  ran.push(html);
  for (const line of ran)
    expect({ line, ...shell(line, cwd) }).toMatchObject({ line, code: 0, stderr: "" });
  expect(readFileSync(join(cwd, "report.html"), "utf8")).toContain(
    '<td>rule_denied</td><td class="number">1</td>',
  );
});

test("docs/serve.md: the programs run next to the contract", () => {
  const contract = readFileSync(join(ROOT, "rulesets/tdd/agent_workflow.yaml"), "utf8");
  const { printed } = follow("docs/serve.md", { "agent_workflow.yaml": contract });
  expect(printed[0]).toMatch(/^Authorization: Bylaw-Enrol agent\.\S+\n$/);
  expect(printed.at(-1)).toBe("200\n");
});
