import { isJsonObject, type ToolCall } from "@bylaw/kernel";
import { analyze, type Effect } from "@bylaw/shell";
import { shown } from "../match/shell-line.ts";
import { identify } from "../match/mcp.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";

/** What the analysis of a shell line saw, in words. */
export interface LineReport {
  readonly commands: readonly {
    /** With one blank between the words; `…` for what only bash can know. */
    readonly text: string;
    /** How bash gets to it: `line`, `substitution`, `wrapper`, `script`, or `sight` for text that only looks like a command. */
    readonly origin: string;
    /** Such as `write /etc/hosts`, `network api.example.com`, `vcs push`. */
    readonly effects: readonly string[];
    /** Arguments that make it do more than its name says, such as `run -c`. */
    readonly hazards: readonly string[];
    /** Why what it runs or does is not known. */
    readonly unknown: readonly string[];
  }[];
  /** Why the line as a whole is not known. */
  readonly unknown: readonly string[];
}

/** What the rules see of the shell line of a call; undefined for a call that runs none. */
export function lineReport(
  call: ToolCall,
  tools: ToolTable = DEFAULT_TOOLS,
): LineReport | undefined {
  const argument = tools.shell.get(identify(call).bare);
  const line = argument === undefined || !isJsonObject(call.args) ? undefined : call.args[argument];
  if (typeof line !== "string") return undefined;
  const { commands, unknown } = analyze(line);
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
      return "privilege";
    default: {
      const { kind, path, below } = effect;
      if (path.text === undefined) return `${kind} … (${path.why})`;
      return `${kind} ${path.pattern ?? path.text}${below === true ? " and all below" : ""}`;
    }
  }
}
