import { createHash } from "node:crypto";

/** What stands for the id of a test in a run of more than 5,000: 16 hexadecimal digits. */
export const hashTestId = (id: string): string =>
  createHash("sha256").update(id).digest("hex").slice(0, 16);
