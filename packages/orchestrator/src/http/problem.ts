import type { Decision } from "@bylaw/kernel";

/** The answer to a refused request, as in RFC 9457. */
export interface ProblemFields {
  readonly status: number;
  /** A decision code, or a code of docs/errors.md. */
  readonly code: string;
  /** One line, for a person. */
  readonly detail: string;
  /** What to do about it. */
  readonly fix?: string | undefined;
  /** The whole decision, if there was one. */
  readonly decision?: Decision | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** A refused request. Throw it from anywhere below a route. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly fields: ProblemFields;

  constructor(fields: ProblemFields) {
    super(fields.detail);
    this.fields = fields;
  }
}

export const problem = (fields: ProblemFields): Problem => new Problem(fields);

/** A malformed request: 400. */
export const badRequest = (detail: string, fix?: string): Problem =>
  problem({ status: 400, code: "BYLAW_REQUEST_INVALID", detail, fix });

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

function problemText({ status, code, detail, fix, decision }: ProblemFields): string {
  const kind = code.startsWith("BYLAW_") ? "error" : "decision";
  return JSON.stringify({
    type: `urn:bylaw:${kind}:${code.toLowerCase()}`,
    title: TITLES[status] ?? "Error",
    status,
    detail,
    code,
    fix,
    decision,
  });
}

export const problemResponse = (fields: ProblemFields): Response =>
  new Response(problemText(fields), {
    status: fields.status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...fields.headers,
    },
  });
