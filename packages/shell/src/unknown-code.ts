/** Why a part of a command line is unknown. */
export const UNKNOWN_CODES = {
  syntax: "the line is not valid bash, or bash and the analysis could read it differently",
  limit: "the line is longer, nested deeper or has more parts than the limits allow",
  size: "the line is too large to search for commands, and must be denied",
  dynamic_command: "the program to run is known only at run time",
  dynamic_script: "the text of a script is known only at run time",
  inline_code: "an interpreter gets code in its arguments or on standard input",
  state:
    "the line changes the meaning of later commands: functions, aliases, shell options, special variables, new links",
  secret: "a word holds the value of a variable whose name says that it is a secret",
} as const;
export type UnknownCode = keyof typeof UNKNOWN_CODES;
