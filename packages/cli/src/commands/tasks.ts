import { readFileSync } from "node:fs";
import { parseJson } from "@bylaw/config";
import { messageOf, omitUndefined, type JsonObject, type View } from "@bylaw/kernel";
import { currentPhases, treeEntries } from "@bylaw/log";
import { coordinatorState, coordinatorTasks } from "@bylaw/plugin-coordinator";
import { taskBoard } from "@bylaw/plugin-tasks";
import { AgentError, type NewTask } from "@bylaw/sdk";
import { operatorClient, operatorError } from "../agents/operator-client.ts";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { inputFault } from "../io/input.ts";
import { jsonLine, write } from "../io/output.ts";
import { usageError } from "../io/report-error.ts";
import { paintFor, short } from "../io/text.ts";
import { foldingView } from "../log/folding-view.ts";
import { eventsOf, noSuchRun, withReader } from "../log/open-store.ts";
import { runOrLatest, storeOrProject } from "../log/project-store.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <name>", "the run in the store (default: the latest)"],
  ["--url <url>", "a server to ask instead, with an operator's token"],
  ["--create <file>", "with --url: create these tasks, an array as JSON"],
  ["--json", "print JSON, one task per line"],
] as const satisfies readonly OptionSpec[];
type TasksOptions = OptionsOf<typeof OPTIONS>;

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
A server takes up to 1,000 tasks at once, each after those it depends on: [{"id":"schema"},{"id":"api","dependencies":["schema"]}]. It knows you
by BYLAW_OPERATOR_TOKEN.

Exit code: 0 printed, even if there are none; 2 usage error, a store that cannot be used, or a server that refuses.

Examples:
  $ bylaw tasks
  $ bylaw tasks --run main --json
  $ bylaw tasks --url http://127.0.0.1:8000 --create tasks.json`,
  run: async (options: TasksOptions) => {
    const lines =
      options.url === undefined
        ? await recordedTasks(options)
        : await tasksAt(options.url, options);
    await write(options.json === true ? lines.map(jsonLine).join("") : table(lines));
    conclude(0);
  },
};

/** The state of one task. */
interface TaskLine {
  readonly task: string;
  /** The status: as the coordinator recorded it, or whether agents can claim the task. */
  readonly status?: string;
  /** Set for tasks under a contract. */
  readonly phase?: string;
  readonly developers: readonly string[];
  readonly critic: string | null;
  readonly auditor: string | null;
}

/** The tasks of a server. With `--create`, only the tasks that it just created. */
async function tasksAt(
  url: string,
  { create, ...options }: TasksOptions,
): Promise<readonly TaskLine[]> {
  const [unused] = (["store", "run"] as const).filter((name) => options[name] !== undefined);
  if (unused !== undefined)
    throw usageError(`\`--${unused}\` and \`--url\` cannot be given together`);
  const client = operatorClient(url, "bylaw tasks --url");
  try {
    const tasks =
      create === undefined ? await client.tasks() : await client.createTasks(readNewTasks(create));
    return tasks.map(remoteLine);
  } catch (error) {
    throw error instanceof AgentError ? operatorError(error) : error;
  }
}

function readNewTasks(file: string): readonly NewTask[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw usageError(inputFault(error, file) ?? messageOf(error));
  }
  const given = parseJson(text);
  if (Array.isArray(given)) return given as unknown as readonly NewTask[];
  throw usageError(`${file} has no array of tasks`, 'Write one like [{"id":"schema"}]');
}

function remoteLine({ id, status, phase, agent_id }: JsonObject): TaskLine {
  const developers = typeof agent_id === "string" && status === "claimed" ? [agent_id] : [];
  const line = {
    task: String(id),
    status: String(status),
    developers,
    critic: null,
    auditor: null,
  };
  return typeof phase === "string" ? { ...line, phase } : line;
}

/** The state of each task of a run, read from the log alone. */
async function recordedTasks({
  store,
  run: named,
  create,
}: TasksOptions): Promise<readonly TaskLine[]> {
  if (create !== undefined) throw usageError("`--create` needs the address of a server, `--url`");
  const place = storeOrProject(store);
  const run = await runOrLatest(place, named);
  const projections = [coordinatorState, currentPhases, taskBoard];
  const states = foldingView({ declared: { projections } });
  await withReader(place, async (opened) => {
    let found = false;
    for await (const events of eventsOf(opened, run)) {
      found = true;
      for (const event of events) states.add(event);
    }
    if (!found) throw await noSuchRun(opened, run);
  });
  return linesOf(states.view);
}

function linesOf(view: View): readonly TaskLine[] {
  const coordinated = coordinatorTasks(view);
  const phases = new Map(treeEntries(view(currentPhases)));
  const claimed = new Map(treeEntries(view(taskBoard).tasks));
  const names = [...new Set([...coordinated.keys(), ...phases.keys(), ...claimed.keys()])].sort();
  return names.map((task) => {
    const life = coordinated.get(task);
    const board = claimed.get(task);
    const holder = board?.status === "claimed" ? board.agent : null;
    const status = life?.status ?? board?.status;
    return {
      task,
      ...omitUndefined({ status, phase: phases.get(task) }),
      developers: life?.developers ?? (holder === null ? [] : [holder]),
      critic: life?.critic ?? null,
      auditor: life?.auditor ?? null,
    };
  });
}

const WIDTHS = [20, 16, 24, 16, 0];

function table(tasks: readonly TaskLine[]): string {
  if (tasks.length === 0) return "No tasks yet.\n";
  const row = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => short(cell, 64).padEnd(WIDTHS[index] ?? 0))
      .join(" ")
      .trimEnd();
  const head = paintFor(process.stdout)(
    "bold",
    row(["TASK", "STATUS", "DEVELOPERS", "CRITIC", "AUDITOR"]),
  );
  const lines = tasks.map(({ task, status, phase, developers, critic, auditor }) =>
    row([
      task,
      [status, phase].filter((one) => one !== undefined).join(", "),
      developers.join(", ") || "-",
      critic ?? "-",
      auditor ?? "-",
    ]),
  );
  return `${[head, ...lines].join("\n")}\n`;
}
