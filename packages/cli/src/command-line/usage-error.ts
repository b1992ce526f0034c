import { isBylawError } from "@bylaw/config";
import type { BylawError } from "@bylaw/kernel";
import type { Command, CommanderError } from "commander";
import { didYouMean, quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";

/** What commander refused, in the words of this command. */
export function usageFault(
  error: CommanderError,
  program: Command,
  argv: readonly string[],
): BylawError {
  const command = commandOf(program, argv);
  const help = `\`${nameOf(command)} --help\``;
  const quoted = /'([^]*)'/.exec(error.message)?.[1] ?? "";
  switch (error.code) {
    case "commander.unknownOption": {
      const [flag = ""] = quoted.split("=");
      const known = command.options.flatMap(({ long }) => long ?? []);
      return usageError(
        `Unknown option ${quote(flag)}`,
        didYouMean(flag, [...known, "--help"]) ?? `See ${help}`,
      );
    }
    case "commander.unknownCommand":
      return unknownCommand(quoted, command);
    case "commander.optionMissingArgument": {
      const [flag = ""] = quoted.split(/[ ,]/);
      return usageError(`${quote(flag)} needs a value: ${quote(quoted)}`, `See ${help}`);
    }
    case "commander.missingMandatoryOptionValue": {
      return usageError(`${quote(quoted)} is missing`, `See ${help}`);
    }
    case "commander.missingArgument": {
      const named = command.registeredArguments
        .map((argument) => `<${argument.name()}${argument.variadic ? "..." : ""}>`)
        .join(" ");
      return usageError(
        `${quote(`<${quoted}>`)} is missing: ${quote(`${nameOf(command)} ${named}`)}`,
        `See ${help}`,
      );
    }
    case "commander.excessArguments": {
      const most = command.registeredArguments.length;
      const extra = command.args[most] ?? "";
      return usageError(`Too many arguments: ${quote(extra)}`, `See ${help}`);
    }
    default:
      return usageError(capitalised(error.message.replace(/^error: /, "")), `See ${help}`);
  }
}

/** An error in how a command was called, with the help of that command as the advice where it has none; any other as it is. */
export function withHelp(error: unknown, program: Command, argv: readonly string[]): unknown {
  if (!isBylawError(error) || error.code !== "BYLAW_USAGE_INVALID" || error.fix !== undefined)
    return error;
  return usageError(error.message, `See \`${nameOf(commandOf(program, argv))} --help\``);
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
export function helpAsked(
  group: Command,
  [first = "", ...rest]: readonly string[],
): BylawError | undefined {
  const [asked] = rest;
  const known = (name: string): Command | undefined =>
    group.commands.find((command) => command.name() === name);
  if (first !== "help") {
    const inner = known(first);
    return inner === undefined || inner.commands.length === 0 ? undefined : helpAsked(inner, rest);
  }
  return asked === undefined ||
    asked.startsWith("-") ||
    asked === "help" ||
    known(asked) !== undefined
    ? undefined
    : unknownCommand(asked, group);
}

/** The command that `bylaw`, or a group of its commands, does not have. */
function unknownCommand(name: string, program: Command): BylawError {
  const names = [...program.commands.map((command) => command.name()), "help"];
  return usageError(
    `Unknown command ${quote(name)}`,
    didYouMean(name, names) ?? `Use ${names.join(", ")}`,
  );
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
