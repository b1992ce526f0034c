import type { Imported, ImportInput, ImportSource } from "./finding.ts";
import { refuseOthers } from "./wrong-source.ts";

/**
 * Turns the rules of another tool into a policy. Never executes anything of a source. Throws `BYLAW_IMPORT_INVALID` for a source that is
 * no document of its kind at all, or one of another kind.
 */
export async function importPolicy(
  source: ImportSource,
  inputs: readonly ImportInput[],
): Promise<Imported> {
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
