import { currentPhases, treeEntries } from "@bylaw/log";
import { coordinatorState, coordinatorTasks } from "@bylaw/plugin-coordinator";
import type { CommandSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { STORE_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { paintFor, short } from "../io/text.ts";
import { foldingView } from "../log/folding-view.ts";
import { eventsOf, noSuchRun, withReader } from "../log/open-store.ts";
import { runOrLatest, storeOrProject } from "../log/project-store.ts";

const OPTIONS = [
  STORE_OPTION,
  ["--run <name>", "the run in the store (default: the latest)"],
  ["--json", "print JSON, one task per line"],
] as const satisfies readonly OptionSpec[];

export const command: CommandSpec = {
  options: OPTIONS,
  help: `
Exit code: 0 printed, even if there are none; 2 usage error, or a store that cannot be used.

Examples:
  $ bylaw tasks
  $ bylaw tasks --run main --json`,
  run: listTasks,
};

/** The state of one task. */
interface TaskLine {
  readonly task: string;
  /** Set for tasks of a coordinator. */
  readonly status?: string;
  /** Set for tasks under a contract. */
  readonly phase?: string;
  readonly developers: readonly string[];
  readonly critic: string | null;
  readonly auditor: string | null;
}

/** Prints the state of each task of a run, from the log alone. */
async function listTasks({
  store,
  run: named,
  json = false,
}: OptionsOf<typeof OPTIONS>): Promise<void> {
  const place = storeOrProject(store);
  const run = await runOrLatest(place, named);
  const states = foldingView({ declared: { projections: [coordinatorState, currentPhases] } });
  await withReader(place, async (opened) => {
    let found = false;
    for await (const events of eventsOf(opened, run)) {
      found = true;
      for (const event of events) states.add(event);
    }
    if (!found) throw await noSuchRun(opened, run);
  });
  const tasks = linesOf(
    coordinatorTasks(states.view),
    new Map(treeEntries(states.view(currentPhases))),
  );
  await write(json ? tasks.map(jsonLine).join("") : table(tasks));
  conclude(0);
}

function linesOf(
  coordinated: ReturnType<typeof coordinatorTasks>,
  phases: ReadonlyMap<string, string>,
): readonly TaskLine[] {
  const names = [...new Set([...coordinated.keys(), ...phases.keys()])].sort();
  return names.map((task) => {
    const life = coordinated.get(task);
    const phase = phases.get(task);
    return {
      task,
      ...(life === undefined ? {} : { status: life.status }),
      ...(phase === undefined ? {} : { phase }),
      developers: life?.developers ?? [],
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
