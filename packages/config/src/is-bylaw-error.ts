import type { BylawError } from "@bylaw/kernel";

/** Tells an error of Bylaw from any other, also one that a project's own copy of the kernel made. */
export function isBylawError(error: unknown): error is BylawError {
  return (
    error instanceof Error &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("BYLAW_")
  );
}
