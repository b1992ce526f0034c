import { COMPLETED } from "@bylaw/contract";
import { isJsonObject, type Json, type JsonObject, type RuleReference, type ToolCall, type Verdict } from "@bylaw/kernel";
import type { PolicyPool } from "@bylaw/policy-language";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import { quote, quoteAll } from "@bylaw/wording";
import { CODES, refuse, type Code } from "./codes.ts";
import { LINE_TOOLS, type Compiled, type CompiledPhase } from "./compile.ts";
import { readWrites, type LinePhase, type LineWrites } from "./line.ts";
import { LINE_WRITES, LINE_WRITES_BELOW } from "./phase-rules.ts";
import { completed } from "./transition.ts";

/** What the phase of a call, as the log has it, says of the call: denies, all of them; none where it may run. Pure. */
export function judgeCall(given: ToolCall, compiled: Compiled): readonly Verdict[] {
  const call = located(given, compiled);
  const found = phaseOf(call, compiled);
  if (!("phase" in found)) return [found, ...shielded(call, compiled)];
  const name = nameOf(call);
  const { id } = found.phase;
  const where: Where = (...keys) =>
    compiled.at([id, ...keys].join("."), ["phases", compiled.contract.phases.findIndex((phase) => phase.id === id), ...keys]);
  const instead = (): string =>
    `use one of ${quoteAll([...found.allowed].filter((tool) => !found.forbidden.has(tool)))}, or ask for a transition`;
  // An MCP server may name its tools as the host's are named: that forbids them, and allows nothing.
  const refused: Verdict[] = [];
  if (found.forbidden.has(name) || found.forbidden.has(call.tool))
    refused.push(
      refuse(
        "phase_tool_forbidden",
        `Unexpected tool ${quote(name)}, expected none that phase ${quote(id)} forbids`,
        instead(),
        where("forbidden_tools"),
      ),
    );
  else if (!found.allowed.has(name))
    refused.push(
      refuse(
        "phase_tool_not_allowed",
        `Unexpected tool ${quote(name)}, expected one that phase ${quote(id)} allows`,
        instead(),
        where("allowed_tools"),
      ),
    );
  if (refused.length > 0) return [...refused, ...shielded(call, compiled)];
  const line = lineOf(call, name, found, compiled);
  if (line === undefined) return judgePaths(call, found.files, where, found.placed.has(name));
  if (line === null) return [refuse("unknown_command", "Unexpected line that is no text, expected a command", "send the line as text")];
  const refusedLine = judgeLine(call, readWrites(call, line, found, found.listed.has(name)), found, name, where);
  return refusedLine.length === 0 ? refusedLine : unique([...refusedLine, ...shielded(call, compiled)]);
}

// Where nothing is allowed all that a line writes is looked at nevertheless: some of it nobody may write.
const ANY: LinePhase = { phase: { id: "any" }, writes: true, commits: true, reads: false };

/** Where the links among the paths of a call lead. */
export function prepareCall(given: ToolCall, compiled: Compiled): JsonObject | undefined {
  const call = located(given, compiled);
  const found = phaseOf(call, compiled);
  const name = nameOf(call);
  const line = textOf(call, name, compiled);
  const { files, written, phase } = "phase" in found ? found : { files: compiled.anywhere, written: compiled.anywhere, phase: undefined };
  if (typeof line !== "string") return linksOf(call, files.pathsToResolve(call), compiled, given);
  const { calls } = readWrites(call, line, phase !== undefined && "writes" in found && found.writes ? found : ANY, false);
  return linksOf(call, [...new Set(calls.flatMap((one) => written.pathsToResolve(one)))], compiled, given);
}

const linksOf = (call: ToolCall, texts: readonly string[], { guarded }: Compiled, preparation: ToolCall): JsonObject | undefined =>
  resolvePaths(call, texts, { seenFrom: ["workspace"], doubtful: "refuse", guarded, preparation });

// A host that names no folder works in that of its configuration.
function located(call: ToolCall, { folder }: Compiled): ToolCall {
  const { cwd = call.workspace ?? folder, workspace = cwd } = call;
  return cwd === call.cwd && workspace === call.workspace ? call : { ...call, cwd, workspace };
}

const nameOf = ({ tool, server }: ToolCall): string => (server === undefined ? tool : `mcp__${server}__${tool}`);

function phaseOf({ task, phase }: ToolCall, { phases }: Compiled): CompiledPhase | Verdict {
  if (phase === undefined) {
    if (task === undefined)
      return refuse(
        "phase_task_missing",
        "Unexpected call without a task, expected one of a task",
        "claim a task, and name it with each call",
      );
    return refuse(
      "phase_not_entered",
      `Unexpected call for task ${quote(task)}, expected a task that has entered a phase`,
      "ask for the transition into the first phase",
    );
  }
  if (phase === COMPLETED) return completed(task ?? "");
  return (
    phases.get(phase) ??
    refuse(
      "phase_unknown",
      `Unexpected phase ${quote(phase)}, expected one of ${quoteAll([...phases.keys()])}`,
      "finish the task under the contract that it began with",
    )
  );
}

// The line of a call: undefined where the tool runs none, null where it cannot be read.
function lineOf(call: ToolCall, name: string, { listed: bound }: CompiledPhase, compiled: Compiled): string | null | undefined {
  const line = textOf(call, name, compiled);
  // These run what the host runs, unless they are told what.
  return line === null && Object.hasOwn(LINE_TOOLS, name) && !bound.has(name) && isBare(call, name) ? undefined : line;
}

