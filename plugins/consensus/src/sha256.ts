import { createHash } from "node:crypto";

/** The digest of a text, `sha256:…`. */
export const sha256Of = (text: string): string =>
  `sha256:${createHash("sha256").update(text).digest("hex")}`;
