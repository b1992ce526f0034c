import type { TextPlace } from "../load/text-places.ts";

/** The tool whose rules are imported. */
export type ImportSource = "claude" | "gemini" | "codex";

/** One file of the other tool. */
export interface ImportInput {
  /** The name of the file, for comments and findings. */
  readonly file: string;
  readonly text: string;
  /**
   * Whether the file belongs to the user or to the project. `user` settings of Claude Code resolve `/path` from their
   * own folder. `user` policies of gemini-cli rank with the lists of its settings. Default: `project`.
   */
  readonly scope?: "user" | "project";
}

/**
 * What happened to a part of the source. `lost`: it could not be carried over. `stricter`: the result allows less
 * than the source. `note`: information only.
 */
export interface ImportFinding {
  readonly severity: "lost" | "stricter" | "note";
  readonly file: string;
  /** From 1, like `column`. */
  readonly line: number;
  readonly column: number;
  /** The part of the source that the finding is about. */
  readonly source: string;
  /** The reason, in one line. */
  readonly message: string;
}

/** A policy made from another tool's rules. According to the tool's documentation, it allows nothing that the tool does not allow. */
export interface ImportedPolicy {
  /** The text of the policy. It loads without findings. */
  readonly toml: string;
  /** The number of its rules. */
  readonly rules: number;
  readonly findings: readonly ImportFinding[];
}

export interface SourcePlace extends TextPlace {
  readonly file: string;
  readonly source: string;
  /** The text that names the imported rule. Default: the source. */
  readonly label?: string;
}