const isBare = ({ args }: ToolCall, name: string): boolean =>
  isJsonObject(args) && !Object.hasOwn(args, LINE_TOOLS[name as keyof typeof LINE_TOOLS]);

function textOf({ args }: ToolCall, name: string, { tools: { shell } }: Compiled): string | null | undefined {
  const argument = shell.get(name) ?? shell.get(name.split("__").at(-1) ?? name);
  if (argument === undefined) return undefined;
  const line = isJsonObject(args) && Object.hasOwn(args, argument) ? args[argument] : undefined;
  return typeof line === "string" ? line : null;
}

type Where = (...keys: readonly string[]) => RuleReference;

function judgeLine(call: ToolCall, { calls, against }: LineWrites, phase: CompiledPhase, name: string, where: Where): readonly Verdict[] {
  const votes = phase.commands.evaluate(call);
  const refused = refusals(votes, where);
  if (refused.length === 0 && phase.listed.has(name) && !allows(votes))
    refused.push(
      refuse(
        "phase_command_not_allowed",
        `Unexpected command in phase ${quote(phase.phase.id)}, expected lines of the commands that it allows`,
        "run one of them, alone",
        where("tool_constraints", name, "allowed_commands"),
      ),
    );
  return unique([...refused, ...against, ...calls.flatMap((one) => judgePaths(one, phase.written, where, true))]);
}

function judgePaths(call: ToolCall, pool: PolicyPool, where: Where, placed: boolean): readonly Verdict[] {
  const votes = pool.evaluate(call);
  const refused = refusals(votes, where);
  if (refused.length > 0 || !placed || allows(votes)) return refused;
  return [
    refuse(
      "phase_path_not_allowed",
      `Unexpected ${namedIn(call)}, expected paths that the phase allows`,
      "name paths inside the workspace that the contract allows here",
      where("tool_constraints", writerOf(call.tool), "allowed_patterns"),
    ),
  ];
}

// The stand-ins for what a line does are no tools of the contract.
const writerOf = (tool: string): string => (tool === LINE_WRITES_BELOW ? LINE_WRITES : tool);

function namedIn({ tool, args }: ToolCall): string {
  const { path, paths } = (isJsonObject(args) ? args : {}) as { readonly path?: Json; readonly paths?: Json };
  const texts = [path, ...(Array.isArray(paths) ? (paths as readonly Json[]) : [paths])].filter((text) => typeof text === "string");
  return texts.length === 0 ? `path in a call of ${quote(tool)}` : `path among ${quoteAll(texts.slice(0, 5))}`;
}

// What nobody may write in any phase. A folder with something of that below it is that too.
function shielded(call: ToolCall, compiled: Compiled): readonly Verdict[] {
  const line = textOf(call, nameOf(call), compiled);
  const calls = typeof line === "string" ? readWrites(call, line, ANY, false).calls : [call];
  const where: Where = (...keys) => ({ name: keys.join("."), file: compiled.contract.file });
  return calls.flatMap((one) => {
    const votes = compiled.anywhere.evaluate(one);
    const found = refusals(votes, where);
    const below = one.tool === LINE_WRITES_BELOW && found.some(({ code }) => code === "unknown_path");
    return below ? [protectedBy(where)] : found.filter(({ code }) => code === "phase_protected");
  });
}

const allows = (votes: readonly Verdict[] | undefined): boolean => votes?.some(({ effect }) => effect === "allow") === true;

const PROTECTED = [
  "Unexpected write to the contract or to what records it, expected a file of the work",
  "leave it to the operator",
] as const;
const protectedBy = (where: Where): Verdict => refuse("phase_protected", ...PROTECTED, where("protected"));

const MEANS: readonly (readonly [suffix: string, code: Code, reason: string, fix: string])[] = [
  [
    ".vcs",
    "phase_vcs_not_allowed",
    "Unexpected commit by another program, expected none in a phase without `git_commit`",
    "commit in a phase that has `git_commit`",
  ],
  ["protected", "phase_protected", ...PROTECTED],
  [
    ".forbidden_patterns",
    "phase_path_forbidden",
    "Unexpected path, expected none that the phase forbids",
    "work in other files, or move on to a phase that allows these",
  ],
  [
    ".forbidden_commands",
    "phase_command_forbidden",
    "Unexpected command, expected none that the phase forbids",
    "leave it out, or move on to a phase that allows it",
  ],
];

// What is not allowed and not known is not allowed either.
function refusals(votes: readonly Verdict[] | undefined, where: Where): Verdict[] {
  return (votes ?? []).flatMap(({ effect, code, reason, fix, rule }) => {
    if (effect === "allow") return [];
    const means = MEANS.find(([suffix]) => rule?.name.endsWith(suffix) === true);
    if (means === undefined)
      return [refuse(code !== undefined && Object.hasOwn(CODES, code) ? (code as Code) : "unknown_command", reason, fix)];
    const [suffix, meant, why, then] = means;
    const tool = rule?.name.slice(0, -suffix.length) ?? "";
    const keys =
      suffix === "protected" ? [suffix] : suffix === ".vcs" ? ["allowed_tools"] : ["tool_constraints", writerOf(tool), suffix.slice(1)];
    return [refuse(meant, why, then, where(...keys))];
  });
}

const unique = (verdicts: readonly Verdict[]): readonly Verdict[] => [
  ...new Map(verdicts.map((one) => [JSON.stringify(one), one])).values(),
];
