/** Whose rules are imported. */
export type ImportSource = "claude" | "gemini" | "codex";

/** One file of the other tool. */
export interface ImportInput {
  /** Named in comments and findings. */
  readonly file: string;
  readonly text: string;
  /**
   * Whose they are: `user` settings of Claude Code read `/path` from their own folder, and `user` policies of gemini-cli stand where the
   * lists of its settings do. Left out: the project's.
   */
  readonly scope?: "user" | "project";
}

/**
 * What became of something in a source. `lost`: it could not be carried over; `stricter`: the result allows less than the source;
 * `note`: worth knowing.
 */
export interface ImportFinding {
  readonly severity: "lost" | "stricter" | "note";
  readonly file: string;
  /** From 1, like `column`. */
  readonly line: number;
  readonly column: number;
  /** The text of the source that it is about. */
  readonly source: string;
  /** One line: why. */
  readonly message: string;
}

/** A policy made of another tool's rules. It allows nothing that the tool would not have allowed, as far as its documents say. */
export interface Imported {
  /** The policy. It loads without a finding. */
  readonly toml: string;
  /** How many rules it has. */
  readonly rules: number;
  readonly findings: readonly ImportFinding[];
}

export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly source: string;
  /** What a rule made of it is named for; left out: the source. */
  readonly label?: string;
}
