import { isJsonObject, type ToolCall } from "@bylaw/kernel";
import { analyze, type Effect } from "@bylaw/shell";
import { shown } from "../match/command-text.ts";
import { identify } from "../match/mcp.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";

/** The analysis of a shell line, as text. */
export interface LineReport {
  readonly commands: readonly {
    /** The words of the command, with spaces between them and `…` for each word that only bash can compute. */
    readonly text: string;
    /** Where the command was found: `line`, `substitution`, `wrapper`, `script`, or `sight` for text that only looks like a command. */
    readonly origin: string;
    /** Effects such as `write /etc/hosts`, `network api.example.com`, `vcs push`. */
    readonly effects: readonly string[];
    /** Arguments that make the command do more than its name says, such as `run -c`. */
    readonly hazards: readonly string[];
    /** Why it is not fully known what the command runs or does. */
    readonly unknown: readonly string[];
  }[];
  /** Why the line as a whole is not fully known. */
  readonly unknown: readonly string[];
}

/** Describes the shell line of a call as the rules see it. Undefined if the call runs none. */
export function lineReport(
  call: ToolCall,
  tools: ToolTable = DEFAULT_TOOLS,
): LineReport | undefined {
  const argument = tools.shell.get(identify(call).bare);
  const line = argument === undefined || !isJsonObject(call.args) ? undefined : call.args[argument];
  if (typeof line !== "string") return undefined;
  const { commands, unknown } = analyze(line, call);
  return {
    commands: commands.map(
      ({ argv, assignments, redirections, origin, effects, hazards, unknown: doubts }) => ({
        text: [
          ...assignments.map(
            ({ name, value }) => `${name}=${value === undefined ? "" : shown(value)}`,
          ),
          ...argv.map(shown),
          ...redirections.map(({ operator, target }) =>
            target === undefined ? operator : `${operator} ${shown(target)}`,
          ),
        ].join(" "),
        origin,
        effects: effects.map(effectText),
        hazards: hazards.map(
          ({ at, does }) => `${does} ${argv[at] === undefined ? "…" : shown(argv[at])}`,
        ),
        unknown: doubts.map(({ what }) => what),
      }),
    ),
    unknown: unknown.map(({ what }) => what),
  };
}

function effectText(effect: Effect): string {
  switch (effect.kind) {
    case "network":
      return `network ${effect.host ?? "…"}`;
    case "vcs":
      return `vcs ${effect.action}`;
    case "privilege":
    case "environment":
      return effect.kind;
    default: {
      const { kind, path, below } = effect;
      if (path.text === undefined) return `${kind} … (${path.why})`;
      return `${kind} ${path.pattern ?? path.text}${below === true ? " and everything below" : ""}`;
    }
  }
}
