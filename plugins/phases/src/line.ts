import type { JsonObject, ToolCall, Verdict } from "@bylaw/kernel";
import { analyze, type Effect, type ShellCommand } from "@bylaw/shell";
import { quote } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { CompiledPhase } from "./compile.ts";
import { isReadOnly } from "./read-only-programs.ts";
import { LINE_READS, LINE_READS_BELOW, LINE_WRITES, LINE_WRITES_BELOW } from "./phase-rules.ts";
import { vcsAllowed } from "./vcs-allowed.ts";

/** What a line writes, and where that matters reads, as calls of the tools that do. */
export interface LineEffects {
  readonly calls: readonly ToolCall[];
  /** What speaks against the line whatever the paths are. */
  readonly denials: readonly Verdict[];
}

/** What matters of a phase to a line. */
export type LinePhase = Pick<CompiledPhase, "writes" | "commits" | "reads"> & {
  readonly phase: { readonly id: string };
};

/**
 * Reads a line as writes. `listed`: the phase names the commands that may run, so what a program
 * that nobody knows might write does not count against it. Pure.
 */
export function lineEffects(
  call: ToolCall,
  line: string,
  { phase, writes, commits, reads }: LinePhase,
  listed: boolean,
): LineEffects {
  const denials: Verdict[] = [];
  const plain = new Set<string>();
  const below = new Set<string>();
  const read = new Set<string>();
  const readBelow = new Set<string>();
  const analysis = analyze(line);
  const unknown = (what: string): void => {
    denials.push(
      refuse(
        "unknown_command",
        `Cannot tell what this command line would do: ${what}`,
        "Write it out, or use the tool that writes files.",
      ),
    );
  };
  const write = (what: string): void => {
    denials.push(
      refuse(
        "phase_shell_writes",
        `The phase ${quote(phase.id)} allows no writing, and ${what}`,
        "Leave files unchanged until a phase that writes them",
      ),
    );
  };
  for (const { what } of analysis.unknown) unknown(what);
  for (const command of analysis.commands) {
    const name = quote(command.argv.map((word) => word.text ?? "…").join(" "));
    if (command.origin !== "sight") for (const { what } of command.unknown) unknown(what);
    if (command.remote && command.origin !== "sight")
      unknown(`${name} runs on another machine or in a container`);
    const known = listed && command.carries;
    const effects = known ? command.redirections.flatMap(redirected) : command.effects;
    if (!writes && !listed) {
      if (command.redirections.some((one) => one.writes))
        write(`${name} redirects output to a file`);
      if (command.origin !== "sight" && !isReadOnly(command.argv[0])) write(`${name} may write`);
      if (command.hazards.some(({ does }) => does !== "run" && does !== "send"))
        write(`an argument of ${name} writes or loads code`);
    }
    const placed = effects.some(({ kind }) => kind === "write" || kind === "delete");
    // An argument that writes, and nothing that says where.
    if (
      writes &&
      !known &&
      !placed &&
      command.hazards.some(({ does }) => does === "write" || does === "delete")
    )
      unknown(`an argument of ${name} writes somewhere`);
    for (const effect of effects) {
      if (effect.kind === "vcs") {
        // A contract that names git's commands has said which.
        if (!listed && !vcs(effect.action, placed)) denials.push(refuseVcs(effect.action));
      } else if (effect.kind === "read") {
        if (!reads) continue;
        if (effect.path.text === undefined) unknown(effect.path.why);
        else
          (effect.path.pattern !== undefined || effect.below === true ? readBelow : read).add(
            effect.path.text,
          );
      } else if (effect.kind === "execute") {
        if (!writes && !listed) write(`${name} may write`);
      } else if (effect.kind === "write" || effect.kind === "delete") {
        if (!writes) write(`${name} writes`);
        else if (effect.path.text === undefined) unknown(effect.path.why);
        // What is written by a link leads elsewhere, what is deleted by one does not.
        else if (effect.path.pattern !== undefined && effect.kind === "write")
          unknown(`${name} writes to a glob`);
        else
          (effect.path.pattern !== undefined || effect.below === true ? below : plain).add(
            effect.path.text,
          );
      }
    }
  }
  const calls = [
    ...(plain.size === 0 ? [] : [callOf(call, LINE_WRITES, { paths: [...plain] })]),
    ...[...below].map((path) => callOf(call, LINE_WRITES_BELOW, { path })),
    ...(read.size === 0 ? [] : [callOf(call, LINE_READS, { paths: [...read] })]),
    ...[...readBelow].map((path) => callOf(call, LINE_READS_BELOW, { path })),
  ];
  return { calls, denials };

  function vcs(action: string, placed: boolean): boolean {
    return vcsAllowed(action, { writes, commits, placed });
  }
  function refuseVcs(action: string): Verdict {
    const reason = `\`git\` ${quote(action)} changes history or files, which the phase ${quote(phase.id)} does not allow`;
    return refuse(
      "phase_vcs_not_allowed",
      reason,
      commits
        ? "Change files with the tools that write them"
        : "Commit in a phase that has `git_commit`",
    );
  }
}

const redirected = ({
  writes,
  target,
}: ShellCommand["redirections"][number]): readonly Effect[] => {
  if (!writes) return [];
  const text = target?.single === true ? target.text : undefined;
  return [
    { kind: "write", path: text === undefined ? { why: "target of a redirection" } : { text } },
  ];
};

function callOf(
  { server: _, servers: __, ...call }: ToolCall,
  tool: string,
  args: JsonObject,
): ToolCall {
  return { ...call, tool, args };
}
