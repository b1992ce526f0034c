import type { Contract } from "@bylaw/contract";
import { containmentObstacle } from "@bylaw/process";
import { quote, quoteAll } from "@bylaw/wording";
import type { Settings } from "../config/settings.ts";

interface WarningOptions {
  readonly settings: Settings;
  readonly contract: Contract;
  /** The names of the server's tools. */
  readonly tools: ReadonlySet<string>;
  /** Whether anyone may answer questions. */
  readonly operated: boolean;
  /** Absolute. */
  readonly workspace: string;
}

/** The parts of the contract that these settings prevent, one sentence each, for the person who starts the server. */
export function startWarnings(options: WarningOptions): readonly string[] {
  const { settings, contract, operated } = options;
  const named = new Map<string, string[]>();
  for (const { id, allowedTools, forbiddenTools } of contract.phases)
    for (const tool of allowedTools.filter((one) => !forbiddenTools.includes(one)))
      named.set(tool, [...(named.get(tool) ?? []), id]);
  const unusable = [...named].flatMap(([tool, phases]) => {
    const why = obstacleOf(tool, options);
    return why === undefined ? [] : [`${quote(tool)} of ${quoteAll(phases)} ${why}`];
  });
  const approvals = contract.gates.filter(({ type }) => type === "approval");
  const { path } = contract.coordination.bus;
  const { endpoint } = contract.enforcement.sdk;
  const said = endpoint === undefined ? null : URL.parse(endpoint);
  const here = said?.protocol === "http:" && settings.port !== 0;
  return [
    ...unusable,
    ...(approvals.length > 0 && !operated
      ? [
          `nobody can approve at ${quoteAll(approvals.map(({ id }) => id))}: set BYLAW_OPERATOR_TOKEN, or name operators in the operators file`,
        ]
      : []),
    ...(here && Number(said.port || 80) !== settings.port
      ? [
          `agents that use \`agent_sdk.endpoint\` of the contract connect to port ${said.port || "80"}, but this server listens on ${settings.port}`,
        ]
      : []),
    ...(path === undefined || settings.store?.endsWith(path) === true
      ? []
      : [
          `the run is kept in ${settings.store === undefined ? "`store.db` of the data folder" : quote(settings.store)}, and not at \`event_bus.db_path\` of the contract: set \`store\` to \`sqlite:${path}\` to keep it there`,
        ]),
  ];
}

const PROGRAMS: ReadonlySet<string> = new Set(["bash", "git_commit", "run_tests"]);

function obstacleOf(
  tool: string,
  { settings, contract, tools, operated, workspace }: WarningOptions,
): string | undefined {
  if (!tools.has(tool)) {
    if (tool === "web_fetch") return "is missing: name its hosts in `tools.web_hosts`";
    if (tool === "run_tests" && contract.evidence.testCommand === undefined)
      return "is missing: the contract has no `test_command`";
    return "is not run by this server: agents can only check it here, and must run it themselves";
  }
  if (tool === "ask_user_question" && !operated)
    return "reaches nobody: set BYLAW_OPERATOR_TOKEN, or name operators in the operators file";
  const { contain, wrap, allow_root: allowRoot } = settings.tools;
  if (!PROGRAMS.has(tool) || contain !== "always" || wrap.length > 0) return undefined;
  const obstacle = containmentObstacle(workspace, { allowRoot });
  return obstacle === undefined
    ? undefined
    : `cannot run, because \`tools.contain\` is \`always\`: ${obstacle.reason}`;
}
