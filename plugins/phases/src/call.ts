import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ToolCall,
  type Verdict,
} from "@bylaw/kernel";
import type { PolicyPool } from "@bylaw/policy-language";
import { resolvePaths } from "@bylaw/policy-language/real-paths";
import { calledPhase, commandLine, runsHostLine, toolName, withFolders } from "./called-phase.ts";
import { refuse } from "./codes.ts";
import type { Compiled, CompiledPhase, ReferenceOf } from "./compile.ts";
import { lineEffects, type LinePhase } from "./line.ts";
import { LINE_WRITES_BELOW } from "./phase-rules.ts";
import {
  allows,
  commandNotAllowed,
  pathNotAllowed,
  protectedBy,
  refusals,
} from "./pool-refusals.ts";
import { refuseTool } from "./tool-refusal.ts";

/** Every denial of a call by its phase, by the log. Empty if the call may run. Pure. */
export function judgeCall(given: ToolCall, compiled: Compiled): readonly Verdict[] {
  const call = withFolders(given, compiled);
  const phase = calledPhase(call, compiled);
  if (!("phase" in phase)) return [phase, ...shielded(call, compiled)];
  const { id } = phase.phase;
  const index = compiled.contract.phases.findIndex((one) => one.id === id);
  const where: ReferenceOf = (...keys) =>
    compiled.at([id, ...keys].join("."), ["phases", index, ...keys]);
  const name = toolName(call);
  const refused = refuseTool({ tool: call.tool, name }, phase, compiled, where);
  if (refused !== undefined) return [refused, ...shielded(call, compiled)];
  const one: Judged = { call, name, phase, compiled, where };
  const line = commandLine(call, name, compiled);
  if (line === undefined || (line === null && runsHostLine(call, name, phase)))
    return judgePaths(one, phase.files, phase.placed.has(name));
  if (line === null)
    return [
      refuse("unknown_command", "The command line is not text", "Send the command line as text"),
    ];
  const found = judgeLine(one, line);
  return found.length === 0 ? found : unique([...found, ...shielded(call, compiled)]);
}

interface Judged {
  readonly call: ToolCall;
  /** The contract's name for the tool. */
  readonly name: string;
  readonly phase: CompiledPhase;
  readonly compiled: Compiled;
  readonly where: ReferenceOf;
}

// A line's writes are checked even if no phase applies, because some paths are never writable.
const ANY: LinePhase = { phase: { id: "any" }, writes: true, commits: true, reads: false };

/** Resolves the links in a call's paths. */
export function prepareCall(given: ToolCall, compiled: Compiled): JsonObject | undefined {
  const call = withFolders(given, compiled);
  const found = calledPhase(call, compiled);
  const phase = "phase" in found ? found : undefined;
  const { guarded, anywhere } = compiled;
  const resolve = (texts: readonly string[]): JsonObject | undefined =>
    resolvePaths(call, texts, {
      seenFrom: ["workspace"],
      doubtful: "refuse",
      guarded,
      preparation: given,
    });
  const line = commandLine(call, toolName(call), compiled);
  if (typeof line !== "string") return resolve((phase?.files ?? anywhere).pathsToResolve(call));
  const { calls } = lineEffects(call, line, phase?.writes === true ? phase : ANY, false);
  const written = phase?.written ?? anywhere;
  return resolve([...new Set(calls.flatMap((one) => written.pathsToResolve(one)))]);
}

function judgeLine(one: Judged, line: string): readonly Verdict[] {
  const { call, name, phase, compiled, where } = one;
  const listed = phase.listed.has(name);
  const { calls, denials } = lineEffects(call, line, phase, listed);
  const votes = phase.commands.evaluate(call);
  const refused = refusals(votes, where);
  if (refused.length === 0 && listed && !allows(votes))
    refused.push(commandNotAllowed(name, phase, compiled, where));
  const paths = calls.flatMap((written) =>
    judgePaths({ ...one, call: written }, phase.written, true),
  );
  return unique([...refused, ...denials, ...paths]);
}

function judgePaths(
  { call, phase, compiled, where }: Judged,
  pool: PolicyPool,
  placed: boolean,
): readonly Verdict[] {
  const votes = pool.evaluate(call);
  const refused = refusals(votes, where);
  if (refused.length > 0 || !placed || allows(votes)) return refused;
  return [pathNotAllowed({ tool: call.tool, named: namedIn(call) }, phase, compiled, where)];
}

function namedIn({ args }: ToolCall): readonly string[] {
  if (!isJsonObject(args)) return [];
  const { path, paths } = args as { readonly path?: Json; readonly paths?: Json };
  const listed = Array.isArray(paths) ? (paths as readonly Json[]) : [paths];
  return [path, ...listed].filter((text) => typeof text === "string");
}

// Denies writes to paths that are not writable in any phase, including the folders that contain them.
function shielded(call: ToolCall, compiled: Compiled): readonly Verdict[] {
  const line = commandLine(call, toolName(call), compiled);
  const calls = typeof line === "string" ? lineEffects(call, line, ANY, false).calls : [call];
  const where: ReferenceOf = (...keys) => ({ name: keys.join("."), file: compiled.contract.file });
  return calls.flatMap((one) => {
    const found = refusals(compiled.anywhere.evaluate(one), where);
    const below =
      one.tool === LINE_WRITES_BELOW && found.some(({ code }) => code === "unknown_path");
    return below ? [protectedBy(where)] : found.filter(({ code }) => code === "phase_protected");
  });
}

const unique = (verdicts: readonly Verdict[]): readonly Verdict[] => [
  ...new Map(verdicts.map((one) => [JSON.stringify(one), one])).values(),
];
