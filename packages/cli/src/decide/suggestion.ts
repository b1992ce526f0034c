import { isBylawError } from "@bylaw/config";
import type { ToolCall } from "@bylaw/kernel";
import {
  suggestRule,
  type PolicyPool,
  type Suggestion,
  type SuggestionOutcome,
} from "@bylaw/policy-language";
import { readCases, type PolicyCase } from "../cases/case-file.ts";
import type { PolicyBench } from "../cases/policy-bench.ts";
import type { CallDefaults } from "./call.ts";
import { plain, type Paint } from "../io/text.ts";

interface SuggestionOptions {
  readonly caseFiles: readonly string[];
  readonly defaults: CallDefaults;
}

/** The smallest rule that would allow a call, or the reason why there is none. `call` is as given on the command line. */
export async function suggestionFor(
  call: ToolCall,
  { sources, exchanging, runOf }: PolicyBench,
  { caseFiles, defaults }: SuggestionOptions,
): Promise<Suggestion> {
  const kernel = await exchanging();
  const decide = async (
    asked: ToolCall,
    pool: PolicyPool,
    past?: PolicyCase["past"],
  ): Promise<SuggestionOutcome> => {
    try {
      return await kernel.decide(await kernel.prepare(asked), pool, past);
    } catch (error) {
      if (!isBylawError(error)) throw error;
      return { effect: "deny", code: "invalid_call", reason: error.message };
    }
  };
  const cases: PolicyCase[] = [];
  for (const file of caseFiles) cases.push(...(await readCases(file, defaults)));
  return await suggestRule({
    ...sources,
    call,
    prepared: await kernel.prepare(call),
    run: runOf(undefined),
    decide,
    cases: cases.flatMap(({ id, file, line, call: asked, past }) =>
      asked === undefined
        ? []
        : [
            {
              name: `the case \`${id}\` (${file}:${line})`,
              decide: (pool: PolicyPool) => decide(asked, pool, past),
            },
          ],
    ),
  });
}

export function suggestionText({ toml, why }: Suggestion, paint: Paint): string {
  if (toml === undefined) return `${paint("bold", "no rule to suggest:")} ${plain(why)}`;
  const head =
    "the smallest rule that allows this call; it changes no case and allows no harmful variant";
  return `${paint("bold", head)}\n\n${toml.trimEnd()}`;
}
