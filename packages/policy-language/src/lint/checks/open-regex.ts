import { isConditional } from "../../compile/written-rule.ts";
import type { LintCheck, LintPool, LintRule } from "../check.ts";
import { regexSample } from "../regex-sample.ts";
import { matches, shellCall } from "../sample.ts";

/** Finds regular expressions that do not limit arguments, or that an argument with a space evades. */
export const openRegex: LintCheck = {
  code: "open_regex",
  severity: "warning",
  check(pool, report) {
    for (const rule of pool.rules) {
      const { regex } = rule.shape;
      const { name, effect, shadow } = rule.source;
      if (regex === undefined || shadow || isConditional(rule.source)) continue;
      if (effect === "allow") {
        const open = OPEN.exec(regex.replaceAll(CLASS, "c"))?.[0];
        if (open === undefined) continue;
        const message = `The rule \`${name}\` allows every argument that \`${open}\` matches`;
        const fix = "Write `command`, or the characters that an argument may have: `[\\w./-]+`";
        report(rule, ["command_regex"], message, fix);
      } else {
        const line = roundBy(rule, regex, pool);
        if (line === undefined) continue;
        const message = `\`${line}\` evades the rule \`${name}\`, because its expression matches no argument with a space`;
        const fix = "Write `command`, which compares words, or `.*` for an argument";
        report(rule, ["command_regex"], message, fix);
      }
    }
  },
};

const OPEN = /(?<!\\)\.[*+]|\\S[*+]|\[\^(?: |\\s)\][*+]/;
// Matches character classes, except those that exclude only spaces.
const CLASS = /\[(?!\^(?: |\\s)\])\^?\]?(?:\\.|[^\]\\])*\]/g;
const WORD = /\\S[*+]|\[\^(?: |\\s)[^\]\\]*\][*+]/g;
const PLACE = "Q0Q";

// Finds a line that the rule misses only because one of its arguments contains a space.
function roundBy(rule: LintRule, regex: string, pool: LintPool): string | undefined {
  const holds = (line: string): boolean =>
    matches(rule, shellCall(rule, line, pool.tools), pool.tools);
  const source = regex.replaceAll(WORD, PLACE);
  // A sample omits optional parts, so also try the expression with those parts required.
  for (const one of [source, source.replaceAll(/\)[?*]/g, ")")]) {
    const sample = regexSample(one);
    if (sample?.includes(PLACE) !== true || !holds(sample)) continue;
    const line = sample
      .split(" ")
      .map((word) => (word.includes(PLACE) ? `'${word.replaceAll(PLACE, "a b")}'` : word))
      .join(" ");
    if (!holds(line)) return line;
  }
  return undefined;
}
