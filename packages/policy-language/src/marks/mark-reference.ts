/** The value of a rule's `after` or `unless_after`. */
export interface MarkReference {
  /** Names of marks of the same file. The condition holds if one of them is set. */
  readonly marks: readonly string[];
  /** How often the mark must have been set. */
  readonly times: number;
  /** How long before the call the mark may have been set, in milliseconds. Undefined: at any time in the run. */
  readonly within?: number | undefined;
}

/** The key of a mark: the name alone is not unique, because marks belong to their file. */
export const markKey = (file: string, name: string): string => JSON.stringify([file, name]);

/** The keys of the marks that a reference names. */
export const keysOf = ({ marks }: MarkReference, file: string): readonly string[] =>
  marks.map((name) => markKey(file, name));
