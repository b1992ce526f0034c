import type { Command } from "commander";
import { pathOf } from "../usage.ts";
import { compatOption } from "./compat-option.ts";

/** The commands about workflow templates, wired under `bylaw template`. */
export function addTemplateCommands(program: Command): Command {
  const template = program.command("template").description("Look at workflow templates.").addHelpText("after", EXAMPLES.template);
  const agents = (command: Command): Command =>
    command
      .option("--agents <file>", "agents, by name: what each runs", pathOf("--agents <file>"))
      .addOption(compatOption())
      .option("--json", "print JSON");
  template
    .command("list")
    .description("List the templates that are found, and the files that have a fault.")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES.list)
    .action(async (options) => (await import("./template.ts")).listTemplates(options));
  agents(template.command("show"))
    .description("Print a template with everything said.")
    .argument("<template>", "a file or a name")
    .addHelpText("after", EXAMPLES.show)
    .action(async (name: string, options) => (await import("./template.ts")).showTemplate(name, options));
  agents(template.command("validate"))
    .description("Say all that is wrong in templates, with the places.")
    .argument("<template...>", "files or names")
    .addHelpText("after", EXAMPLES.validate)
    .action(async (names: readonly string[], options) => (await import("./template.ts")).validateTemplates(names, options));
  agents(template.command("plan"))
    .description("Print the steps in order without running them, and which override has no effect.")
    .argument("<template>", "a file or a name")
    .addHelpText("after", EXAMPLES.plan)
    .action(async (name: string, options) => (await import("./template.ts")).planTemplate(name, options));
  return template;
}

const EXAMPLES = {
  template: `
Examples:
  $ bylaw template list
  $ bylaw template plan release`,
  list: `
Looked through, in this order: templates, .bylaw/templates, .bylaw/templates in the home folder, and those of installed rulesets.
Exit code: 0 listed, 1 a file has a fault, 2 usage error.

Examples:
  $ bylaw template list --json`,
  show: `
Exit code: 0 printed, 2 usage error or a template with a fault.

Examples:
  $ bylaw template show release --json`,
  validate: `
Exit code: 0 no error, 1 a template has one, 2 usage error or a file that cannot be read.

Examples:
  $ bylaw template validate templates/release.yaml`,
  plan: `
Exit code: 0 printed, 2 usage error or a template with a fault.

Examples:
  $ bylaw template plan release
  $ bylaw template plan older.json --agents agents.yaml`,
} as const;
