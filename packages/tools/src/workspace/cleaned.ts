import { BylawError, freezeJson, isJsonObject, type Json } from "@bylaw/kernel";
import type { CallContext, Tool } from "../tool.ts";
import type { WorkspaceToolsOptions } from "./options.ts";

// A shorter secret could occur in ordinary words.
const MIN_SECRET = 8;
const MIN_LINE = 16;
const TAKEN_OUT = "[secret]";

/** Wraps a tool so that its answers contain no secret of its carrier. */
export function cleaned(
  tool: Tool<CallContext>,
  { secrets = [], redact }: WorkspaceToolsOptions,
): Tool<CallContext> {
  // A search may show a single line of a key with several lines.
  const lines = secrets
    .flatMap((secret) => secret.split("\n"))
    .filter(({ length }) => length >= MIN_LINE);
  const known = [
    ...new Set([...secrets.filter(({ length }) => length >= MIN_SECRET), ...lines]),
  ].sort((a, b) => b.length - a.length);
  if (known.length === 0 && redact === undefined) return tool;
  return Object.freeze({
    ...tool,
    async run(args: never, context: CallContext) {
      let given: unknown;
      try {
        given = await tool.run(args, context);
      } catch (error) {
        throw error instanceof BylawError ? cleanedError(error, known) : error;
      }
      const answer = without(freezeJson(given ?? null), known);
      return redact === undefined ? answer : redact(answer);
    },
  });
}

function cleanedError(error: BylawError, secrets: readonly string[]): BylawError {
  const message = taken(error.message, secrets);
  return message === error.message
    ? error
    : new BylawError({ code: error.code, message, fix: error.fix });
}

const taken = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, TAKEN_OUT), text);

function without(value: Json, secrets: readonly string[]): Json {
  if (secrets.length === 0) return value;
  if (typeof value === "string") return taken(value, secrets);
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => without(item, secrets));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, without(item, secrets)]),
  );
}
