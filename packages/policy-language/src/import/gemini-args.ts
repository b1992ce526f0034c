import type { Effect } from "@bylaw/kernel";
import { hasOpenAlternative } from "../compat/gemini/gemini-pattern.ts";
import type { Candidate, RuleKeys } from "./draft.ts";

/**
 * Translates `argsPattern`, a regular expression that gemini-cli searches for in the arguments as JSON. Only the form
 * `"key":"pattern"` is about one argument. With any other form, an allow is lost, and a deny covers every call of the
 * tool. `any`: the rule is about every tool, so it cannot be widened like that. Returns candidates, or the reason why
 * there are none.
 */
export function argsWays(
  pattern: string,
  keys: RuleKeys,
  effect: Effect,
  { any }: { readonly any: boolean },
): readonly Candidate[] | string {
  const allow = effect === "allow";
  const keyed = /^(?:\\x00)?"([A-Za-z_][A-Za-z0-9_]*)":(?:\\s\*)?"([^"]+?)("(?:\\x00)?)?$/.exec(
    pattern,
  );
  const [, key = "", body = "", closed] = keyed ?? [];
  // An escape in the JSON text is something else in the value itself. `[^"]` means any character there.
  const plain = keyed !== null && !/\\\\|\\"|\\u/.test(body);
  if (allow) {
    if (!plain)
      return 'only a pattern of the form `"key":"…"` is about one argument; with any other, one argument could contain the text meant for another';
    return [
      {
        keys: {
          ...keys,
          args: { [key]: { regex: closed === undefined ? `(?:${body}).*` : body } },
        },
      },
    ];
  }
  const whole: Candidate = {
    keys,
    note: "the pattern is not about one named argument, so the rule holds for every call of the tool",
  };
  // A `.` in the original may match into the next argument, which no condition here can do.
  if (plain && !/(^|[^\\])\./.test(body) && !hasOpenAlternative(body)) {
    return [
      {
        keys: {
          ...keys,
          args: { [key]: { regex: closed === undefined ? `(?:${body}).*` : body } },
        },
      },
      whole,
    ];
  }
  return any
    ? "a pattern over the arguments of every tool has no equivalent; name the tool and the argument"
    : [whole];
}
