import { isJsonObject, type Json } from "@bylaw/kernel";

/** The first part of `hooks` that Droid does not read. Measured: it then skips all hooks of the file. Undefined if there is none. */
export function droidHooksFault(hooks: Json): string | undefined {
  if (!isJsonObject(hooks)) return "`hooks`";
  const event = Object.keys(hooks).find(
    (name) =>
      (SWITCHES.has(name) && typeof hooks[name] !== "boolean") ||
      (EVENTS.has(name) && !isListOf(hooks[name], isGroup)),
  );
  return event === undefined ? undefined : `\`hooks.${event}\``;
}

const SWITCHES: ReadonlySet<string> = new Set(["hooksDisabled", "showHookOutput"]);

// Any other key is ignored.
const EVENTS: ReadonlySet<string> = new Set([
  ...["PreToolUse", "PostToolUse", "Notification", "UserPromptSubmit", "Stop"],
  ...["SubagentStop", "PreCompact", "SessionStart", "SessionEnd"],
]);

type Value = Json | undefined;

const isListOf = (value: Value, isMember: (member: Json) => boolean): boolean =>
  Array.isArray(value) && value.every(isMember);

const isGroup = (value: Json): boolean =>
  isJsonObject(value) &&
  isOptional(value["matcher"], "string") &&
  isOptional(value["commandRegex"], "string") &&
  isListOf(value["hooks"], isHook);

const isHook = (value: Json): boolean =>
  isJsonObject(value) &&
  value["type"] === "command" &&
  typeof value["command"] === "string" &&
  isOptional(value["timeout"], "number") &&
  isOptional(value["preserveRiskLevel"], "boolean");

const isOptional = (value: Value, type: "string" | "number" | "boolean"): boolean =>
  value === undefined || typeof value === type;
