/** A JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Problem details (RFC 9457) with the fields that the server adds. */
export interface Problem extends JsonObject {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}
