import type { ApprovalMode } from "@bylaw/kernel";
import type { RawGeminiRule } from "./gemini-schema.ts";

// Bylaw has no plan mode.
const MODES: Readonly<Record<string, ApprovalMode | undefined>> = {
  default: "ask",
  autoEdit: "autoEdit",
  yolo: "yolo",
};

/** The approval modes in which a rule of gemini-cli holds. Undefined: in all modes. */
export function modesOf({
  modes,
}: Pick<RawGeminiRule, "modes">): readonly ApprovalMode[] | undefined {
  return modes === undefined || modes.length === 0
    ? undefined
    : modes.flatMap((mode) => MODES[mode] ?? []);
}
