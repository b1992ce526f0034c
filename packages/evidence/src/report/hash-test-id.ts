import { createHash } from "node:crypto";

/** Shortens the id of a test, for a run of more than 5,000 tests, to 16 hexadecimal digits. */
export const hashTestId = (id: string): string =>
  createHash("sha256").update(id).digest("hex").slice(0, 16);
