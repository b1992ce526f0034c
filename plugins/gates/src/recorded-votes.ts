import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";
import manifest from "../package.json" with { type: "json" };

/** A vote in a recorded decision. */
export interface RecordedVote {
  readonly plugin: string;
  readonly code: string;
  readonly effect: string;
  readonly rule: string;
  readonly reason: string;
  readonly severity: Json;
  readonly shadow: Json;
}

export function votesOf({ decision }: JsonObject): readonly RecordedVote[] {
  const votes: Json = isJsonObject(decision ?? null)
    ? ((decision as JsonObject)["votes"] ?? [])
    : [];
  return (Array.isArray(votes) ? (votes as readonly Json[]) : [])
    .filter(isJsonObject)
    .map((vote) => ({
      plugin: textOf(vote, "plugin"),
      code: textOf(vote, "code"),
      effect: textOf(vote, "effect"),
      reason: textOf(vote, "reason"),
      rule: isJsonObject(vote["rule"] ?? null) ? textOf(vote["rule"] as JsonObject, "name") : "",
      severity: vote["severity"] ?? null,
      shadow: vote["shadow"] ?? null,
    }));
}

/** The policy of this plugin that made a recorded decision. */
export function policyOf({ decision }: JsonObject): string {
  const policy: Json = isJsonObject(decision ?? null)
    ? ((decision as JsonObject)["policy"] ?? null)
    : null;
  return isJsonObject(policy) ? textOf(policy, manifest.name) : "";
}

/** The text of a field; empty if it has none. */
export function textOf(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === "string" ? value : "";
}
