import { Bucket } from "./rule-bucket.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { textsOf } from "../match/mcp.ts";
import { PrefixMap } from "./prefix-map.ts";
import type { Entry, RuleMatcher } from "../decide/rule-matcher.ts";
import type { ToolTable } from "./tool-table.ts";

/** Shows a matcher every rule that could match a call. */
export type RuleIndex = (facts: CallFacts, matcher: RuleMatcher) => void;

/**
 * Indexes rules by tool (exact name, literal prefix, or server), and for each tool by one more condition. The cost of
 * a look-up does not grow with the rules that cannot match.
 */
export function buildIndex(entries: readonly Entry[], tools: ToolTable): RuleIndex {
  const exact = new Map<string, Bucket>();
  const prefixes = new PrefixMap<Bucket>();
  const servers = new Map<string, Bucket>();
  // Rules about commands, and allows with `network`, for tools that run a shell line or open a URL.
  const shell = new Bucket();
  const network = new Bucket();
  const rest = new Bucket();
  // Denies and asks about commands, for tools that are not known to run a shell line.
  const carried = new Bucket();
  const bucketAt = (map: Map<string, Bucket>, key: string): Bucket => {
    let bucket = map.get(key);
    if (bucket === undefined) map.set(key, (bucket = new Bucket()));
    return bucket;
  };
  const place = (entry: Entry): void => {
    const { source, tools: patterns, servers: named, programs, regex, effects } = entry.rule;
    const ofCommands = (programs ?? regex ?? effects) !== undefined;
    const byServer =
      named?.every(({ literal }) => literal !== undefined) === true ? named : undefined;
    if (patterns?.every(({ glob }) => glob.prefix !== "") === true) {
      for (const { glob } of patterns) {
        if (glob.literal === undefined) prefixes.at(glob.prefix, () => new Bucket()).add(entry);
        else bucketAt(exact, glob.literal).add(entry);
      }
    } else if (byServer !== undefined)
      for (const { literal } of byServer) bucketAt(servers, literal ?? "").add(entry);
    else if (patterns === undefined && ofCommands) {
      shell.add(entry);
      if (source.effect !== "allow") carried.add(entry);
    } else if (patterns === undefined && source.network !== undefined && source.effect === "allow")
      network.add(entry);
    else rest.add(entry);
  };
  for (const entry of entries) place(entry);

  const visitName = (name: string, facts: CallFacts, matcher: RuleMatcher): void => {
    exact.get(name)?.visit(facts, matcher);
    const runsLines = tools.shell.has(name);
    if (runsLines) shell.visit(facts, matcher);
    if (runsLines || tools.network.has(name)) network.visit(facts, matcher);
    prefixes.visit(name, visitBucket, facts, matcher);
  };
  return (facts, matcher) => {
    const { identity } = facts;
    if (identity.readings.length === 0)
      for (const name of identity.names) visitName(name, facts, matcher);
    else for (const name of textsOf(identity)) visitName(name, facts, matcher);
    if (servers.size > 0 && identity.kind !== "local") {
      for (const name of serverNames(facts)) servers.get(name)?.visit(facts, matcher);
    }
    rest.visit(facts, matcher);
    if (facts.part?.suspect === true && !tools.shell.has(identity.bare))
      carried.visit(facts, matcher);
  };
}

function visitBucket(bucket: Bucket, facts: CallFacts, matcher: RuleMatcher): void {
  bucket.visit(facts, matcher);
}

// An unresolved name could belong to any server that it begins with.
function serverNames({ identity }: CallFacts): Iterable<string> {
  const names = new Set<string>();
  if (identity.server !== undefined) names.add(identity.server);
  if (identity.kind === "mcp") return names;
  const text = identity.bare.replace(/^mcp__?/, "");
  for (let at = text.indexOf("_"); at >= 0; at = text.indexOf("_", at + 1))
    names.add(text.slice(0, at));
  for (const { server } of identity.readings) names.add(server);
  return names.add(text);
}
