import { isJsonObject, type JsonObject } from "@bylaw/kernel";

const MAX_LENGTH = 80;

/** Describes a recorded call in a few words: its tool and the first text among its arguments. */
export function shown({ tool, args }: JsonObject): string {
  const [text = ""] = isJsonObject(args)
    ? Object.values(args).filter((value) => typeof value === "string")
    : [];
  return `${String(tool)} ${text}`.trim().slice(0, MAX_LENGTH);
}
