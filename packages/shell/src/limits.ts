/** Analysis limits. A line beyond any of them is unknown, and only text that looks like a command is reported. */
export const LIMITS = {
  /** Length of a line in UTF-16 code units. All scripts in its arguments together may be three times as long. */
  length: 16_384,
  /** Characters of a longer line that is searched for commands. Linux runs no longer one with `bash -c`. */
  sight: 131_072,
  /** Nesting depth of commands, substitutions and scripts. */
  depth: 48,
  /** Wrappers around one command. */
  wrappers: 12,
  /** Nesting depth of scripts in arguments. */
  scripts: 8,
  /** Nodes of the syntax tree. */
  nodes: 20_000,
  /** Commands of a line; of one that is longer than `length`, different commands. */
  commands: 1_000,
  /** Different commands of a line, with those that are seen in its text where it is unknown. */
  different: 500,
  /** Different commands that may be seen in the text, however many others there are. */
  seen: 100,
  /** Words of one command. */
  argv: 1_024,
  /** Redirections of all groups around one command. */
  redirections: 64,
  /** Redirections of one command. */
  own: 256,
  /** Words that the braces of one word expand to. */
  braces: 256,
  /** Words that all braces of a line expand to. */
  words: 2_048,
} as const;
