import type { ImportedPolicy, ImportInput, ImportSource } from "./finding.ts";
import { refuseOthers } from "./wrong-source.ts";

/**
 * Translates the rules of another tool into a policy. Never executes anything in a source. Throws
 * `BYLAW_IMPORT_INVALID` if a source is not in the tool's format, or is a file of another tool.
 */
export async function importPolicy(
  source: ImportSource,
  inputs: readonly ImportInput[],
): Promise<ImportedPolicy> {
  refuseOthers(source, inputs);
  switch (source) {
    case "claude":
      return (await import("./claude.ts")).importClaude(inputs);
    case "gemini":
      return (await import("./gemini.ts")).importGemini(inputs);
    case "codex":
      return (await import("./codex.ts")).importCodex(inputs);
  }
}
