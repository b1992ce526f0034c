import { readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, extname, join, resolve } from "node:path";
import { BylawError, isJsonObject, messageOf } from "@bylaw/kernel";
import { didYouMean } from "@bylaw/wording";
import { loadTemplate } from "./load.ts";
import { parseSource, readTemplateText } from "./source.ts";
import { TemplateError } from "./template-error.ts";
import type { TemplateFinding } from "./template.ts";

/** A template that was found. */
export interface FoundTemplate {
  /** What it calls itself. */
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly steps: number;
  readonly dialect: "bylaw" | "radium" | "codemachine";
  /** The file whose template of the same name goes before this one. */
  readonly hidden_by: string | null;
}

/** All templates of some folders, and what could not be read. */
export interface FoundTemplates {
  readonly templates: readonly FoundTemplate[];
  readonly findings: readonly TemplateFinding[];
}

/** Where templates are looked for, what is found first holds. */
export interface TemplatePlaces {
  /** The folder of the project. */
  readonly cwd: string;
  /** Default: the user's home. */
  readonly home?: string;
  /** More folders, behind all others: those of packages. */
  readonly more?: readonly string[];
}

const ENDINGS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/** The folders that are looked through, in the order of their precedence. */
const templateFolders = ({
  cwd,
  home = homedir(),
  more = [],
}: TemplatePlaces): readonly string[] => [
  ...new Set(
    [
      join(cwd, "templates"),
      join(cwd, ".bylaw/templates"),
      join(home, ".bylaw/templates"),
      ...more,
    ].map((folder) => resolve(folder)),
  ),
];

/**
 * Looks through all folders, one level of folders in them too. A file with a fault is told, never
 * left out in silence.
 */
export async function findTemplates(places: TemplatePlaces): Promise<FoundTemplates> {
  const templates: FoundTemplate[] = [];
  const findings: TemplateFinding[] = [];
  const first = new Map<string, string>();
  for (const file of templateFolders(places).flatMap(filesIn)) {
    try {
      if (!looksLikeTemplate(file)) continue;
      const { template } = await loadTemplate(file);
      const { name, description, steps, dialect } = template;
      templates.push({
        name,
        description,
        file,
        steps: steps.length,
        dialect,
        hidden_by: first.get(name) ?? null,
      });
      if (!first.has(name)) first.set(name, file);
    } catch (error) {
      if (error instanceof TemplateError) findings.push(...error.findings);
      else
        findings.push({
          file,
          code: "BYLAW_TEMPLATE_UNREADABLE",
          severity: "error",
          message: messageOf(error),
        });
    }
  }
  return { templates, findings };
}

// Folders called `templates` hold other things too; what has no steps and no version is none of
// ours.
function looksLikeTemplate(file: string): boolean {
  const { value } = parseSource(file, readTemplateText(file));
  return isJsonObject(value) && (value["bylaw"] !== undefined || value["steps"] !== undefined);
}

function filesIn(folder: string): readonly string[] {
  const inside = (at: string): readonly string[] => {
    try {
      return readdirSync(at)
        .toSorted()
        .map((name) => join(at, name));
    } catch {
      return [];
    }
  };
  const isFolder = (path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const entries = inside(folder);
  const below = entries.filter(isFolder).flatMap(inside);
  return [...entries, ...below].filter((path) => ENDINGS.has(extname(path)) && !isFolder(path));
}

/**
 * The file of a template: a path as it is, a name as it is found. A name is what the template calls
 * itself, or the name of its file. Throws BYLAW_TEMPLATE_MISSING, and a {@link TemplateError} where
 * the file of that name has a fault.
 */
export async function templateFile(wanted: string, places: TemplatePlaces): Promise<string> {
  if (/[/\\]/.test(wanted) || ENDINGS.has(extname(wanted))) return resolve(places.cwd, wanted);
  const { templates, findings } = await findTemplates(places);
  const found =
    templates.find(({ name }) => name === wanted) ??
    templates.find(({ file }) => nameOf(file) === wanted);
  if (found !== undefined) return found.file;
  const broken = findings.find(({ file }) => nameOf(file) === wanted);
  if (broken !== undefined)
    throw new TemplateError([
      broken,
      ...findings.filter((one) => one !== broken && one.file === broken.file),
    ]);
  const near = didYouMean(
    wanted,
    templates.map(({ name }) => name),
  );
  throw new BylawError({
    code: "BYLAW_TEMPLATE_MISSING",
    message: `Template not found: \`${wanted.slice(0, 80)}\` is neither a file nor the name of one in ${templateFolders(places).join(", ")}`,
    fix: near ?? "`bylaw template list` lists the templates",
  });
}

const nameOf = (file: string): string => basename(file, extname(file));
