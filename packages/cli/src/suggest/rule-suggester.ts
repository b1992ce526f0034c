import { isBylawError } from "@bylaw/config";
import type { ToolCall } from "@bylaw/kernel";
import {
  callShape,
  compilePolicy,
  suggestRule,
  type PolicyPool,
  type Suggestion,
  type SuggestionInput,
  type SuggestionOutcome,
} from "@bylaw/policy-language";
import type { PolicyCase } from "../cases/case-file.ts";
import type { PolicyBench } from "../cases/policy-bench.ts";
import { plain, type Paint } from "../io/text.ts";

/** A call whose decision a suggested rule must not change. `call` is as it was asked about. */
export interface FixedCall {
  /** For a person. */
  readonly name: string;
  readonly call: ToolCall;
  readonly past?: PolicyCase["past"];
}

interface SuggestGiven {
  readonly alike?: readonly ToolCall[];
  readonly answered?: boolean;
}

/** Suggests rules under the policies of a bench. */
export interface RuleSuggester {
  /** The smallest rule that would allow a call and those alike, or the reason why there is none. `answered`: people said yes to it. */
  suggest(call: ToolCall, given?: SuggestGiven): Promise<Suggestion>;
  decide(call: ToolCall, pool: PolicyPool): Promise<SuggestionOutcome>;
  /** Equal for calls that may share a rule. */
  shapeOf(call: ToolCall): Promise<string>;
}

/** Creates a suggester. No rule that it suggests changes the decision about a fixed call. */
export async function createRuleSuggester(
  { sources, exchanging, runOf }: PolicyBench,
  fixed: readonly FixedCall[],
): Promise<RuleSuggester> {
  const kernel = await exchanging();
  // The same cases are decided again for each suggestion.
  const prepared = new WeakMap<ToolCall, ToolCall>();
  const prepare = async (call: ToolCall): Promise<ToolCall> => {
    const known = prepared.get(call) ?? (await kernel.prepare(call));
    prepared.set(call, known);
    return known;
  };
  const decide = async (
    call: ToolCall,
    pool: PolicyPool,
    past?: PolicyCase["past"],
  ): Promise<SuggestionOutcome> => {
    try {
      return await kernel.decide(await prepare(call), pool, past);
    } catch (error) {
      if (!isBylawError(error)) throw error;
      return { effect: "deny", code: "invalid_call", reason: error.message };
    }
  };
  const before = compilePolicy(sources.files, { tools: sources.tools });
  const cases: NonNullable<SuggestionInput["cases"]>[number][] = [];
  for (const { name, call, past } of fixed)
    cases.push({
      name,
      call,
      now: (await decide(call, before, past)).effect,
      decide: (pool) => decide(call, pool, past),
    });
  return {
    decide: async (call, pool) => await decide(call, pool),
    shapeOf: async (call) => callShape(await prepare(call), sources.tools),
    async suggest(call, { alike = [], answered = false } = {}) {
      const all: ToolCall[] = [];
      for (const other of alike) all.push(await prepare(other));
      return await suggestRule({
        ...sources,
        call,
        prepared: await prepare(call),
        alike: all,
        answered,
        run: runOf(undefined),
        decide: async (asked, pool) => await decide(asked, pool),
        cases,
      });
    },
  };
}

export const fixedCases = (cases: readonly PolicyCase[]): readonly FixedCall[] =>
  cases.flatMap(({ id, file, line, call, past }) =>
    call === undefined ? [] : [{ name: `the case \`${id}\` (${file}:${line})`, call, past }],
  );

export const suggestionJson = (suggestion: Suggestion): object =>
  suggestion.toml === undefined
    ? { why: suggestion.why }
    : { toml: suggestion.toml, overrides: suggestion.overrides };

export function suggestionText(suggestion: Suggestion, paint: Paint): string {
  const { toml, why } = suggestion;
  if (toml === undefined) return `${paint("bold", "no rule to suggest:")} ${plain(why)}`;
  const head =
    "the smallest rule that allows this call; it changes no case and allows no harmful variant";
  const lines = [paint("bold", head), ...overridesText(suggestion.overrides, paint)];
  return `${lines.join("\n")}\n\n${toml.trimEnd()}`;
}

/** The rules that a suggestion overrides, as lines of text. */
export const overridesText = (
  rules: Extract<Suggestion, { readonly toml: string }>["overrides"],
  paint: Paint,
): readonly string[] =>
  rules.map(
    ({ name, effect, file, line, reason = "" }) =>
      `${paint("bold", "overrides")} \`${plain(name)}\` (${plain(file)}:${line}), which ${effect === "deny" ? "denies" : "asks"} on purpose: ${plain(reason)}`,
  );
