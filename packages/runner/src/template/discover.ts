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
  /** The name that the template gives itself. */
  readonly name: string;
  readonly description: string;
  readonly file: string;
  readonly steps: number;
  readonly dialect: "bylaw" | "radium" | "codemachine";
  /** The file whose template of the same name takes precedence over this one. */
  readonly hidden_by: string | null;
}

/** All templates of some folders, and the problems of files that could not be read. */
export interface FoundTemplates {
  readonly templates: readonly FoundTemplate[];
  readonly findings: readonly TemplateFinding[];
}

/** Where templates are searched. The first one found wins. */
export interface TemplatePlaces {
  /** The folder of the project. */
  readonly cwd: string;
  /** Default: the user's home folder. */
  readonly home?: string;
  /** Additional folders, searched last, such as those of packages. */
  readonly more?: readonly string[];
}

const ENDINGS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/** The folders that are searched, in order of precedence. */
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

/** Searches all folders and the folders directly inside them. A faulty file is always reported. */
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

// Folders called `templates` may hold other files, so a file without steps and without a version is ignored.
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
 * Returns the file of a template, given its path or its name: the name that the template gives itself, or that of its
 * file. Throws BYLAW_TEMPLATE_MISSING, and a {@link TemplateError} if the file with that name is faulty.
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
    message: `Template not found: \`${wanted.slice(0, 80)}\` is neither a file nor the name of a template in ${templateFolders(places).join(", ")}`,
    fix: near ?? "`bylaw template list` lists the templates",
  });
}

const nameOf = (file: string): string => basename(file, extname(file));
