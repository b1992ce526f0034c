import { isBylawError } from "@bylaw/config";
import type { BylawError } from "@bylaw/kernel";
import type { Command, CommanderError } from "commander";
import { didYouMean, quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";

/** Translates an error of commander into one of this command. */
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
      if (command.commands.length > 0) return unknownCommand(extra, command);
      return usageError(`Too many arguments: ${quote(extra)}`, `See ${help}`);
    }
    default:
      return usageError(capitalised(error.message.replace(/^error: /, "")), `See ${help}`);
  }
}

/** Adds the command's help as the fix to a usage error that has none. Returns any other error unchanged. */
export function withHelp(error: unknown, program: Command, argv: readonly string[]): unknown {
  if (!isBylawError(error) || error.code !== "BYLAW_USAGE_INVALID" || error.fix !== undefined)
    return error;
  return usageError(error.message, `See \`${nameOf(commandOf(program, argv))} --help\``);
}

// The called command, or its group if the group has no command of that name.
function commandOf(group: Command, [first, ...rest]: readonly string[]): Command {
  const found = group.commands.find((candidate) => candidate.name() === first);
  return found === undefined ? group : commandOf(found, rest);
}

function nameOf(command: Command): string {
  return command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`;
}

/** The error for `bylaw help x` and `bylaw log help x` if there is no such command. Otherwise undefined. */
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

/** The error for a command that does not exist in `bylaw` or in a group. */
function unknownCommand(name: string, program: Command): BylawError {
  const names = [...program.commands.map((command) => command.name()), "help"];
  return usageError(
    `Unknown command ${quote(name)}`,
    didYouMean(name, names) ?? `Use ${names.join(", ")}`,
  );
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
