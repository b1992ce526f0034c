import { resolve } from "node:path";
import { startLocalServer } from "@bylaw/host-mcp/local-server";
import type { Tool } from "@bylaw/tools";
import type { Kernel } from "@bylaw/kernel";
import type { Run } from "@bylaw/log";
import type { ConstitutionContext } from "@bylaw/plugin-constitution";
import {
  BEHAVIOR_TOOLS,
  type BehaviorContext,
  type DrivenTemplate,
  oversightQuestion,
  type LoadedTemplate,
  type Selection,
  type Template,
  type WorkflowOptions,
} from "@bylaw/runner";
import type { RunPlugins } from "./run-kernel.ts";
import { answerCall } from "./answer-call.ts";
import { overseerOf, type RulesOf } from "./oversight.ts";
import { progressOf } from "./progress.ts";

/** What is needed to run a workflow on this machine. */
export interface WorkParts {
  readonly run: Run;
  /** The kernel that decides in the run. */
  readonly kernel: Kernel;
  readonly loaded: LoadedTemplate;
  readonly plugins: RunPlugins;
  readonly selection?: Selection | undefined;
  readonly from?: number | undefined;
  readonly workspace: string;
  /** The value of `--store` for this run, without a password. */
  readonly place: string;
  readonly controlFile: string;
  readonly signal: AbortSignal;
  readonly json: boolean;
}

/** Prepares the options of a workflow: its progress display, its oversight, and the server through which agents reach the run. */
export async function prepareWorkflow({
  run,
  kernel,
  loaded,
  plugins,
  selection,
  from,
  workspace,
  place,
  controlFile,
  signal,
  json,
}: WorkParts) {
  const { template, definition } = loaded;
  const { CONSTITUTION_TOOLS, constitutionOf, constitutionText, hasOwnRules, rulesFor } =
    plugins.constitution;
  const tools: readonly Tool<BehaviorContext & ConstitutionContext>[] = [
    ...BEHAVIOR_TOOLS,
    ...CONSTITUTION_TOOLS,
  ];
  const own = hasOwnRules(kernel);
  // An agent sees only its own rules if they are per agent, because such agents do not trust each other.
  const rulesOf: RulesOf = (agent) => rulesFor(constitutionOf(run), agent, own);
  const server = startsAgents(template)
    ? await startLocalServer(tools, {
        answerCall: (body, { agent }) => answerCall(body, { run, agent, kernel, store: place }),
      })
    : undefined;
  const progress = await progressOf({ json, steps: template.steps.length });
  const overseer = overseerOf(template, run, { workspace, plugins, rulesOf });
  const options: WorkflowOptions = {
    ...{ run, template, definition, workspace, controlFile: resolve(controlFile), signal },
    ...(selection === undefined ? {} : { selection }),
    ...(from === undefined ? {} : { from }),
    ...(overseer === undefined ? {} : { oversee: overseer }),
    preface: (agent) => constitutionText(rulesOf(agent)),
    ...(server === undefined
      ? {}
      : {
          serveTools: ({ agent, step, progress: made }) => {
            const oversee = overseeNow(overseer, { template, run }, { agent, step });
            const known = { run, agent, step, workspace, own, progress: made };
            const { key, close } = server.admit({ ...known, ...oversee });
            return { env: mcpVariables(server.url, key), close };
          },
        }),
    onEvents: progress.events,
    onOutput: progress.output,
  };
  return {
    options,
    close: async () => {
      await server?.close();
      await progress.close();
    },
  };
}

/** Asks the oversight at once when an agent requests it. */
function overseeNow(
  overseer: ReturnType<typeof overseerOf>,
  workflow: Pick<WorkflowOptions, "template" | "run">,
  { agent, step }: { readonly agent: string; readonly step: string },
): Pick<BehaviorContext, "oversee"> {
  const found = workflow.template.steps.find(({ id }) => id === step);
  if (overseer === undefined || found === undefined) return {};
  return { oversee: (reason) => overseer(oversightQuestion(workflow, found, agent, reason)) };
}

/** A template that a worker may drive on this machine. */
export const drivenHere = (
  loaded: LoadedTemplate,
  { kernel, ...parts }: Pick<WorkParts, "kernel" | "plugins" | "place" | "controlFile" | "json">,
): DrivenTemplate => ({
  ...loaded,
  kernel,
  work: (run, signal) =>
    prepareWorkflow({ ...parts, run, kernel, loaded, workspace: process.cwd(), signal }),
});

const startsAgents = ({ agents, steps }: Template): boolean =>
  Object.values(agents).some(({ run }) => run !== null && "command" in run) ||
  steps.some(({ agent, run }) => agent !== null && run !== null);

/** The variables through which a step reaches its tools: the server's address and key, and a command for MCP clients that start one. */
const mcpVariables = (url: string, key: string): Readonly<Record<string, string>> => ({
  BYLAW_MCP_URL: url,
  BYLAW_MCP_KEY: key,
  BYLAW_MCP_COMMAND: JSON.stringify([process.execPath, process.argv[1] ?? "bylaw", "mcp"]),
});
