import type { Command } from "commander";
import { STORE_TEXT, pathOf, valueOf } from "./options.ts";

/** `bylaw mcp` */
export function addMcpCommand(program: Command): void {
  const mcp = program
    .command("mcp")
    .description("Serve the tools of a run to an agent over MCP on standard input and output");
  const option = (flags: string, description: string): Command =>
    mcp.option(flags, description, valueOf(flags));
  option("--store <url>", `the store that holds the run: ${STORE_TEXT}`);
  option("--run <name>", "the run");
  option("--agent <id>", "the agent that every call of the client counts as");
  option("--task <id>", "the task of the agent");
  mcp
    .option(
      "--config <file>",
      "the configuration (default: the nearest bylaw.config.* upwards, if any)",
      pathOf("--config <file>"),
    )
    .addHelpText("after", HELP)
    .action(async (options) => {
      const { serveTools } = await import("../commands/mcp.ts");
      await serveTools(options);
    });
}

const HELP = `
In a step of \`bylaw run\` it takes no options and acts as the agent of that step, in its run.
Elsewhere --store, --run and --agent are needed, and an operator's token while a workflow runs in the run.
Exit code: 0 the client disconnected, 2 usage error, or a run that cannot be reached.

Examples:
  $ bylaw mcp
  $ bylaw mcp --store .bylaw/store.db --run refunds --agent ann`;
