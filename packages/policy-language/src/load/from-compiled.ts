import { STRICTNESS } from "@bylaw/kernel";
import { LANGUAGE_VERSION } from "./language-version.ts";
import { compileRule, type Rule } from "../compile/rule.ts";
import { compileMark, type Mark } from "../marks/mark.ts";
import { DEFAULT_TOOLS } from "../compile/tool-table.ts";
import { checkRule } from "./check-rule.ts";
import { isInside, type CompiledPolicy, type ParseOptions } from "./parse-options.ts";
import type { PolicyFile } from "./policy-file.ts";
import { boundDefault, boundOffer, boundTier } from "./tier-limit.ts";

/**
 * Loads a policy from the compiled form of its text. Undefined if no form fits, or if the text must be read for a warning.
 * Every rule is checked again, but the text is not parsed, and command patterns are compiled when a call first needs them.
 */
export function fromCompiled(text: string, options: ParseOptions): PolicyFile | undefined {
  const { compiled = [], place } = options;
  // A file that was discovered, not named, is limited by its location, which the compiled form does not know.
  if (compiled.length === 0 || place !== undefined) return undefined;
  const form = compiled.find((one) => one.text === text && one.version === LANGUAGE_VERSION);
  try {
    return form === undefined ? undefined : policyOf(form, text, options);
  } catch {
    // The compiled form is not as its writer made it, so fall back to the text.
    return undefined;
  }
}

function policyOf(
  form: CompiledPolicy,
  text: string,
  options: ParseOptions,
): PolicyFile | undefined {
  const { file, tools = DEFAULT_TOOLS } = options;
  let fits = true;
  const doubt = (): void => void (fits = false);
  const bounds = { lowered: isInside(options), place: undefined, stated: true };
  const rules: Rule[] = [];
  for (const { both, programs, ...stored } of form.rules) {
    if (!Object.hasOwn(STRICTNESS, stored.effect)) return undefined;
    const write = both === true ? stored.read : stored.write;
    const warn = { warn: doubt };
    const source = boundOffer(
      boundTier({ ...stored, write, file }, bounds, [], warn),
      bounds,
      [],
      warn,
    );
    const rule = compileRule(source, doubt, {
      programs: programs?.map(([program, words]) => ({
        program: program ?? undefined,
        firstWords: () => words,
      })),
    });
    if (rule === undefined) return undefined;
    checkRule(rule, {}, tools, doubt, doubt);
    rules.push(rule);
  }
  const marks: Mark[] = [];
  for (const stored of form.marks ?? []) {
    const mark = compileMark({ ...stored, file }, tools, doubt);
    if (mark === undefined) return undefined;
    marks.push(mark);
  }
  const effect = boundDefault(form.default, bounds, { warn: doubt });
  if (!fits) return undefined;
  return {
    ...{ file, rules, warnings: [], text },
    ...(effect === undefined ? {} : { default: effect }),
    ...(marks.length === 0 ? {} : { marks }),
  };
}
