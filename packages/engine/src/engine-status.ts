import { engineFolderFault, requestEngine, type EnginePlace } from "@bylaw/hook-client";
import { messageOf } from "@bylaw/kernel";
import type { ConfigurationStatus } from "./configuration.ts";

/** The state of a running engine. */
export interface EngineStatus {
  readonly version: string;
  readonly pid: number;
  /** When it started, in ISO 8601. */
  readonly started_at: string;
  /** Resident memory, in bytes. */
  readonly rss_bytes: number;
  readonly configurations: readonly ConfigurationStatus[];
}

const TIMEOUT_MS = 2_000;

/**
 * Asks an engine for its state. Resolves to a text that says why there is no answer, or to undefined if no engine ever ran there.
 * Never rejects.
 */
export async function engineStatus(place: EnginePlace): Promise<EngineStatus | string | undefined> {
  try {
    const { status, body } = await requestEngine(place, {
      ...{ path: "/status", fields: {}, timeout: TIMEOUT_MS },
    });
    return status === 200 ? (JSON.parse(body) as EngineStatus) : `It replied with ${status}`;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ECONNREFUSED") return undefined;
    return engineFolderFault(place.folder) ?? (messageOf(error) || "It does not reply");
  }
}
