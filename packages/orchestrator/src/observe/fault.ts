import { BylawError, messageOf, omitUndefined, type JsonObject } from "@bylaw/kernel";

/** What a line of the log says of an error: with a code of ours also which file it is about, and what to do. */
export function faultOf(error: unknown): JsonObject {
  const err = messageOf(error);
  if (!(error instanceof BylawError)) return { err };
  const { code, fix, source } = error;
  return { err, code, ...omitUndefined({ file: source?.file, fix }) };
}
