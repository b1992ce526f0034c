import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../.vitepress/pages.ts";

const help = (...words: readonly string[]): string =>
  execFileSync(process.execPath, [join(ROOT, "packages/cli/bin/bylaw.js"), ...words, "--help"], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });

/** The commands that a help text lists. */
const listed = (text: string): readonly string[] =>
  Array.from(
    (text.split("\nCommands:\n")[1] ?? "").split("\n\n")[0]?.matchAll(/^ {2}(\S+)/gm) ?? [],
    ([, name = ""]) => name,
  ).filter((name) => name !== "help");

export const commandNames = (): readonly string[] => listed(help());

export default {
  paths: () =>
    commandNames().map((command) => {
      const text = help(command);
      const below = listed(text).map((name) => `## ${name}\n\n${block(help(command, name))}`);
      return {
        params: { command },
        content: [`# bylaw ${command}`, block(text), ...below].join("\n\n"),
      };
    }),
};

const block = (text: string): string => `\`\`\`text\n${text.trim()}\n\`\`\``;
