import type { CallFacts } from "../match/call-facts.ts";
import { serverMatches, toolDenies } from "../match/mcp.ts";
import { effectsAllow, effectsDeny, effectsMayDeny } from "./effect-parts.ts";
import { isIgnored, pathsAllow, pathsDeny, pathsMayDeny } from "./path-parts.ts";
import {
  blanketAllows,
  mayReach,
  named,
  reaches,
  regexAllows,
  regexDenies,
  wordsAllow,
  wordsDeny,
} from "./rule-parts.ts";
import type { RulePatterns } from "./rule-patterns.ts";
import type { RuleSource } from "./written-rule.ts";

/** One condition of a rule, under the key that it is written with. */
export interface Part {
  readonly key: string;
  holds(facts: CallFacts): boolean;
  /** Whether the condition may hold for a command that is not fully known. */
  readonly mayHold?: (facts: CallFacts) => boolean;
}

/** The conditions of a rule about a call, cheapest first. */
export const partsOf = (source: RuleSource, patterns: RulePatterns): readonly Part[] => [
  ...callerParts(source, patterns),
  ...(source.effect === "allow" ? allowParts(source, patterns) : denyParts(source, patterns)),
];

/** Whether a rule is about commands. */
const ofCommands = ({ command }: RuleSource, { regex, effects }: RulePatterns): boolean =>
  (command ?? regex ?? effects) !== undefined;

function* callerParts(source: RuleSource, patterns: RulePatterns): Generator<Part> {
  const { tool, servers, network, agents, phases, conditions } = patterns;
  const { interactive, modes } = source;
  const allow = source.effect === "allow";
  if (tool !== undefined) {
    yield allow
      ? { key: "tool", holds: ({ identity }) => tool.some((one) => one.allows(identity)) }
      : { key: "tool", holds: ({ identity }) => toolDenies(tool, servers, identity) };
  } else if (allow) {
    // An allow about commands or hosts without `tool` covers only tools of the host itself, not those of MCP servers.
    const own = servers === undefined && (ofCommands(source, patterns) || network !== undefined);
    yield {
      key: "tool",
      holds: ({ identity: { kind } }) => kind === "local" || (kind === "mcp" && !own),
    };
  }
  if (servers !== undefined)
    yield { key: "server", holds: ({ identity }) => serverMatches(servers, identity, { allow }) };
  if (interactive !== undefined)
    yield { key: "interactive", holds: ({ call }) => (call.interactive !== false) === interactive };
  if (modes !== undefined)
    yield { key: "modes", holds: ({ call }) => modes.includes(call.approval_mode ?? "ask") };
  if (agents !== undefined) yield { key: "agent", holds: ({ call }) => named(agents, call.agent) };
  if (phases !== undefined) yield { key: "phase", holds: ({ call }) => named(phases, call.phase) };
  for (const condition of conditions)
    yield { key: `args.${condition.name}`, holds: ({ args }) => condition.holds(args) };
}

function* allowParts(source: RuleSource, patterns: RulePatterns): Generator<Part> {
  const { network, words, regex, effects, readPaths, writePaths } = patterns;
  const byCommand = ofCommands(source, patterns);
  const byPath = readPaths !== undefined || writePaths !== undefined;
  if (network !== undefined) {
    const options = { allow: true, named: effects !== undefined };
    yield { key: "network", holds: (facts) => reaches(network, facts, options) };
  }
  if (source.command !== undefined)
    yield { key: "command", holds: (facts) => wordsAllow(words(), facts, source) };
  if (regex !== undefined)
    yield { key: "command_regex", holds: (facts) => regexAllows(regex, facts, source) };
  if (effects !== undefined)
    yield { key: "effects", holds: (facts) => effectsAllow(effects, facts) };
  if (source.input === false) yield { key: "input", holds: ({ part }) => part?.hasInput !== true };
  if (byPath) {
    const options = { named: byCommand };
    yield { key: "paths", holds: (facts) => pathsAllow(readPaths, writePaths, facts, options) };
  }
  if (source.git_ignored === true) yield { key: "git_ignored", holds: isIgnored };
  // An allow of the shell tool without `command` covers no line that cannot be read, and no argument that does more
  // than the program's name says.
  if (!byCommand) {
    const about = { files: byPath, network: network !== undefined };
    yield { key: "command", holds: (facts) => blanketAllows(facts, about) };
  }
}

const SURE = { sure: true };
const UNSURE = { sure: false };

function* denyParts({ command }: RuleSource, patterns: RulePatterns): Generator<Part> {
  const { network, words, regex, effects, readPaths, writePaths } = patterns;
  if (network !== undefined) {
    const options = { allow: false };
    const holds = (facts: CallFacts): boolean => reaches(network, facts, options);
    yield { key: "network", holds, mayHold: mayReach };
  }
  if (command !== undefined)
    yield {
      key: "command",
      holds: (facts) => wordsDeny(words(), facts, SURE),
      mayHold: (facts) => wordsDeny(words(), facts, UNSURE),
    };
  if (regex !== undefined)
    yield {
      key: "command_regex",
      holds: (facts) => regexDenies(regex, facts, SURE),
      mayHold: (facts) => regexDenies(regex, facts, UNSURE),
    };
  if (effects !== undefined)
    yield {
      key: "effects",
      holds: (facts) => effectsDeny(effects, facts),
      mayHold: (facts) => effectsMayDeny(effects, facts),
    };
  if (readPaths !== undefined || writePaths !== undefined)
    yield {
      key: "paths",
      holds: (facts) => pathsDeny(readPaths, writePaths, facts),
      mayHold: (facts) => pathsMayDeny(readPaths, writePaths, facts),
    };
}
