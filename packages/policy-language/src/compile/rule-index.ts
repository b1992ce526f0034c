import { Bucket } from "./rule-bucket.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { textsOf, type Identity } from "../match/mcp.ts";
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
  const buckets = new ToolBuckets(tools);
  for (const entry of entries) buckets.add(entry);
  return (facts, matcher) => {
    for (const bucket of buckets.of(facts.identity)) bucket.visit(facts, matcher);
    if (facts.part?.suspect === true && !tools.shell.has(facts.identity.bare))
      buckets.carried.visit(facts, matcher);
  };
}

/** Groups rules by the tools that they apply to. */
class ToolBuckets {
  /** Denies and asks about commands, for tools that are not known to run a shell line. */
  readonly carried = new Bucket();
  readonly #tools: ToolTable;
  readonly #exact = new Map<string, Bucket>();
  readonly #prefixes = new PrefixMap<Bucket>();
  readonly #servers = new Map<string, Bucket>();
  // Rules about commands, and allows with `network`, for tools that run a shell line or open a URL.
  readonly #shell = new Bucket();
  readonly #network = new Bucket();
  readonly #rest = new Bucket();
  // The same few tools are called again and again.
  readonly #kept = new WeakMap<Identity, readonly Bucket[]>();

  constructor(tools: ToolTable) {
    this.#tools = tools;
  }

  add(entry: Entry): void {
    const { source, tools, servers, programs, regex, effects } = entry.rule;
    const ofCommands = (programs ?? regex ?? effects) !== undefined;
    const byServer =
      servers?.every(({ literal }) => literal !== undefined) === true ? servers : undefined;
    if (tools?.every(({ glob }) => glob.prefix !== "") === true) {
      for (const { glob } of tools) {
        if (glob.literal === undefined)
          this.#prefixes.at(glob.prefix, () => new Bucket()).add(entry);
        else bucketAt(this.#exact, glob.literal).add(entry);
      }
    } else if (byServer !== undefined)
      for (const { literal } of byServer) bucketAt(this.#servers, literal ?? "").add(entry);
    else if (tools === undefined && ofCommands) {
      this.#shell.add(entry);
      if (source.effect !== "allow") this.carried.add(entry);
    } else if (tools === undefined && source.network !== undefined && source.effect === "allow")
      this.#network.add(entry);
    else this.#rest.add(entry);
  }

  /** The rules that may be about a tool. */
  of(identity: Identity): readonly Bucket[] {
    let buckets = this.#kept.get(identity);
    if (buckets === undefined) this.#kept.set(identity, (buckets = this.#find(identity)));
    return buckets;
  }

  #find(identity: Identity): readonly Bucket[] {
    const found = new Set<Bucket>([this.#rest]);
    const add = (bucket: Bucket | undefined): void => {
      if (bucket !== undefined) found.add(bucket);
    };
    for (const name of textsOf(identity)) {
      add(this.#exact.get(name));
      const runsLines = this.#tools.shell.has(name);
      if (runsLines) add(this.#shell);
      if (runsLines || this.#tools.network.has(name)) add(this.#network);
      this.#prefixes.visit(name, add, undefined, undefined);
    }
    if (this.#servers.size > 0 && identity.kind !== "local")
      for (const name of serverNames(identity)) add(this.#servers.get(name));
    return [...found];
  }
}

function bucketAt(map: Map<string, Bucket>, key: string): Bucket {
  let bucket = map.get(key);
  if (bucket === undefined) map.set(key, (bucket = new Bucket()));
  return bucket;
}

// An unresolved name could belong to any server that it begins with.
function serverNames(identity: Identity): Iterable<string> {
  const names = new Set<string>();
  if (identity.server !== undefined) names.add(identity.server);
  if (identity.kind === "mcp") return names;
  const text = identity.bare.replace(/^mcp__?/, "");
  for (let at = text.indexOf("_"); at >= 0; at = text.indexOf("_", at + 1))
    names.add(text.slice(0, at));
  for (const { server } of identity.readings) names.add(server);
  return names.add(text);
}
