import { ENFORCEMENT_MODES } from "./decision.ts";
import { BylawError } from "./errors.ts";
import { isText, listOf, oneOf, type Field } from "./field.ts";
import { isJsonObject } from "./json.ts";
import { isPlugin } from "./plugin.ts";
import { APPROVAL_MODES } from "./subject.ts";
import { STRICTNESS } from "./verdict.ts";

const shared = {
  extends: listOf(isJsonObject, "a list of rulesets"),
  plugins: listOf(isPlugin, "a list of plugins"),
};
const SETTINGS: Readonly<Record<"config" | "ruleset", Readonly<Record<string, Field>>>> = {
  config: {
    ...shared,
    without: listOf(isText, "a list of names"),
    fallback: oneOf(Object.keys(STRICTNESS)),
    approval_mode: oneOf(APPROVAL_MODES),
    enforcement_mode: oneOf(ENFORCEMENT_MODES),
    deadline_ms: {
      accepts: (value) => typeof value === "number" && value > 0 && value < 2 ** 31,
      must: "a number of milliseconds from 1 to 2147483647",
    },
  },
  ruleset: { ...shared, name: { accepts: isText, must: "a package name" } },
};

/** Throws BYLAW_CONFIG_INVALID for an unknown key or a wrong value. */
export function checkSettings(kind: keyof typeof SETTINGS, given: object): void {
  const settings = SETTINGS[kind];
  const where = kind === "config" ? "the configuration" : "a ruleset";
  for (const [key, value] of Object.entries(given)) {
    const setting = Object.hasOwn(settings, key) ? settings[key] : undefined;
    if (setting === undefined)
      throw new BylawError({
        code: "BYLAW_CONFIG_INVALID",
        message: `Unknown key \`${key}\` in ${where}`,
        fix: `Known keys: ${Object.keys(settings).join(", ")}`,
      });
    if (value !== undefined && !setting.accepts(value)) throw wrong(key, where, setting);
  }
  if (kind === "ruleset" && !("name" in given))
    throw wrong("name", where, SETTINGS.ruleset["name"]);
}

const wrong = (key: string, where: string, setting: Field | undefined): BylawError =>
  new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: `\`${key}\` in ${where} must be ${setting?.must ?? "given"}`,
  });
