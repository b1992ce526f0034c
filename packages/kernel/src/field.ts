/** What a field of a subject or a setting must be. */
export interface Field {
  readonly accepts: (value: unknown) => boolean;
  /** For messages: "`port` must be …". */
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
