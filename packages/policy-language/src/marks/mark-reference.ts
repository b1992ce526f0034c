/** What `after` and `unless_after` of a rule say. */
export interface MarkReference {
  /** Names of marks of the same file; one of them is enough. */
  readonly marks: readonly string[];
  /** How often the mark must have been set. */
  readonly times: number;
  /** Milliseconds before the call in which it counts. Undefined: the whole run. */
  readonly within?: number | undefined;
}

/** A mark belongs to its file. */
export const markKey = (file: string, name: string): string => JSON.stringify([file, name]);

/** The marks that a reference of a rule is about. */
export const keysOf = ({ marks }: MarkReference, file: string): readonly string[] =>
  marks.map((name) => markKey(file, name));
