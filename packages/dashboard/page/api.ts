import { createSseParser } from "./sse-parser.ts";

/** An answer of the server that says why something was not done. */
export class Refusal extends Error {
  readonly status: number;
  readonly fix: string | undefined;

  constructor(status: number, message: string, fix: string | undefined) {
    super(message);
    this.status = status;
    this.fix = fix;
  }
}

/** A run of the store. */
export interface RunName {
  readonly run: string;
  readonly head: number;
  readonly last: string | null;
  /** How many questions of it wait for a person. */
  readonly waits: number;
}

/** Who is signed in, and what they may do. */
export interface Me {
  readonly name: string;
  readonly can_answer: boolean;
  /** Whether an agent of the run has the same name, which may answer only at gates, and not as a person. */
  readonly is_agent: boolean;
  /** The roles in which they may answer; `null`: any. */
  readonly roles: readonly string[] | null;
  /** Whether a request must say which run it is about. */
  readonly many_runs: boolean;
  /** The runs of the store, the latest last. A server has one. */
  readonly runs: readonly RunName[];
}

type Query = Readonly<Record<string, string | number | undefined>>;

/** How a person signs in. */
export const login =
  document.querySelector<HTMLMetaElement>('meta[name="bylaw-login"]')?.content ?? "token";

/** Whether a token outlasts a reload. Browsers write such a token to the disk, where programs of the same user could find it. */
const isStored = login !== "operator";

const KEY = "bylaw-token";
const base = new URL("api/v1/", document.baseURI).pathname;

// Kept for this tab alone. It is sent as a header, which no other site can make a browser do.
let token = (isStored && sessionStorage.getItem(KEY)) || "";

export const isSignedIn = (): boolean => token !== "";

export function keepToken(given: string): void {
  token = given;
  if (!isStored) return;
  if (given === "") sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, given);
}

/** Changes a code that is shown once, or the token of an operator, into the token of this tab. */
export async function signIn(code: string): Promise<void> {
  const response = await fetch(`${base}login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  keepToken(((await read(response)) as { readonly token: string }).token);
}

export async function get<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return (await read(await send(path, query, { signal: signal ?? null }))) as T;
}

/** Sends a change. A request with the same key counts once. */
export async function post(path: string, query: Query, body: object, key: string): Promise<void> {
  const headers = { "content-type": "application/json", "idempotency-key": key };
  await read(await send(path, query, { method: "POST", headers, body: JSON.stringify(body) }));
}

/** A random key for {@link post}. Browsers have `randomUUID` only with TLS or on loopback. */
export const createKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");

function send(path: string, query: Query, init: RequestInit): Promise<Response> {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== "") asked.set(name, String(value));
  const search = asked.size > 0 ? `?${asked}` : "";
  const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` };
  return fetch(`${base}${path}${search}`, { ...init, headers, cache: "no-store" });
}

async function read(response: Response): Promise<unknown> {
  const answer = (await response.json().catch(() => ({}))) as {
    readonly detail?: string;
    readonly fix?: string;
  };
  if (response.ok) return answer;
  if (response.status === 401) keepToken("");
  throw new Refusal(
    response.status,
    answer.detail ?? `The server answered ${response.status}`,
    answer.fix,
  );
}

/** Follows the events of a run until the signal ends it. It reconnects where it was. */
export async function follow(
  run: string | undefined,
  after: number,
  on: { readonly event: (data: string) => void; readonly state: (connected: boolean) => void },
  signal: AbortSignal,
): Promise<void> {
  let last = after;
  while (!signal.aborted) {
    try {
      const response = await send("events", { run, after: last }, { signal });
      if (!response.ok || response.body === null) await read(response);
      on.state(true);
      const parse = createSseParser((id, data) => {
        last = id;
        on.event(data);
      });
      const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        const part = await text?.read();
        if (part === undefined || part.done) break;
        parse(part.value);
      }
    } catch (error) {
      if (error instanceof Refusal && error.status < 500 && error.status !== 429) {
        on.state(false);
        return;
      }
    }
    if (signal.aborted) return;
    on.state(false);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
