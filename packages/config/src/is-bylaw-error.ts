import type { BylawError } from "@bylaw/kernel";

/** Whether an error is one of Bylaw's, even if another copy of the kernel created it. */
export function isBylawError(error: unknown): error is BylawError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("BYLAW_")
  );
}
