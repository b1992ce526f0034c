import { STRICTNESS, type Effect } from "@bylaw/kernel";

export const isEffect = (value: unknown): value is Effect =>
  typeof value === "string" && Object.hasOwn(STRICTNESS, value);
