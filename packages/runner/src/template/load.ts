import { BylawError, freezeJson, type Json, type JsonObject } from "@bylaw/kernel";
import { digestOf } from "@bylaw/log";
import type { Compat } from "@bylaw/behavior";
import { joinAgents, withBehaviors } from "./agents/apply-agents.ts";
import type { GivenAgent } from "./agents/given-agent.ts";
import { readAgents } from "./agents/read-agents.ts";
import { checkTemplate } from "./check.ts";
import { completeChoices, completeOversight, completeStep, completeTracks } from "./complete.ts";
import { resolveModules } from "./modules.ts";
import { isOlder, translate } from "./older.ts";
import { byPlace, findingOf, salvaged, type Problem } from "./problems.ts";
import { templateSchema } from "./schema.ts";
import { parseSource, readTemplateText, type Source } from "./source.ts";
import { TemplateError } from "./template-error.ts";
import type { Agent, Template, TemplateFinding } from "./template.ts";

/** A template and its warnings. */
export interface LoadedTemplate {
  readonly template: Template;
  /** The SHA-256 of its content, `sha256:…`. */
  readonly definition: string;
  /** Parts without effect. */
  readonly warnings: readonly TemplateFinding[];
}

/** How a template is read. */
export interface LoadTemplateOptions {
  /**
   * Files and folders that define agents. Their definitions take precedence over the template's,
   * and those of an earlier file over those of a later one.
   */
  readonly agents?: string | readonly string[];
  /** Reads loops, triggers and conditions as an older system did, whatever the template says. */
  readonly compat?: Compat;
}

/** Loads a template from a file. Throws BYLAW_TEMPLATE_UNREADABLE, and a {@link TemplateError} with all problems. */
export async function loadTemplate(
  file: string,
  { agents = [], ...more }: LoadTemplateOptions = {},
): Promise<LoadedTemplate> {
  const text = readTemplateText(file);
  const given = await readAgents(typeof agents === "string" ? [agents] : agents);
  let findings: readonly TemplateFinding[] = given.findings;
  let loaded: LoadedTemplate | undefined;
  try {
    loaded = await parseTemplate(text, { file, agents: given.agents, ...more });
    findings = [...findings, ...loaded.warnings];
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    findings = [...findings, ...error.findings];
  }
  const [first = unusable(file), ...rest] = findings;
  if (loaded === undefined || findings.some(({ severity }) => severity === "error"))
    throw new TemplateError([first, ...rest]);
  return { ...loaded, warnings: findings };
}

/** Parses the text of a template. The ending of `file` determines the format. Throws a {@link TemplateError}. */
export async function parseTemplate(
  text: string,
  {
    file,
    agents = {},
    compat,
  }: Omit<LoadTemplateOptions, "agents"> & {
    readonly file: string;
    readonly agents?: Readonly<Record<string, GivenAgent>>;
  },
): Promise<LoadedTemplate> {
  const source = sourceOf(file, text);
  const { template, problems } = isOlder(source.value)
    ? fromOlder(source.value, agents, compat)
    : fromText(source, agents, compat);
  const findings = problems.map((problem) => findingOf(file, source, problem));
  const [first = unusable(file), ...rest] = findings.toSorted(byPlace);
  if (template === undefined || findings.some(({ severity }) => severity === "error"))
    throw new TemplateError([first, ...rest]);
  const frozen = freezeJson(template) as unknown as Template;
  return { template: frozen, definition: digestOf(frozen as unknown as Json), warnings: findings };
}

const unusable = (file: string): TemplateFinding => ({
  file,
  code: "BYLAW_TEMPLATE_INVALID",
  severity: "error",
  message: "This template has errors",
});

function sourceOf(file: string, text: string): Source {
  try {
    return parseSource(file, text);
  } catch (error) {
    if (!(error instanceof BylawError)) throw error;
    const { message, source } = error;
    throw new TemplateError([
      { ...source, file, code: "BYLAW_TEMPLATE_INVALID", severity: "error", message },
    ]);
  }
}

interface Draft {
  readonly template: Template | undefined;
  readonly problems: readonly Problem[];
}

function fromText(
  { value }: Source,
  given: Readonly<Record<string, GivenAgent>>,
  compat: Compat | undefined,
): Draft {
  const { data, problems: faults, isFollowOn } = salvaged(templateSchema, value);
  if (data === undefined) return { template: undefined, problems: faults };
  const { name, description = "", agents = {}, oversight, tracks, choices } = data;
  const pathOf = (index: number) => ["steps", index];
  const own = Object.fromEntries(
    Object.entries(agents).map(([id, { run, prompt = "", env = [] }]) => [
      id,
      { run, prompt, env },
    ]),
  );
  const resolved = resolveModules(data);
  const behaved = withBehaviors(resolved.steps, given, pathOf);
  const template: Template = {
    name,
    description,
    dialect: "bylaw",
    compat: compat ?? data.compat ?? null,
    tracks: completeTracks(tracks),
    choices: completeChoices(choices),
    agents: joinAgents(own, given, behaved.steps),
    steps: behaved.steps,
    oversight: completeOversight(oversight),
  };
  return {
    template,
    problems: [
      ...faults,
      ...[...resolved.problems, ...behaved.problems, ...checkTemplate(template, pathOf)].filter(
        ({ path }) => !isFollowOn(path),
      ),
    ],
  };
}

function fromOlder(
  value: JsonObject,
  given: Readonly<Record<string, GivenAgent>>,
  compat: Compat | undefined,
): Draft {
  const { dialect, text, agents, origins, problems, isFollowOn } = translate(value, compat);
  const nobody: Agent = { run: null, prompt: "", env: [] };
  const pathOf = (index: number) => ["steps", origins[index] ?? 0];
  const behaved = withBehaviors(text.steps.map(completeStep), given, pathOf);
  const { steps } = behaved;
  const template: Template = {
    name: text.name,
    description: text.description ?? "",
    dialect,
    compat: compat ?? null,
    tracks: completeTracks(text.tracks),
    choices: completeChoices(text.choices),
    agents: joinAgents(Object.fromEntries(agents.map((id) => [id, nobody])), given, steps),
    steps,
    oversight: completeOversight(text.oversight),
  };
  return {
    template,
    problems: [
      ...problems,
      ...[...behaved.problems, ...checkTemplate(template, pathOf)].filter(
        ({ path }) => !isFollowOn(path),
      ),
    ],
  };
}
