import type { Command } from "commander";
import { pathOf, valueOf } from "../usage.ts";

/** The command that offers the tools of a run to a client of the Model Context Protocol, wired as `bylaw mcp`. */
export function addMcpCommand(program: Command): void {
  const mcp = program
    .command("mcp")
    .description("Offer the tools of a run to an agent, over the Model Context Protocol on standard input and output.");
  const option = (flags: string, description: string): Command => mcp.option(flags, description, valueOf(flags));
  option("--store <url>", "where the run is kept: sqlite:PATH, a path that ends in .db or .sqlite, or postgres://…");
  option("--run <name>", "the run");
  option("--agent <id>", "the agent that the client works for: whatever it calls, it calls as this one");
  option("--task <id>", "the task that it works at");
  mcp
    .option("--config <file>", "the configuration (default: the nearest one upwards, if any)", pathOf("--config <file>"))
    .addHelpText("after", HELP)
    .action(async (options) => {
      const { serveTools } = await import("./mcp.ts");
      await serveTools(options);
    });
}

const HELP = `
In a step of \`bylaw run\` it takes no options: it reaches the run, and as the agent, that the step is of.
Elsewhere --store, --run and --agent say it, once and for all calls; while a workflow is at work in the run, an operator's token has to.
Exit code: 0 the client has gone, 2 usage error, or a run that cannot be reached.

Examples:
  $ bylaw mcp
  $ bylaw mcp --store .bylaw/store.db --run refunds --agent ann`;
