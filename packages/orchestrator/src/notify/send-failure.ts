/** A receiver answered a message with an error status. */
export class RefusedMessage extends Error {
  override readonly name = "RefusedMessage";
  readonly status: number;

  constructor(status: number) {
    super(`The receiver answered with status ${status}`);
    this.status = status;
  }
}

const CODES: Readonly<Record<string, string>> = {
  ENOTFOUND: "The receiver's host was not found",
  EAI_AGAIN: "The receiver's host could not be looked up",
  ECONNREFUSED: "The receiver's host refused the connection",
  ECONNRESET: "The connection was closed before an answer",
};

/** How many causes of an error are looked at. */
const MAX_CAUSES = 5;

/**
 * Says why a message was not sent, for the record. The text never contains an address, a token or what the receiver wrote, because agents may
 * read the log.
 */
export function sendFailure(error: unknown): string {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth += 1) {
    const known = failureIn(cause);
    if (known !== undefined) return known;
    // A client may keep the cause as `original`.
    cause = cause.cause ?? (cause as { readonly original?: unknown }).original;
  }
  return "The message could not be sent";
}

function failureIn(error: Error): string | undefined {
  if (error instanceof RefusedMessage) return error.message;
  if (error.name === "SlackMissing")
    return "`@slack/web-api` is not installed (run `npm install @slack/web-api`)";
  if (error.name === "TimeoutError") return "The receiver took too long to answer";
  if (error.message === "unexpected redirect") return "The receiver answered with a redirect";
  const { code, statusCode, data } = error as Error & {
    readonly code?: unknown;
    readonly statusCode?: unknown;
    readonly data?: { readonly error?: unknown };
  };
  if (typeof statusCode === "number") return new RefusedMessage(statusCode).message;
  if (typeof data?.error === "string" && /^[a-z_]{1,50}$/.test(data.error))
    return `Slack answered with \`${data.error}\``;
  if (typeof code !== "string" || !/^[A-Z][A-Z0-9_]{1,50}$/.test(code)) return undefined;
  return CODES[code] ?? `The connection failed with ${code}`;
}
