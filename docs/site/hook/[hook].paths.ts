import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { HOOKS } from "../.vitepress/navigation.ts";
import { ROOT } from "../.vitepress/pages.ts";

interface Example {
  readonly name: string;
  readonly subject: { readonly hook: string };
  readonly expect: string;
  readonly code?: string;
}

interface ExampleSet {
  readonly plugin: string;
  readonly examples: readonly Example[];
}

/** The examples of every plugin, which need its packages, so another process reads them. */
function allExamples(): readonly ExampleSet[] {
  const files = globSync("plugins/*/examples.ts", { cwd: ROOT }).sort();
  const urls = files.map((file) => pathToFileURL(join(ROOT, file)).href);
  const script = `const sets = await Promise.all(${JSON.stringify(urls)}.map((url) => import(url)));
    process.stdout.write(JSON.stringify(sets.map(({ examples: { plugin, examples } }) => ({ plugin, examples }))));`;
  const text = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(text) as readonly ExampleSet[];
}

const PAGE = "docs/hooks.md";

/** What each table of the page about all hooks says of one: the heading of a column and its cell. */
function factsOf(hook: string): readonly string[] {
  const lines = readFileSync(join(ROOT, PAGE), "utf8").split("\n");
  return lines.flatMap((line, at) => {
    if (!line.startsWith(`| \`${hook}\` `)) return [];
    let top = at;
    while (lines[top - 1]?.startsWith("|") === true) top -= 1;
    const [, ...headings] = cellsOf(lines[top] ?? "");
    const [, ...cells] = cellsOf(line);
    return cells.map((cell, column) => `| ${headings[column] ?? ""} | ${cell} |`);
  });
}

const cellsOf = (row: string): readonly string[] =>
  row
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());

/** A page for each hook: when it is asked, what it is given, and how the plugins that tap it vote. */
export default {
  paths() {
    const sets = allExamples();
    return HOOKS.map((hook) => ({
      params: { hook },
      content: [
        `# ${hook}`,
        [`| Hook | \`${hook}\` |`, "| --- | --- |", ...factsOf(hook)].join("\n"),
        `A tap answers \`undefined\` to abstain, or \`deny\`, \`ask\` or \`allow\` with a reason. [All hooks](../../hooks.md) are counted alike: the strictest vote wins.`,
        `## How plugins vote`,
        ...sets.flatMap(({ plugin, examples }) =>
          tableOf(
            plugin,
            examples.filter(({ subject }) => subject.hook === hook),
          ),
        ),
      ].join("\n\n"),
    }));
  },
};

function tableOf(plugin: string, examples: readonly Example[]): readonly string[] {
  if (examples.length === 0) return [];
  const folder = plugin.replace("@bylaw/plugin-", "plugins/");
  const rows = examples.map(
    ({ name, expect, code }) =>
      `| ${cell(name)} | ${[expect, code]
        .filter((one) => one !== undefined)
        .map((one) => `\`${one}\``)
        .join(" ")} |`,
  );
  return [
    `### [${plugin}](../../../${folder}/README.md)`,
    ["| Example | Vote |", "| --- | --- |", ...rows].join("\n"),
  ];
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
