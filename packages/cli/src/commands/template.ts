import { resolve } from "node:path";
import { omitUndefined } from "@bylaw/kernel";
import {
  findTemplates,
  loadTemplate,
  planOf,
  TemplateError,
  templateFile,
  type TemplateFinding,
} from "@bylaw/runner";
import { findingLine } from "../io/report-error.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { count, place, plain, short } from "../io/text.ts";
import { placesHere, planText, warn } from "../run/template-text.ts";
import type { CommandSpec, GroupSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { AGENTS_TEXT, COMPAT, JSON_OPTION } from "../command-line/shared-options.ts";

const OPTIONS = [
  ["--agents <path>", AGENTS_TEXT, { many: true }],
  COMPAT,
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type TemplateOptions = OptionsOf<typeof OPTIONS>;

const LIST: CommandSpec = {
  options: [JSON_OPTION],
  help: `
Templates are found in this order: templates, .bylaw/templates, .bylaw/templates in the home folder, and installed rulesets.
Exit code: 0 listed, 1 a file has errors, 2 usage error.

Examples:
  $ bylaw template list --json`,
  run: listTemplates,
};

const SHOW: CommandSpec = {
  arguments: { template: ["a file or a name"] },
  options: OPTIONS,
  help: `
Exit code: 0 printed, 2 usage error or a template with errors.

Examples:
  $ bylaw template show release --json`,
  run: showTemplate,
};

const VALIDATE: CommandSpec = {
  arguments: { template: ["files or names"] },
  options: OPTIONS,
  help: `
Exit code: 0 no errors, 1 a template has errors, 2 usage error or a file that cannot be read.

Examples:
  $ bylaw template validate templates/release.yaml`,
  run: validateTemplates,
};

const PLAN: CommandSpec = {
  arguments: { template: ["a file or a name"] },
  options: OPTIONS,
  help: `
Exit code: 0 printed, 2 usage error or a template with errors.

Examples:
  $ bylaw template plan release
  $ bylaw template plan older.json --agents agents.yaml`,
  run: planTemplate,
};

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw template list
  $ bylaw template plan release`,
  commands: {
    "list [options]": ["List the templates that are found, and the files with errors", LIST],
    "show [options] <template>": ["Show a template with all defaults filled in", SHOW],
    "validate [options] <template...>": [
      "Validate templates and show where the errors are",
      VALIDATE,
    ],
    "plan [options] <template>": [
      "Show the steps in order without running them, and which overrides have no effect",
      PLAN,
    ],
  },
};

const loadOf = ({ agents, compat }: TemplateOptions) =>
  omitUndefined({ agents: agents?.map((path) => resolve(path)), compat });

/** Prints the templates that are found, the one that takes precedence first. The exit code is 1 if a file has an error. */
async function listTemplates({ json = false }: TemplateOptions): Promise<void> {
  const { templates, findings } = await findTemplates(placesHere());
  if (json) await write(jsonLine({ templates, findings }));
  else {
    const rows = templates.map(({ name, file, steps, description, hidden_by }) => {
      const more =
        hidden_by === null ? short(description, 100) : `hidden by ${place({ file: hidden_by })}`;
      return `${plain(name)}  ${place({ file })}  ${count(steps, "step")}${more === "" ? "" : `  ${more}`}\n`;
    });
    await write(rows.join("") || "no template: put one in ./templates or .bylaw/templates\n");
    warn(findings);
  }
  conclude(findings.some(({ severity }) => severity === "error") ? 1 : 0);
}

/** Prints a template with all defaults filled in. */
async function showTemplate(wanted: string, options: TemplateOptions): Promise<void> {
  const file = await templateFile(wanted, placesHere());
  const { template, definition, warnings } = await loadTemplate(file, loadOf(options));
  if (options.json !== true) warn(warnings);
  await write(
    options.json === true
      ? jsonLine({ file, definition, template, warnings })
      : `${plain(file)}\n${plain(definition)}\n${planText(template)}`,
  );
  conclude(0);
}

/** Validates templates. The exit code is 1 if one has an error. */
async function validateTemplates(
  wanted: readonly string[],
  options: TemplateOptions,
): Promise<void> {
  const findings: TemplateFinding[] = [];
  for (const one of wanted) {
    try {
      findings.push(
        ...(await loadTemplate(await templateFile(one, placesHere()), loadOf(options))).warnings,
      );
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      findings.push(...error.findings);
    }
  }
  const failed = findings.some(({ severity }) => severity === "error");
  const text = findings.map((finding) => `${findingLine(finding)}\n`).join("");
  await write(
    options.json === true
      ? jsonLine({ findings })
      : `${text}${failed ? "" : `${count(wanted.length, "template")} can be used\n`}`,
  );
  conclude(failed ? 1 : 0);
}

/** Prints the steps of a template in order, without running them. */
async function planTemplate(wanted: string, options: TemplateOptions): Promise<void> {
  const { template, warnings } = await loadTemplate(
    await templateFile(wanted, placesHere()),
    loadOf(options),
  );
  if (options.json !== true) warn(warnings);
  await write(
    options.json === true
      ? jsonLine({ template: template.name, steps: planOf(template), warnings })
      : planText(template),
  );
  conclude(0);
}
