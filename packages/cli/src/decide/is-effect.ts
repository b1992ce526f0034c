import { STRICTNESS, type Effect } from "@bylaw/kernel";

/** Tells an effect from any other value. */
export const isEffect = (value: unknown): value is Effect =>
  typeof value === "string" && Object.hasOwn(STRICTNESS, value);
