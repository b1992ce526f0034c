import { readdirSync, statSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { BylawError } from "@bylaw/kernel";
import { quote } from "@bylaw/wording";
import { findingOf, salvaged } from "../problems.ts";
import { agentsSchema } from "../schema.ts";
import { parseSource } from "../source.ts";
import type { TemplateFinding } from "../template.ts";
import { containedText } from "./contained-text.ts";
import { faulty, type AgentsRead, type GivenAgent } from "./given-agent.ts";
import { hasFrontMatter, readMarkdownAgent } from "./markdown-agent.ts";
import { readRadiumAgent } from "./radium-agent.ts";

const MAX_FILES = 1_000;

/**
 * Reads agents from files (JSON or YAML with agents by name, TOML with one Radium agent, or a Markdown page) and from
 * folders of TOML and Markdown files. The first definition of an agent counts.
 */
export async function readAgents(paths: readonly string[]): Promise<AgentsRead> {
  const agents = new Map<string, GivenAgent>();
  const findings: TemplateFinding[] = [];
  for (const path of paths) {
    const folder = isFolder(path);
    const files = folder ? filesIn(path) : [path];
    const found = new Map<string, string>();
    if (folder && (files.length === 0 || files.length > MAX_FILES))
      findings.push(
        ...faulty(
          path,
          `The folder holds ${files.length === 0 ? "no agents" : `more than ${MAX_FILES} files`}`,
        ).findings,
      );
    for (const file of files.slice(0, MAX_FILES)) {
      const read = await readFile(file, folder ? path : undefined);
      findings.push(...read.findings);
      for (const [id, agent] of Object.entries(read.agents)) {
        const other = found.get(id);
        if (other !== undefined)
          findings.push(
            ...faulty(
              file,
              `${quote(relative(process.cwd(), other))} holds an agent ${quote(id)} as well`,
            ).findings,
          );
        found.set(id, file);
        agents.set(id, merged(agents.get(id), agent));
      }
    }
  }
  return { agents: Object.fromEntries(agents), findings };
}

const merged = (first: GivenAgent | undefined, second: GivenAgent): GivenAgent =>
  first === undefined
    ? second
    : {
        ...second,
        ...first,
        run: first.run ?? second.run,
        prompt: first.prompt === "" ? second.prompt : first.prompt,
        env: [...new Set([...first.env, ...second.env])],
      };

async function readFile(file: string, folder: string | undefined): Promise<AgentsRead> {
  try {
    const text = containedText(file, folder === undefined ? [] : [folder, process.cwd()]);
    const ending = extname(file);
    if (ending === ".toml")
      return await readRadiumAgent(file, text, [
        process.cwd(),
        ...(folder === undefined ? [] : [folder]),
      ]);
    if (ending !== ".md") return fromMap(file, text);
    if (folder === undefined || hasFrontMatter(text)) return readMarkdownAgent(file, text);
    const { findings } = faulty(file, "The page has no front matter, so it is no agent");
    return { agents: {}, findings: findings.map((one) => ({ ...one, severity: "warning" })) };
  } catch (error) {
    if (!(error instanceof BylawError)) throw error;
    const { code, message, fix, source } = error;
    const { findings } = faulty(file, message, fix);
    return { agents: {}, findings: findings.map((one) => ({ ...one, code, ...source, file })) };
  }
}

function fromMap(file: string, text: string): AgentsRead {
  const source = parseSource(file, text);
  const { data, problems } = salvaged(agentsSchema, source.value);
  const agents = Object.entries(data ?? {}).map(
    ([id, { run, prompt = "", env = [] }]) => [id, { run, prompt, env }] as const,
  );
  return {
    agents: Object.fromEntries(agents),
    findings: problems.map((problem) => findingOf(file, source, problem)),
  };
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

// Radium keeps agents in one folder per category.
function filesIn(folder: string): readonly string[] {
  const entries = (at: string): readonly string[] =>
    readdirSync(at)
      .toSorted()
      .map((entry) => join(at, entry));
  const own = entries(folder);
  const below = own.filter(isFolder).flatMap(entries);
  return [...own, ...below].filter((path) => /\.(?:toml|md)$/.test(path) && !isFolder(path));
}
