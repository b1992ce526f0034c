/** How much of a line is looked at. Beyond each of them the line is unknown, and only what is in plain sight is reported. */
export const LIMITS = {
  /** UTF-16 code units of a line. Scripts in its arguments may be three times as long together. */
  length: 16_384,
  /** How deep commands, substitutions and scripts nest. */
  depth: 48,
  /** How many wrappers stand before one command. */
  wrappers: 12,
  /** How deep scripts in arguments nest. */
  scripts: 8,
  /** Parts of the tree. */
  nodes: 20_000,
  /** Commands that are analysed. */
  commands: 1_000,
  /** Words of one command that the tables of programs look at. */
  argv: 1_024,
  /** Redirections of all groups around one command. */
  redirections: 64,
  /** Redirections of one command. */
  own: 256,
  /** Words that the braces of one word stand for. */
  braces: 256,
  /** Words that all braces of a line stand for. */
  words: 2_048,
} as const;
