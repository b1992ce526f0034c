import { isBylawError } from "@bylaw/config";
import type { BylawError } from "@bylaw/kernel";
import type { Command, CommanderError } from "commander";
import { didYouMean, quote } from "@bylaw/wording";
import { usageError } from "./fault.ts";

/** What commander refused, in the words of this command. */
export function usageFault(error: CommanderError, program: Command, argv: readonly string[]): BylawError {
  const command = commandOf(program, argv);
  const help = `\`${nameOf(command)} --help\``;
  const quoted = /'([^]*)'/.exec(error.message)?.[1] ?? "";
  switch (error.code) {
    case "commander.unknownOption": {
      const [flag = ""] = quoted.split("=");
      const known = command.options.flatMap(({ long }) => long ?? []);
      return usageError(
        `Unexpected option ${quote(flag)}, expected one of ${help}`,
        didYouMean(flag, [...known, "--help"]) ?? `see ${help}`,
      );
    }
    case "commander.unknownCommand":
      return unknownCommand(quoted, command);
    case "commander.optionMissingArgument": {
      const [flag = ""] = quoted.split(/[ ,]/);
      return usageError(`Unexpected ${quote(flag)} without a value, expected ${quote(quoted)}`, `see ${help}`);
    }
    case "commander.missingMandatoryOptionValue": {
      const [flag = ""] = quoted.split(" ");
      return usageError(`Unexpected command without ${quote(flag)}, expected ${quote(quoted)}`, `see ${help}`);
    }
    case "commander.missingArgument": {
      const named = command.registeredArguments.map((argument) => `<${argument.name()}${argument.variadic ? "..." : ""}>`).join(" ");
      return usageError(
        `Unexpected command without ${quote(`<${quoted}>`)}, expected ${quote(`${nameOf(command)} ${named}`)}`,
        `see ${help}`,
      );
    }
    case "commander.excessArguments": {
      const most = command.registeredArguments.length;
      const extra = command.args[most] ?? "";
      return usageError(`Unexpected argument ${quote(extra)}, expected ${most === 0 ? "only options" : `at most ${most}`}`, `see ${help}`);
    }
    default:
      return usageError(`Unexpected command line (${error.message.replace(/^error: /, "")}), expected one of ${help}`, `see ${help}`);
  }
}

/** An error in how a command was called, with the help of that command as the advice where it has none; any other as it is. */
export function withHelp(error: unknown, program: Command, argv: readonly string[]): unknown {
  if (!isBylawError(error) || error.code !== "BYLAW_USAGE_INVALID" || error.fix !== undefined) return error;
  return usageError(error.message, `see \`${nameOf(commandOf(program, argv))} --help\``);
}

// The command that is called, or the group of commands that has none of that name.
function commandOf(group: Command, [first, ...rest]: readonly string[]): Command {
  const found = group.commands.find((candidate) => candidate.name() === first);
  return found === undefined ? group : commandOf(found, rest);
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** The error where the help of a command is asked for that there is none of: `bylaw help x`, `bylaw log help x`. */
export function helpAsked(group: Command, [first = "", ...rest]: readonly string[]): BylawError | undefined {
  const [asked] = rest;
  const known = (name: string): Command | undefined => group.commands.find((command) => command.name() === name);
  if (first !== "help") {
    const inner = known(first);
    return inner === undefined || inner.commands.length === 0 ? undefined : helpAsked(inner, rest);
  }
  return asked === undefined || asked.startsWith("-") || asked === "help" || known(asked) !== undefined
    ? undefined
    : unknownCommand(asked, group);
}

/** The command that `bylaw`, or a group of its commands, does not have. */
function unknownCommand(name: string, program: Command): BylawError {
  const names = [...program.commands.map((command) => command.name()), "help"];
  return usageError(`Unexpected command ${quote(name)}, expected ${names.join(", ")}`, didYouMean(name, names));
}

/** Reads the value of an option that takes one. */
export function valueOf(flags: string): (text: string, previous?: string) => string {
  const [flag = ""] = flags.split(" ");
  return (text, previous) => {
    // An option without its value would take the next option for it, and ask about a tool named `--json`.
    if (text.startsWith("--")) {
      throw usageError(
        `Unexpected option ${quote(text)} as the value of ${quote(flag)}, expected ${quote(flags)}`,
        `write the value after ${quote(flag)}`,
      );
    }
    // Of two values one would be dropped in silence.
    if (previous !== undefined) throw secondValue(flag);
    return text;
  };
}

/** Reads the values of an option that may be repeated. */
export function valuesOf(flags: string): (text: string, previous?: readonly string[]) => readonly string[] {
  const value = valueOf(flags);
  return (text, previous = []) => [...previous, value(text)];
}

/** Reads the value of an option that takes a whole number, from `least` on. */
export function numberOf(flags: string, least: number): (text: string) => number {
  const [flag = ""] = flags.split(" ");
  let given = false;
  return (text) => {
    if (given) throw secondValue(flag);
    given = true;
    const number = /^\d{1,15}$/.test(text) ? Number(text) : -1;
    if (number >= least) return number;
    throw usageError(`Unexpected ${quote(text)} as the value of ${quote(flag)}, expected a whole number from ${least}`);
  };
}

/** Reads the value of an option that names a file. */
export function pathOf(flags: string): (text: string, previous?: string) => string {
  const value = valueOf(flags);
  const [flag = ""] = flags.split(" ");
  return (text, previous) => {
    if (/^(?:file:|[a-z][a-z0-9+.-]+:\/\/)/i.test(text)) {
      throw usageError(`Unexpected URL ${quote(text)} as the value of ${quote(flag)}, expected a path`, "write the path of the file");
    }
    return value(text, previous);
  };
}

/** Reads the values of an option that names files. */
export function pathsOf(flags: string): (text: string, previous?: readonly string[]) => readonly string[] {
  const path = pathOf(flags);
  return (text, previous = []) => [...previous, path(text)];
}

/** Reads the value of an option that takes one of a few words. */
export function wordOf(flags: string, words: readonly string[]): (text: string) => string {
  const [flag = ""] = flags.split(" ");
  let given = false;
  return (text) => {
    // Not told by the value before, which may be the default.
    if (given) throw secondValue(flag);
    given = true;
    if (words.includes(text)) return text;
    throw usageError(`Unexpected ${quote(text)} as the value of ${quote(flag)}, expected ${words.join(", ")}`, didYouMean(text, words));
  };
}

function secondValue(flag: string): BylawError {
  return usageError(`Unexpected second ${quote(flag)}, expected it once`, "remove one");
}
