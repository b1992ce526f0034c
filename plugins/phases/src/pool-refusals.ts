import type { Verdict } from "@bylaw/kernel";
import { quote, quoteAll } from "@bylaw/wording";
import { CODES, refuse, type Code, type RuleReference } from "./codes.ts";
import type { Compiled, CompiledPhase, ReferenceOf } from "./compile.ts";
import { constraintOf, LINE_WRITES, LINE_WRITES_BELOW } from "./phase-rules.ts";
import { LISTED } from "./tool-refusal.ts";

/** Whether a pool's rules allow what it was asked about. */
export const allows = (votes: readonly Verdict[] | undefined): boolean =>
  votes?.some(({ effect }) => effect === "allow") === true;

/** The denial of a write to a protected file. */
export const protectedBy = (where: ReferenceOf): Verdict =>
  refuse(
    "phase_protected",
    "Agents may not write the contract, Bylaw's own files or its records",
    "Leave it to the operator",
    where("protected"),
  );

/** The denials in a pool's votes, in the words of the contract. Anything neither allowed nor known is denied too. */
export const refusals = (votes: readonly Verdict[] | undefined, where: ReferenceOf): Verdict[] =>
  (votes ?? []).filter(({ effect }) => effect !== "allow").map((vote) => refusalOf(vote, where));

function refusalOf(
  { code, reason, fix, rule: { name } = { name: "" } }: Verdict,
  where: ReferenceOf,
): Verdict {
  if (name.endsWith("protected")) return protectedBy(where);
  const [, tool = "", kind = ""] =
    /^(.*)\.(vcs|forbidden_patterns|forbidden_commands)$/.exec(name) ?? [];
  const constraint = (): RuleReference => where("tool_constraints", writerOf(tool), kind);
  switch (kind) {
    case "vcs":
      return refuse(
        "phase_vcs_not_allowed",
        "This program commits, and the phase does not allow `git_commit`",
        "Commit in a phase that has `git_commit`",
        where("allowed_tools"),
      );
    case "forbidden_patterns":
      return refuse(
        "phase_path_forbidden",
        "The phase forbids this path",
        "Work in other files, or move on to a phase that allows these",
        constraint(),
      );
    case "forbidden_commands":
      return refuse(
        "phase_command_forbidden",
        "The phase forbids this command",
        "Leave it out, or move on to a phase that allows it",
        constraint(),
      );
    default:
      return refuse(
        code !== undefined && Object.hasOwn(CODES, code) ? (code as Code) : "unknown_command",
        reason,
        fix,
      );
  }
}

export function commandNotAllowed(
  name: string,
  { phase }: CompiledPhase,
  { tools }: Compiled,
  where: ReferenceOf,
): Verdict {
  const commands = constraintOf(phase, name, tools)?.allowedCommands ?? [];
  return refuse(
    "phase_command_not_allowed",
    `The phase ${quote(phase.id)} allows ${quoteAll(commands, LISTED)} with ${quote(name)}, not this command line`,
    "Run one of the allowed commands, alone",
    where("tool_constraints", name, "allowed_commands"),
  );
}

/** The denial of a path that no pattern of the phase covers. */
export function pathNotAllowed(
  { tool: given, named }: { readonly tool: string; readonly named: readonly string[] },
  { phase }: CompiledPhase,
  { tools }: Compiled,
  where: ReferenceOf,
): Verdict {
  const tool = writerOf(given);
  const patterns = constraintOf(phase, tool, tools)?.allowedPatterns;
  const what = named.length === 0 ? `this call of ${quote(given)}` : quoteAll(named, LISTED);
  return refuse(
    "phase_path_not_allowed",
    `The phase ${quote(phase.id)} does not allow ${quote(tool)} on ${what}`,
    patterns === undefined
      ? "Use paths in the workspace that the contract allows in this phase"
      : `Use paths that match ${quoteAll(patterns, LISTED)}`,
    where("tool_constraints", tool, "allowed_patterns"),
  );
}

// The stand-in for what a line deletes is no tool of the contract.
const writerOf = (tool: string): string => (tool === LINE_WRITES_BELOW ? LINE_WRITES : tool);
