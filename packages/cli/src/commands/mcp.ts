import { bridgeStdio, serveStdio } from "@bylaw/host-mcp";
import { omitUndefined } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import type { ConstitutionContext } from "@bylaw/plugin-constitution";
import { BEHAVIOR_TOOLS, type BehaviorContext } from "@bylaw/runner";
import type { Tool } from "@bylaw/tools";
import { takeToken } from "../approve/authority.ts";
import { usageError } from "../io/report-error.ts";
import { storePlace, withStore } from "../log/open-store.ts";
import { conclude } from "../io/exit-code.ts";
import { write } from "../io/output.ts";
import { stepAccess } from "../run/step-access.ts";
import { adviceOf } from "../run/oversight.ts";
import { kernelOf, type RunPlugins } from "../run/run-kernel.ts";
import { checkRun } from "../run/store-folder.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { CREATE_RUN, RUN_CONFIG, STORE_TEXT } from "../command-line/shared-options.ts";
import { checkJoin } from "../mcp/may-join.ts";
import { phaseTools } from "../mcp/phase-tool.ts";
import { SERVER_OPTIONS, namedServer } from "../mcp/server-options.ts";

const OPTIONS = [
  ["--store <url>", `the store that holds the run: ${STORE_TEXT}`],
  ["--run <name>", "the run"],
  CREATE_RUN,
  ["--agent <id>", "the agent that every call of the client counts as"],
  ["--task <id>", "the task of the agent"],
  ["--oversight <url>", "the address of an oversight service for requests of the agent"],
  ["--coordinator", "also offer record_event, for an agent that coordinates others"],
  RUN_CONFIG,
  ...SERVER_OPTIONS,
] as const satisfies readonly OptionSpec[];
type McpOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: { server: ["guard this MCP server: its command, after --"] },
  options: OPTIONS,
  help: `
Without a server it offers the tools of a run. In a step of \`bylaw run\` it takes no options and acts as the agent of that step, in its run.
Elsewhere --store, --run and --agent are needed, and an operator's token while a workflow runs in the run.

With a server it passes messages on, and decides about each call of a tool by the configuration. With --store and --run every call is on
record there, and the phase of --task counts. A tool that changed is withheld until you run the same command with --accept-tools.
With --accepted-only one that is new is withheld too. With --listen clients connect over HTTP, each with a server of its own.
Exit code: 0 the client disconnected or a signal ended --listen, 1 the server ended, 2 usage error, or a run or server that cannot be reached.

Examples:
  $ bylaw mcp
  $ bylaw mcp --store .bylaw/store.db --run refunds --agent ann --create
  $ bylaw mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .
  $ bylaw mcp --name tracker --url https://mcp.example.com/mcp --bearer TRACKER_TOKEN`,
  run: serveTools,
};

/** Serves tools on standard input and output until the client disconnects. */
async function serveTools(command: readonly string[], options: McpOptions): Promise<void> {
  const token = takeToken();
  const server = namedServer(command, options);
  if (server !== undefined) {
    if (options.coordinator === true)
      throw usageError("`--coordinator` is for the tools of a run, not for an MCP server");
    const { proxyServer } = await import("../mcp/proxy-server.ts");
    return await proxyServer(server, options, token);
  }
  const access = stepAccess(options);
  if (access === undefined) await serveRun(options, token);
  else await bridgeStdio(access, { write });
  conclude(0);
}

async function serveRun(
  {
    store,
    run: name,
    agent,
    task,
    config,
    oversight,
    coordinator = false,
    create = false,
  }: McpOptions,
  token: string | undefined,
): Promise<void> {
  if (store === undefined || name === undefined || agent === undefined || agent === "")
    throw usageError(
      "Outside a step of `bylaw run`, `--store`, `--run` and `--agent` are all needed",
    );
  const place = storePlace(store);
  await checkRun(place, name, create);
  const { kernel, file, plugins } = await kernelOf(undefined, config, { coordinator });
  await withStore(place, { create }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      checkJoin(run, file, token);
      const { CONSTITUTION_TOOLS, hasOwnRules } = plugins.constitution;
      const tools: readonly Tool<BehaviorContext & ConstitutionContext>[] = [
        ...BEHAVIOR_TOOLS,
        ...CONSTITUTION_TOOLS,
        ...(task === undefined ? [] : phaseTools(kernel, file)),
        ...(plugins.coordinator?.COORDINATOR_TOOLS ?? []),
      ];
      const own = hasOwnRules(kernel);
      const oversee =
        oversight === undefined ? null : overseeBy(oversight, { run, agent, task, plugins });
      const workspace = process.cwd();
      await serveStdio(
        {
          tools,
          context: (signal) => ({
            run,
            agent,
            workspace,
            signal,
            own,
            oversee,
            ...omitUndefined({ task }),
          }),
        },
        { write },
      );
    } finally {
      await run.close();
    }
  });
}

/** An oversight service at an address, for an agent outside a workflow. */
function overseeBy(
  url: string,
  {
    run,
    agent,
    task = null,
    plugins,
  }: {
    readonly run: Run;
    readonly agent: string;
    readonly task?: string | null | undefined;
    readonly plugins: RunPlugins;
  },
): NonNullable<BehaviorContext["oversee"]> {
  const { httpOversight, requestOversight } = plugins.vibecheck;
  const service = httpOversight(url);
  return async (reason) =>
    adviceOf(
      await requestOversight(run, service, {
        agent,
        task,
        request: {
          kind: "implementation",
          goal: task ?? run.run,
          plan: "",
          agent,
          ...(reason === null ? {} : { reason, uncertainties: [reason] }),
        },
      }),
    );
}
