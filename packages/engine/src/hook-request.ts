import { EVENT_MARK } from "@bylaw/hook-client";
import { omitUndefined } from "@bylaw/kernel";

/** An event of a host, as its hook sends it. */
export interface HookRequest {
  readonly host: string;
  /** The name of the event on the command line, for hosts whose input does not name it. */
  readonly event?: string;
  /** Absolute path of the configuration that decides. */
  readonly config: string;
  readonly strict: boolean;
  /** What the hook was installed to do without a program of Bylaw. Default: it denies. */
  readonly if_absent?: string;
  /** How many seconds the hook may wait for a person. Only a process of its own waits, so the engine leaves such a call unanswered. */
  readonly wait?: number;
  /** The engine's folder, if the hook was installed with one. */
  readonly engine?: string;
  /** Absolute path of the folder in which the hook runs. */
  readonly cwd: string;
  /** The environment variables of the hook, by name. */
  readonly env: Readonly<Record<string, string>>;
  /** The event as the host wrote it. */
  readonly input: Uint8Array;
}

export interface RequestBody {
  readonly fields: URLSearchParams;
  readonly input: Uint8Array;
}

/** Splits a request body into its fields and the event. A body without an event has only fields. */
export function bodyOf(body: Uint8Array): RequestBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const at = bytes.indexOf(EVENT_MARK);
  const end = at === -1 ? bytes.length : at;
  return {
    fields: new URLSearchParams(bytes.toString("utf8", 0, end)),
    input: new Uint8Array(bytes.subarray(at === -1 ? end : end + EVENT_MARK.length)),
  };
}

/** The request in a body. Undefined if a field is missing. */
export function hookRequest({ fields, input }: RequestBody): HookRequest | undefined {
  const [host, config, cwd] = ["host", "config", "cwd"].map((name) => fields.get(name) ?? "");
  if (!host || !config || !cwd) return undefined;
  const [event, engine, if_absent] = ["event", "engine", "if_absent"].map(
    (name) => fields.get(name) || undefined,
  );
  const wait = Number(fields.get("wait") ?? 0) || undefined;
  const variables = [...fields].filter(([name]) => name.startsWith("env."));
  return {
    ...{ host, config, cwd, input, strict: fields.get("strict") === "1" },
    env: Object.fromEntries(variables.map(([name, value]) => [name.slice(4), value])),
    ...omitUndefined({ event, engine, wait, if_absent }),
  };
}
