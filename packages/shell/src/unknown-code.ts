/** Why a part of a command line is not known. */
export const UNKNOWN_CODES = {
  syntax: "the line is not valid bash, or bash and the analysis could read it differently",
  limit: "the line is longer, deeper or has more parts than are looked at",
  dynamic_command: "which program runs is only known when it runs",
  dynamic_script: "the text of a script is only known when it runs",
  inline_code: "an interpreter of another language gets code in its arguments or its input",
  state: "the line changes what a later command means: functions, aliases, options, variables that the shell reads",
} as const;
export type UnknownCode = keyof typeof UNKNOWN_CODES;
