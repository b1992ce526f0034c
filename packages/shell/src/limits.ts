/** The limits of the analysis. A line beyond any of them is unknown, and only text that looks like a command is reported. */
export const LIMITS = {
  /** The length of a line in UTF-16 code units. All scripts in its arguments together may be three times as long. */
  length: 16_384,
  /** The characters of a longer line that are searched for commands. Linux accepts no longer line for `bash -c`. */
  sight: 131_072,
  /** The nesting depth of commands, substitutions and scripts. */
  depth: 48,
  /** The wrappers around one command. */
  wrappers: 12,
  /** The nesting depth of scripts in arguments. */
  scripts: 8,
  /** The nodes of the syntax tree. */
  nodes: 20_000,
  /** The commands of a line. If the line is longer than `length`: its different commands. */
  commands: 1_000,
  /** The different commands of a line, including those seen in its text if the line is unknown. */
  different: 250,
  /** The different commands that may be seen in the text, whatever the number of other commands. */
  seen: 100,
  /** The words of one command. */
  argv: 1_024,
  /** The words of a loop whose body is walked once with each. */
  rounds: 16,
  /** The places where a search looks for files that another command gets. */
  places: 8,
  /** The redirections of all groups around one command. */
  redirections: 64,
  /** The redirections of one command. */
  own: 256,
  /** The words to which the braces of one word expand. */
  braces: 256,
  /** The words to which all braces of a line expand. */
  words: 2_048,
} as const;
