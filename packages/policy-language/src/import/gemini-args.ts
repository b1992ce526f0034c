import type { Effect } from "@bylaw/kernel";
import { hasOpenAlternative } from "../compat/gemini/gemini-pattern.ts";
import type { Candidate, RuleKeys } from "./draft.ts";

/**
 * The ways to carry over `argsPattern`, which looks for a regular expression in the arguments as JSON. Only the form
 * `"key":"pattern"` is about one argument; of anything else an allow is lost, and a deny is about every call of the tool. `any`: the
 * rule is about every tool, where that would stop everything.
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
  // What JSON escapes reads otherwise in the value itself; a class of "no quote" means anything in it.
  const plain = keyed !== null && !/\\\\|\\"|\\u/.test(body);
  if (allow) {
    if (!plain)
      return 'only a pattern of the form `"key":"…"` is about one argument; the others would let an argument speak for another';
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
  // Behind `.` the original may run on into the next argument, which nothing here does.
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
    ? "a pattern over the arguments of every tool has no counterpart; name the tool and the argument"
    : [whole];
}
