import { EVENT_MARK } from "@bylaw/hook-client";
import { omitUndefined } from "@bylaw/kernel";

/** A host's event as its hook sends it. */
export interface HookRequest {
  readonly host: string;
  /** The event as the command line names it, for hosts whose input does not. */
  readonly event?: string;
  /** Absolute path of the configuration that decides. */
  readonly config: string;
  readonly strict: boolean;
  /** The folder of the engine, where the hook was installed with one. */
  readonly engine?: string;
  /** Absolute path of the folder where the hook runs. */
  readonly cwd: string;
  /** Variables of the hook, by name. */
  readonly env: Readonly<Record<string, string>>;
  /** The event itself, unparsed. */
  readonly input: Uint8Array;
}

export interface RequestBody {
  readonly fields: URLSearchParams;
  readonly input: Uint8Array;
}

/** Splits a body into its fields and the event. A body without an event is all fields. */
export function bodyOf(body: Uint8Array): RequestBody {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const at = bytes.indexOf(EVENT_MARK);
  const end = at === -1 ? bytes.length : at;
  return {
    fields: new URLSearchParams(bytes.toString("utf8", 0, end)),
    input: new Uint8Array(bytes.subarray(at === -1 ? end : end + EVENT_MARK.length)),
  };
}

/** The event that a body asks about; `undefined` where a field is missing. */
export function hookRequest({ fields, input }: RequestBody): HookRequest | undefined {
  const [host, config, cwd] = ["host", "config", "cwd"].map((name) => fields.get(name) ?? "");
  if (!host || !config || !cwd) return undefined;
  const [event, engine] = ["event", "engine"].map((name) => fields.get(name) || undefined);
  const variables = [...fields].filter(([name]) => name.startsWith("env."));
  return {
    ...{ host, config, cwd, input, strict: fields.get("strict") === "1" },
    env: Object.fromEntries(variables.map(([name, value]) => [name.slice(4), value])),
    ...omitUndefined({ event, engine }),
  };
}
