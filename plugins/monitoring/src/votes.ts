import { isJsonObject, type Json, type JsonObject } from "@bylaw/kernel";

/** The answers of gates and artifacts in a recorded decision about a transition. */
export interface Judged {
  /** `blocked`: a gate said no. `pending`: it waits. `passed`: no gate objects. */
  readonly gate: "passed" | "blocked" | "pending";
  /** The insufficient artifacts, each once. */
  readonly artifacts: readonly string[];
}

/** Codes of gates that wait for somebody: neither yes nor no. */
const WAITING: ReadonlySet<unknown> = new Set(["gate_pending", "gate_needs_human"]);

/** Reads the votes of a decision. Ignores invalid votes, notes and shadow votes. */
export function judgedBy(decision: Json | undefined): Judged {
  const votes =
    decision !== undefined && isJsonObject(decision) && Array.isArray(decision["votes"])
      ? (decision["votes"] as readonly Json[])
      : [];
  const against = votes
    .filter(isJsonObject)
    .filter(
      ({ effect, shadow, severity }) =>
        effect !== "allow" && shadow !== true && severity !== "warning",
    );
  const codes = against.flatMap(({ code }) => (typeof code === "string" ? [code] : []));
  const gates = codes.filter((code) => code.startsWith("gate_"));
  const artifacts = against.flatMap((vote) =>
    String(vote["code"]).startsWith("artifact_") ? [artifactOf(vote)] : [],
  );
  const gate = gates.some((code) => !WAITING.has(code))
    ? "blocked"
    : gates.length > 0
      ? "pending"
      : "passed";
  return { gate, artifacts: [...new Set(artifacts)] };
}

function artifactOf({ rule }: JsonObject): string {
  const name = rule !== undefined && isJsonObject(rule) ? rule["name"] : undefined;
  return typeof name === "string" ? name : "(unnamed)";
}
