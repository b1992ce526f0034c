import { BylawError, freezeJson, messageOf, type Json } from "@bylaw/kernel";
import type { Place } from "./place.ts";

/** The path to a value: keys of objects and indexes of lists. */
export type DataPath = readonly PropertyKey[];

/** A configuration as data, with the places of its parts in the file. */
export interface DataFile {
  readonly value: Json;
  /** The place of a part, as precisely as the format tells. */
  readonly place: (path: DataPath) => Promise<Place | undefined>;
}

export function unreadable(
  file: string,
  message: string,
  place?: Place,
  cause?: unknown,
): BylawError {
  return new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message,
    source: { file, ...place },
    cause,
  });
}

/** Converts the parsed value to JSON. */
export function plain(file: string, value: unknown): Json {
  try {
    return freezeJson(value);
  } catch (cause) {
    throw unreadable(file, messageOf(cause), undefined, cause);
  }
}
