import { resolve } from "node:path";
import type { Compat } from "@bylaw/behavior";
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

/** The options of `bylaw template …`. */
export interface TemplateOptions {
  readonly agents?: string;
  readonly compat?: Compat;
  readonly json?: boolean;
}

const loadOf = ({ agents, compat }: TemplateOptions) =>
  omitUndefined({ agents: agents === undefined ? undefined : resolve(agents), compat });

/** Prints the templates that are found, in the order of their precedence. The exit code is 1 where a file has a fault. */
export async function listTemplates({ json = false }: TemplateOptions): Promise<void> {
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

/** Prints a template with everything said. */
export async function showTemplate(wanted: string, options: TemplateOptions): Promise<void> {
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

/** Holds files against the form of a template. The exit code is 1 where one has a fault. */
export async function validateTemplates(
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
export async function planTemplate(wanted: string, options: TemplateOptions): Promise<void> {
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
