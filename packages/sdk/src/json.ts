/** A value that JSON can say. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

/** An object that JSON can say. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Problem details (RFC 9457), and what the server adds to them. */
export interface Problem extends JsonObject {
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
}
