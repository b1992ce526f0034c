import type { Command } from "commander";
import { pathOf } from "./options.ts";
import { compatOption } from "./compat-option.ts";

/** `bylaw template …` */
export function addTemplateCommands(program: Command): void {
  const template = program
    .command("template")
    .description("List, show and validate workflow templates")
    .addHelpText("after", EXAMPLES.template);
  const agents = (command: Command): Command =>
    command
      .option("--agents <file>", "a file with the command of each agent", pathOf("--agents <file>"))
      .addOption(compatOption())
      .option("--json", "print JSON");
  template
    .command("list")
    .description("List the templates that are found, and the files with errors")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES.list)
    .action(async (options) => (await import("../commands/template.ts")).listTemplates(options));
  agents(template.command("show"))
    .description("Show a template with all defaults filled in")
    .argument("<template>", "a file or a name")
    .addHelpText("after", EXAMPLES.show)
    .action(async (name: string, options) =>
      (await import("../commands/template.ts")).showTemplate(name, options),
    );
  agents(template.command("validate"))
    .description("Validate templates and show where the errors are")
    .argument("<template...>", "files or names")
    .addHelpText("after", EXAMPLES.validate)
    .action(async (names: readonly string[], options) =>
      (await import("../commands/template.ts")).validateTemplates(names, options),
    );
  agents(template.command("plan"))
    .description("Show the steps in order without running them, and which overrides have no effect")
    .argument("<template>", "a file or a name")
    .addHelpText("after", EXAMPLES.plan)
    .action(async (name: string, options) =>
      (await import("../commands/template.ts")).planTemplate(name, options),
    );
}

const EXAMPLES = {
  template: `
Examples:
  $ bylaw template list
  $ bylaw template plan release`,
  list: `
Templates are found in this order: templates, .bylaw/templates, .bylaw/templates in the home folder, and installed rulesets.
Exit code: 0 listed, 1 a file has errors, 2 usage error.

Examples:
  $ bylaw template list --json`,
  show: `
Exit code: 0 printed, 2 usage error or a template with errors.

Examples:
  $ bylaw template show release --json`,
  validate: `
Exit code: 0 no errors, 1 a template has errors, 2 usage error or a file that cannot be read.

Examples:
  $ bylaw template validate templates/release.yaml`,
  plan: `
Exit code: 0 printed, 2 usage error or a template with errors.

Examples:
  $ bylaw template plan release
  $ bylaw template plan older.json --agents agents.yaml`,
} as const;
