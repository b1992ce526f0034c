import { BylawError, messageOf, omitUndefined, type JsonObject } from "@bylaw/kernel";

/** The fields of an error in a log line; of a coded one also its file and fix. */
export function faultOf(error: unknown): JsonObject {
  const err = messageOf(error);
  if (!(error instanceof BylawError)) return { err };
  const { code, fix, source } = error;
  return { err, code, ...omitUndefined({ file: source?.file, fix }) };
}
