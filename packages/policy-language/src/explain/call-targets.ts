import type { ToolCall } from "@bylaw/kernel";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { CallFacts } from "../match/call-facts.ts";
import { plainUrl } from "../match/url.ts";

/**
 * What a call acts on, as far as its arguments name it: `write /w/a.ts`, `read /w/a.ts`, `network example.com`, `vcs push`. Deleting
 * counts as writing. Paths are as written, with links not resolved, unless the call was prepared.
 */
export function callTargets(call: ToolCall, tools: ToolTable = DEFAULT_TOOLS): ReadonlySet<string> {
  const facts = new CallFacts(call, tools);
  return new Set([
    ...(facts.line === null ? networkTargets(facts) : []),
    ...facts.perCommand.flatMap(pathTargets),
    ...facts.commands.flatMap(effectTargets),
  ]);
}

const pathTargets = ({ paths }: CallFacts): readonly string[] =>
  paths.known.flatMap(({ access, places, remote }) =>
    remote
      ? []
      : places.flatMap(({ segments }) =>
          (access === "both" ? ["read", "write"] : [access]).map(
            (kind) => `${kind} /${segments.join("/")}`,
          ),
        ),
  );

const effectTargets = ({ part }: CallFacts): readonly string[] =>
  (part?.effects ?? []).flatMap((effect) => {
    if (effect.kind === "vcs") return [`vcs ${effect.action}`];
    return effect.kind === "network" && effect.host !== undefined ? [`network ${effect.host}`] : [];
  });

function networkTargets({ args, tools, identity }: CallFacts): readonly string[] {
  const url = args?.[tools.network.get(identity.bare) ?? ""];
  const host = typeof url === "string" ? plainUrl(url)?.hostname : undefined;
  return host === undefined ? [] : [`network ${host}`];
}
