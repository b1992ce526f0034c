import type { JsonObject, ToolCall, Verdict } from "@bylaw/kernel";
import { analyze, type Effect, type ShellCommand } from "@bylaw/shell";
import { quote } from "@bylaw/wording";
import { refuse } from "./codes.ts";
import type { CompiledPhase } from "./compile.ts";
import { isReadOnly } from "./read-only-programs.ts";
import { LINE_READS, LINE_READS_BELOW, LINE_WRITES, LINE_WRITES_BELOW } from "./phase-rules.ts";
import { vcsAllowed } from "./vcs-allowed.ts";

/** The writes of a line, and its reads if they matter, as calls of the file tools. */
export interface LineEffects {
  readonly calls: readonly ToolCall[];
  /** The denials of the line that do not depend on paths. */
  readonly denials: readonly Verdict[];
}

/** The parts of a phase that matter to a line. */
export type LinePhase = Pick<CompiledPhase, "writes" | "commits" | "reads"> & {
  readonly phase: { readonly id: string };
};

/**
 * Turns a line into writes. `listed`: the phase lists the allowed commands, so possible writes of an unknown program do not count
 * against it. Pure.
 */
export function lineEffects(
  call: ToolCall,
  line: string,
  phase: LinePhase,
  listed: boolean,
): LineEffects {
  const reader = new LineReader(phase, listed);
  const analysis = analyze(line, call);
  for (const { what } of analysis.unknown) reader.unknown(what);
  for (const command of analysis.commands) reader.read(command);
  return { calls: reader.calls(call), denials: reader.denials };
}

class LineReader {
  readonly denials: Verdict[] = [];
  readonly #phase: LinePhase;
  readonly #listed: boolean;
  readonly #written = new Set<string>();
  readonly #writtenBelow = new Set<string>();
  readonly #read = new Set<string>();
  readonly #readBelow = new Set<string>();

  constructor(phase: LinePhase, listed: boolean) {
    this.#phase = phase;
    this.#listed = listed;
  }

  read(command: ShellCommand): void {
    const { writes } = this.#phase;
    const name = quote(command.argv.map((word) => word.text ?? "…").join(" "));
    const acts = command.origin !== "sight";
    if (acts) for (const { what } of command.unknown) this.unknown(what);
    if (command.remote && acts) this.unknown(`${name} runs on another machine or in a container`);
    const known = this.#listed && command.carries;
    const effects = known ? command.redirections.flatMap(redirected) : command.effects;
    if (!writes && !this.#listed) this.#readLooking(command, name);
    const placed = effects.some(({ kind }) => kind === "write" || kind === "delete");
    // An argument writes, and nothing says where.
    if (
      writes &&
      !known &&
      !placed &&
      command.hazards.some(({ does }) => does === "write" || does === "delete")
    )
      this.unknown(`an argument of ${name} writes somewhere`);
    for (const effect of effects) this.#readEffect(effect, name, placed);
  }

  unknown(what: string): void {
    this.denials.push(
      refuse(
        "unknown_command",
        `Cannot tell what this command line would do: ${what}`,
        "Write it out, or use the tool that writes files.",
      ),
    );
  }

  /** The effects of the line, as calls of the file tools. */
  calls(call: ToolCall): readonly ToolCall[] {
    const all = (tool: string, paths: ReadonlySet<string>): readonly ToolCall[] =>
      paths.size === 0 ? [] : [callOf(call, tool, { paths: [...paths] })];
    const each = (tool: string, paths: ReadonlySet<string>): readonly ToolCall[] =>
      [...paths].map((path) => callOf(call, tool, { path }));
    return [
      ...all(LINE_WRITES, this.#written),
      ...each(LINE_WRITES_BELOW, this.#writtenBelow),
      ...all(LINE_READS, this.#read),
      ...each(LINE_READS_BELOW, this.#readBelow),
    ];
  }

  /** Checks a command in a phase that allows no writing. */
  #readLooking({ redirections, origin, argv, hazards }: ShellCommand, name: string): void {
    if (redirections.some((one) => one.writes)) this.#write(`${name} redirects output to a file`);
    if (origin !== "sight" && !isReadOnly(argv[0])) this.#write(`${name} may write`);
    if (hazards.some(({ does }) => does !== "run" && does !== "send"))
      this.#write(`an argument of ${name} writes or loads code`);
  }

  #readEffect(effect: Effect, name: string, placed: boolean): void {
    const { writes, commits, reads } = this.#phase;
    if (effect.kind === "vcs") {
      // A contract that lists git commands has decided which are allowed.
      if (!this.#listed && !vcsAllowed(effect.action, { writes, commits, placed }))
        this.#refuseVcs(effect.action);
    } else if (effect.kind === "read") {
      if (!reads) return;
      if (effect.path.text === undefined) this.unknown(effect.path.why);
      else
        (isWhole(effect.path, effect.below) ? this.#readBelow : this.#read).add(effect.path.text);
    } else if (effect.kind === "execute") {
      if (!writes && !this.#listed) this.#write(`${name} may write`);
    } else if (effect.kind === "write" || effect.kind === "delete") {
      if (!writes) this.#write(`${name} writes`);
      else if (effect.path.text === undefined) this.unknown(effect.path.why);
      // Writing through a link writes elsewhere; deleting a link does not.
      else if (effect.path.pattern !== undefined && effect.kind === "write")
        this.unknown(`${name} writes to a glob`);
      else
        (isWhole(effect.path, effect.below) ? this.#writtenBelow : this.#written).add(
          effect.path.text,
        );
    }
  }

  #write(what: string): void {
    this.denials.push(
      refuse(
        "phase_shell_writes",
        `The phase ${quote(this.#phase.phase.id)} allows no writing, and ${what}`,
        "Leave files unchanged until a phase that writes them",
      ),
    );
  }

  #refuseVcs(action: string): void {
    this.denials.push(
      refuse(
        "phase_vcs_not_allowed",
        `\`git\` ${quote(action)} changes history or files, which the phase ${quote(this.#phase.phase.id)} does not allow`,
        this.#phase.commits
          ? "Change files with the tools that write them"
          : "Commit in a phase that has `git_commit`",
      ),
    );
  }
}

/** Whether an effect covers everything below its path. */
const isWhole = (path: { readonly pattern?: unknown }, below = false): boolean =>
  path.pattern !== undefined || below;

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
