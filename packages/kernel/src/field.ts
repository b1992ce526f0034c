/** The requirement for a field of a subject or a setting. */
export interface Field {
  readonly accepts: (value: unknown) => boolean;
  /** Completes the message "`port` must be …". */
  readonly must: string;
}

export const isText = (value: unknown): boolean => typeof value === "string";

export const listOf = (accepts: (value: unknown) => boolean, must: string): Field => ({
  accepts: (value) => Array.isArray(value) && value.every(accepts),
  must,
});

export const oneOf = (names: readonly unknown[]): Field => ({
  accepts: (value) => names.includes(value),
  must: `one of ${names.join(", ")}`,
});
