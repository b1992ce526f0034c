import { existsSync, readFileSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { planOf, type Template, type TemplateFinding, type TemplatePlaces } from "@bylaw/runner";
import { findingLine } from "../io/report-error.ts";
import { plain, short } from "../io/text.ts";

/** The folders in which templates are searched, starting from the working directory. Installed rulesets come last. */
export function placesHere(): TemplatePlaces {
  const cwd = process.cwd();
  return {
    cwd,
    home: process.env["HOME"] ?? homedir(),
    more: rulesetFolders(join(cwd, "node_modules")),
  };
}

function rulesetFolders(modules: string): readonly string[] {
  const inside = (folder: string): readonly string[] => {
    try {
      return readdirSync(folder)
        .toSorted()
        .map((name) => join(folder, name));
    } catch {
      return [];
    }
  };
  const packages = inside(modules).flatMap((path) =>
    /[/\\]@[^/\\]+$/.test(path) ? inside(path) : [path],
  );
  return packages
    .filter((path) => existsSync(join(path, "templates")) && isRuleset(path))
    .map((path) => join(path, "templates"));
}

function isRuleset(folder: string): boolean {
  try {
    const { keywords } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly keywords?: unknown;
    };
    return Array.isArray(keywords) && keywords.includes("bylaw-ruleset");
  } catch {
    return false;
  }
}

/** Prints on standard error what has no effect. */
export function warn(findings: readonly TemplateFinding[]): void {
  for (const finding of findings) process.stderr.write(`${findingLine(finding)}\n`);
}

/** The steps of a template, one per line. */
export function planText(template: Template): string {
  const rows = planOf(template).map(({ index, step, agent, run, notes }) => {
    const what =
      run === null
        ? "-"
        : typeof run === "string"
          ? `${run}()`
          : run.map((part) => (/^[\w./:@=-]+$/.test(part) ? part : JSON.stringify(part))).join(" ");
    const more = notes.length === 0 ? "" : `\n     ${plain(notes.join("; "))}`;
    return `${String(index + 1).padStart(3)}  ${plain(step)}${agent === null || agent === step ? "" : ` (${plain(agent)})`}: ${short(what, 160)}${more}`;
  });
  return `${plain(template.name)}\n${rows.join("\n")}\n`;
}
