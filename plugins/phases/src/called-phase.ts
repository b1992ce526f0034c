import { COMPLETED_PHASE } from "@bylaw/contract";
import { isJsonObject, type ToolCall, type Verdict } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import { LINE_TOOLS, type Compiled, type CompiledPhase } from "./compile.ts";
import { completed } from "./transition.ts";

/** A call with its folders. A host that names none works in the folder of its configuration. */
export function withFolders(call: ToolCall, { folder }: Compiled): ToolCall {
  const { cwd = call.workspace ?? folder, workspace = cwd } = call;
  return cwd === call.cwd && workspace === call.workspace ? call : { ...call, cwd, workspace };
}

/** The contract's name for the tool of a call. */
export const toolName = ({ tool, server }: ToolCall): string =>
  server === undefined ? tool : `mcp__${server}__${tool}`;

/** The phase of a call, by the log, or the denial if it has none. */
export function calledPhase(
  { task, phase }: ToolCall,
  { phases }: Compiled,
): CompiledPhase | Verdict {
  if (phase === COMPLETED_PHASE) return completed(task ?? "");
  if (phase !== undefined)
    return (
      phases.get(phase) ??
      refuse(
        "phase_unknown",
        `Unknown phase ${quote(phase)}; the contract has ${quoteAll([...phases.keys()])}`,
        "Finish the task under the contract that it began with",
      )
    );
  if (task === undefined)
    return refuse(
      "phase_task_missing",
      "This call names no task",
      "Claim a task, and name it with each call",
    );
  return refuse(
    "phase_not_entered",
    `The task ${quote(task)} has not entered a phase yet`,
    "Request the transition into the first phase",
  );
}

/** The line that a call runs: undefined if its tool runs none, null if it cannot be read. */
export function commandLine(
  { args }: ToolCall,
  name: string,
  compiled: Compiled,
): string | null | undefined {
  const { shell } = compiled.tools;
  const argument = shell.get(name) ?? shell.get(name.split("__").at(-1) ?? name);
  if (argument === undefined) return undefined;
  const line = isJsonObject(args) && Object.hasOwn(args, argument) ? args[argument] : undefined;
  return typeof line === "string" ? line : null;
}

/** Whether a call to a tool with a fixed command, such as `run_tests`, has no command of its own. */
export const runsHostLine = (
  { args }: ToolCall,
  name: string,
  { listed }: CompiledPhase,
): boolean =>
  Object.hasOwn(LINE_TOOLS, name) &&
  !listed.has(name) &&
  isJsonObject(args) &&
  !Object.hasOwn(args, LINE_TOOLS[name as keyof typeof LINE_TOOLS]);
