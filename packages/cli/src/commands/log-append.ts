import { isBylawError, parseJson } from "@bylaw/config";
import { BylawError, omitUndefined, type LogEvent } from "@bylaw/kernel";
import { openRun, type Plan, type RecordableEvent } from "@bylaw/log";
import { readCoordinatorEvent } from "@bylaw/plugin-coordinator";
import { workflowState } from "@bylaw/runner";
import type { Store } from "@bylaw/store";
import { takeToken } from "../approve/authority.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { JSON_OPTION, RUN_CONFIG, STORE_OPTION } from "../command-line/shared-options.ts";
import { argsFrom } from "../decide/call.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { textLines, withoutLine } from "../io/read-lines.ts";
import { reportError, usageError } from "../io/report-error.ts";
import { plain } from "../io/text.ts";
import { coordinatorKernel } from "../log/coordinator-kernel.ts";
import { foldingView } from "../log/folding-view.ts";
import { checkJoin } from "../mcp/may-join.ts";
import { nearestConfig } from "../run/run-kernel.ts";
import { eventsOf, noSuchRun, withReader, withStore, type StorePlace } from "../log/open-store.ts";
import { newProjectStore, runOrLatest, storeOrProject } from "../log/project-store.ts";
import { makeStoreFolder } from "../run/store-folder.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <name>", "the run (default: the latest)"],
  ["--type <type>", "the type of one event, instead of a file"],
  ["--agent <id>", "the agent that it is about"],
  ["--task <id>", "the task that it is about"],
  ["--details <json>", "its details (default: {})"],
  ["--create", "create the run, and the store if it does not exist"],
  ["--plan <file>", "the plan that a new run carries out; needs --tasks", { path: false }],
  ["--tasks <number>", "how many tasks the plan has", { least: 0 }],
  ["--resume", "take the run over from a coordinator that ended"],
  RUN_CONFIG,
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type AppendOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  arguments: {
    file: [
      "events as {event_type, agent_id?, task_id?, details?}, one a line; - reads standard input",
    ],
  },
  options: OPTIONS,
  help: `
All events of a file are recorded, or none.
Exit code: 0 recorded, 1 refused because it cannot have happened, 2 usage error, or a store that cannot be used.

Examples:
  $ bylaw log append --create --run refunds --plan plan.md --tasks 1 --type developer_dispatched --agent dev-1 --task task-1 --details '{"blocked_by":[]}'
  $ bylaw log append --run main --type health_audit_pass --agent auditor-1 --json`,
  run: append,
};

/** Records events for a coordinator that cannot call an API, such as a prompt. */
async function append(file: string | undefined, options: AppendOptions): Promise<void> {
  const { json = false, create = false, resume = false, config } = options;
  const token = takeToken();
  refuseSteps();
  const plan = planOf(options);
  const events = await eventsIn(file, options);
  const kernel = await coordinatorKernel(config);
  const place = placeOf(options);
  if (create) makeStoreFolder(place);
  try {
    await withStore(place, { create }, async (store) => {
      const name = options.run ?? (await runOrLatest(place, undefined));
      if (!create && (await store.events(name, 0, 1)).length === 0)
        throw await withReader(place, (reader) => noSuchRun(reader, name));
      await checkWorkflow(store, name, { config, token });
      const run = await openRun(kernel, {
        run: name,
        store,
        join: !resume,
        ...omitUndefined({ plan }),
      });
      try {
        await print(name, await run.record(events), json);
      } finally {
        await run.close();
      }
    });
    conclude(0);
  } catch (error) {
    if (!isBylawError(error) || error.code !== "BYLAW_EVENT_REFUSED") throw error;
    reportError(error, { json });
    conclude(1);
  }
}

// An agent in a step must use its run's tools, which do not let it act as another agent.
function refuseSteps(): void {
  const { BYLAW_RUN: run = "", BYLAW_MCP_URL: url = "" } = process.env;
  if (run + url === "") return;
  throw new BylawError({
    code: "BYLAW_MCP_FOREIGN",
    message: "A step of `bylaw run` records nothing in a log itself",
    fix: "Use the tools of its run: `bylaw mcp`",
  });
}

// Without this check, an agent of a running workflow could get in by unsetting the variables of its step.
async function checkWorkflow(
  store: Store,
  run: string,
  { config, token }: { readonly config: string | undefined; readonly token: string | undefined },
): Promise<void> {
  const states = foldingView({ declared: { projections: [workflowState] } });
  for await (const events of eventsOf(store, run)) for (const event of events) states.add(event);
  checkJoin(states, config ?? (await nearestConfig()), token);
}

function planOf({
  create = false,
  plan,
  tasks,
  resume = false,
  run,
}: AppendOptions): Plan | undefined {
  if (create && resume) throw usageError("`--create` and `--resume` cannot be given together");
  if (create && run === undefined) throw usageError("`--create` needs `--run`");
  if (!create && (plan !== undefined || tasks !== undefined))
    throw usageError("`--plan` and `--tasks` are for a new run: they need `--create`");
  if (plan === undefined && tasks === undefined) return undefined;
  if (plan === undefined || tasks === undefined)
    throw usageError("`--plan` and `--tasks` are needed together");
  return { file: plan, total_tasks: tasks };
}

const placeOf = ({ store, create = false }: AppendOptions): StorePlace =>
  create && store === undefined ? newProjectStore() : storeOrProject(store);

async function eventsIn(
  file: string | undefined,
  { type, agent, task, details }: AppendOptions,
): Promise<readonly RecordableEvent[]> {
  if (file !== undefined) {
    if ([type, agent, task, details].some((given) => given !== undefined))
      throw usageError(
        "A file and `--type`, `--agent`, `--task` or `--details` cannot be given together",
      );
    return await eventsOfFile(file);
  }
  if (type === undefined) throw usageError("No event was given: name a file, or `--type <type>`");
  return [
    readCoordinatorEvent({
      event_type: type,
      ...omitUndefined({ agent_id: agent, task_id: task }),
      ...(details === undefined ? {} : { details: argsFrom(details, "--details") }),
    }),
  ];
}

async function eventsOfFile(file: string): Promise<readonly RecordableEvent[]> {
  const events: RecordableEvent[] = [];
  for await (const lines of textLines(file, "BYLAW_EVENT_INVALID"))
    for (const { text, line } of lines) {
      if (events.length === MAX_EVENTS)
        throw usageError(`At most ${MAX_EVENTS} events can be recorded at once`);
      try {
        events.push(readCoordinatorEvent(parseJson(text)));
      } catch (error) {
        if (!isBylawError(error)) throw error;
        const { code, message, fix } = error;
        throw new BylawError({ code, message: withoutLine(message), fix, source: { file, line } });
      }
    }
  if (events.length === 0) throw usageError(`${file} holds no event`);
  return events;
}

/** The most events of one commit. */
const MAX_EVENTS = 1_000;
async function print(run: string, events: readonly LogEvent[], json: boolean): Promise<void> {
  const line = ({ event_type, sequence }: LogEvent): string =>
    `${plain(`${run}: ${event_type}`)} (event ${sequence})\n`;
  await write(events.map(json ? jsonLine : line).join(""));
}
