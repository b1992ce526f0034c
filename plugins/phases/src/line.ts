import type { JsonObject, ToolCall, Verdict } from "@bylaw/kernel";
import { analyze, type Effect, type ShellCommand } from "@bylaw/shell";
import { quote } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { CompiledPhase } from "./compile.ts";
import { onlyLooks } from "./lookers.ts";
import { LINE_READS, LINE_READS_BELOW, LINE_WRITES, LINE_WRITES_BELOW } from "./phase-rules.ts";
import { vcsAllowed } from "./vcs.ts";

/** What a line writes, and where that matters reads, as calls of the tools that do. */
export interface LineWrites {
  readonly calls: readonly ToolCall[];
  /** What speaks against the line whatever the paths are. */
  readonly against: readonly Verdict[];
}

/** What matters of a phase to a line. */
export type LinePhase = Pick<CompiledPhase, "writes" | "commits" | "reads"> & { readonly phase: { readonly id: string } };

/**
 * Reads a line as writes. `listed`: the phase names the commands that may run, so what a program that nobody knows might write does not
 * count against it. Pure.
 */
export function readWrites(call: ToolCall, line: string, { phase, writes, commits, reads }: LinePhase, listed: boolean): LineWrites {
  const against: Verdict[] = [];
  const plain = new Set<string>();
  const below = new Set<string>();
  const read = new Set<string>();
  const readBelow = new Set<string>();
  const analysis = analyze(line);
  const unknown = (what: string): void => {
    against.push(
      refuse(
        "unknown_command",
        `Unexpected ${what}, expected a line that can be known before it runs`,
        "write it out, or use the tool that writes files",
      ),
    );
  };
  const write = (what: string): void => {
    against.push(
      refuse(
        "phase_shell_writes",
        `Unexpected ${what} in phase ${quote(phase.id)}, expected a line that writes nothing`,
        "leave files as they are until a phase that writes them",
      ),
    );
  };
  for (const { what } of analysis.unknown) unknown(what);
  for (const command of analysis.commands) {
    const name = quote(command.argv.map((word) => word.text ?? "…").join(" "));
    if (command.origin !== "sight") for (const { what } of command.unknown) unknown(what);
    if (command.remote && command.origin !== "sight") unknown(`command ${name} on another machine or in a container`);
    const known = listed && command.carries;
    const effects = known ? command.redirections.flatMap(redirected) : command.effects;
    if (!writes && !listed) {
      if (command.redirections.some((one) => one.writes)) write(`redirection of ${name}`);
      if (command.origin !== "sight" && !onlyLooks(command.argv[0])) write(`program of ${name} that may write`);
      if (command.hazards.some(({ does }) => does !== "run" && does !== "send")) write(`argument of ${name} that writes or loads`);
    }
    const placed = effects.some(({ kind }) => kind === "write" || kind === "delete");
    // An argument that writes, and nothing that says where.
    if (writes && !known && !placed && command.hazards.some(({ does }) => does === "write" || does === "delete"))
      unknown(`argument of ${name} that writes`);
    for (const effect of effects) {
      if (effect.kind === "vcs") {
        // A contract that names git's commands has said which.
        if (!listed && !vcs(effect.action, placed)) against.push(refuseVcs(effect.action));
      } else if (effect.kind === "read") {
        if (!reads) continue;
        if (effect.path.text === undefined) unknown(effect.path.why);
        else (effect.path.pattern !== undefined || effect.below === true ? readBelow : read).add(effect.path.text);
      } else if (effect.kind === "execute") {
        if (!writes && !listed) write(`program of ${name}, which may write`);
      } else if (effect.kind === "write" || effect.kind === "delete") {
        if (!writes) write(`command ${name} that writes`);
        else if (effect.path.text === undefined) unknown(effect.path.why);
        // What is written by a link leads elsewhere, what is deleted by one does not.
        else if (effect.path.pattern !== undefined && effect.kind === "write") unknown(`glob among what ${name} writes`);
        else (effect.path.pattern !== undefined || effect.below === true ? below : plain).add(effect.path.text);
      }
    }
  }
  const calls = [
    ...(plain.size === 0 ? [] : [callOf(call, LINE_WRITES, { paths: [...plain] })]),
    ...[...below].map((path) => callOf(call, LINE_WRITES_BELOW, { path })),
    ...(read.size === 0 ? [] : [callOf(call, LINE_READS, { paths: [...read] })]),
    ...[...readBelow].map((path) => callOf(call, LINE_READS_BELOW, { path })),
  ];
  return { calls, against };

  function vcs(action: string, placed: boolean): boolean {
    return vcsAllowed(action, { writes, commits, placed });
  }
  function refuseVcs(action: string): Verdict {
    const reason = `Unexpected \`git\` ${quote(action)} in phase ${quote(phase.id)}, expected what leaves history and files as they are`;
    return refuse(
      "phase_vcs_not_allowed",
      reason,
      commits ? "change files by the tools that write them" : "commit in a phase that has `git_commit`",
    );
  }
}

const redirected = ({ writes, target }: ShellCommand["redirections"][number]): readonly Effect[] => {
  if (!writes) return [];
  const text = target?.single === true ? target.text : undefined;
  return [{ kind: "write", path: text === undefined ? { why: "target of a redirection" } : { text } }];
};

function callOf({ server: _, servers: __, ...call }: ToolCall, tool: string, args: JsonObject): ToolCall {
  return { ...call, tool, args };
}
