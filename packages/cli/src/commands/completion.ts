import type { CommandSpec, Commands } from "../command-line/command.ts";
import { commandTree } from "../command-line/command-tree.ts";
import { completionScript, SHELLS } from "../command-line/completion.ts";
import { JSON_OPTION } from "../command-line/shared-options.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";

const HELP = `
To complete in every shell that you start: \`source <(bylaw completion bash)\` in ~/.bashrc, the same with zsh in ~/.zshrc after
\`compinit\`, or \`bylaw completion fish | source\` in ~/.config/fish/config.fish.
Exit code: 0 printed, 2 usage error.

Examples:
  $ bylaw completion bash
  $ bylaw completion fish > bylaw.fish`;

/** The command that prints the completion of `commands`. */
export const completionOf = (commands: Commands): CommandSpec => ({
  arguments: { shell: ["bash, zsh or fish", SHELLS] },
  options: [JSON_OPTION],
  help: HELP,
  run: (shell: (typeof SHELLS)[number], { json = false }: { readonly json?: boolean }) =>
    complete(commands, shell, json),
});

async function complete(
  commands: Commands,
  shell: (typeof SHELLS)[number],
  json: boolean,
): Promise<void> {
  const script = completionScript(shell, await commandTree(commands, "bylaw"));
  await write(json ? jsonLine({ shell, script }) : script);
  conclude(0);
}
