import type { CommandNode } from "./command-tree.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

/** The script that completes commands in a shell, generated from the declarations of the commands. */
export function completionScript(shell: (typeof SHELLS)[number], root: CommandNode): string {
  const nodes = nodesOf(root);
  return shell === "fish" ? fish(nodes) : `${posix(nodes)}\n${IN_SHELL[shell]}`;
}

const nodesOf = (node: CommandNode): readonly CommandNode[] => [
  node,
  ...node.commands.flatMap(nodesOf),
];

// If no word is known, all three shells complete file names.
const IN_SHELL = {
  bash: `_bylaw() {
  local IFS=$'\\n' current=\${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(compgen -W "$(_bylaw_candidates "\${COMP_WORDS[@]:1:COMP_CWORD}")" -- "$current"))
}
complete -o bashdefault -o default -F _bylaw bylaw
`,
  zsh: `_bylaw() {
  local -a found
  found=(\${(f)"$(_bylaw_candidates "\${(@)words[2,CURRENT]}")"})
  if (( $#found )); then compadd -a found; else _files; fi
}
compdef _bylaw bylaw
`,
} as const;

/** A function for POSIX shells. It gets the words after `bylaw`, the last one unfinished, and prints the candidates for it, one per line. */
function posix(nodes: readonly CommandNode[]): string {
  const branch: Branch = (patterns, body) => `    ${patterns.join("|")}) ${body} ;;`;
  return `_bylaw_candidates() {
  local command=bylaw option= place=0
  while [ $# -gt 1 ]; do
    if [ -n "$option" ]; then option=; else case "$command $1" in
${branch(commandsIn(nodes), 'command="$command $1" place=0')}
${branch(valuesIn(nodes), "option=$1")}
    *" -"*) ;;
    *) place=$((place + 1)) ;;
    esac; fi
    shift
  done
  if [ -n "$option" ]; then case "$command $option" in
${wordsOfOptions(nodes, branch)}
    esac; return; fi
  case "$1" in -*) case "$command" in
${namesOfOptions(nodes, branch)}
    esac ;; *) case "$command $place" in
${wordsOfPlaces(nodes, branch)}
    esac ;;
  esac
}
`;
}

function fish(nodes: readonly CommandNode[]): string {
  const branch: Branch = (patterns, body) => `    case ${patterns.join(" ")}\n      ${body}`;
  return `function _bylaw_candidates
  set -l command bylaw
  set -l option
  set -l place 0
  for word in (commandline -opc)[2..]
    if test -n "$option"; set option; else; switch "$command $word"
${branch(commandsIn(nodes), 'set command "$command $word"; set place 0')}
${branch(valuesIn(nodes), "set option $word")}
    case '* -*'
    case '*'
      set place (math $place + 1)
    end; end
  end
  if test -n "$option"; switch "$command $option"
${wordsOfOptions(nodes, branch)}
    end; return; end
  switch (commandline -ct); case '-*'; switch "$command"
${namesOfOptions(nodes, branch)}
    end; case '*'; switch "$command $place"
${wordsOfPlaces(nodes, branch)}
    end
  end
end
complete -c bylaw -n 'count (_bylaw_candidates) > /dev/null' -f -a '(_bylaw_candidates)'
`;
}

/** Formats one branch of a choice in a shell: the code to run for these patterns. */
type Branch = (patterns: readonly string[], body: string) => string;

const commandsIn = (nodes: readonly CommandNode[]): readonly string[] =>
  nodes.slice(1).map(({ path }) => quoted(path));

const valuesIn = (nodes: readonly CommandNode[]): readonly string[] =>
  nodes.flatMap(({ path, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .flatMap(({ long, short }) => (short === undefined ? [long] : [long, short]))
      .map((flag) => quoted(`${path} ${flag}`)),
  );

const wordsOfOptions = (nodes: readonly CommandNode[], branch: Branch): string =>
  nodes
    .flatMap(({ path, options }) =>
      options.map(({ long, words }) => choice(`${path} ${long}`, words, branch)),
    )
    .join("");

const namesOfOptions = (nodes: readonly CommandNode[], branch: Branch): string =>
  nodes
    .map(({ path, options }) =>
      choice(
        path,
        options.map(({ long }) => long),
        branch,
      ),
    )
    .join("");

const wordsOfPlaces = (nodes: readonly CommandNode[], branch: Branch): string =>
  nodes
    .flatMap(({ path, commands, places }) =>
      [...(commands.length > 0 ? [commands.map(({ name }) => name)] : []), ...places].map(
        (words, at) => choice(`${path} ${at}`, words, branch),
      ),
    )
    .join("");

const choice = (pattern: string, words: readonly string[], branch: Branch): string =>
  words.length === 0
    ? ""
    : `${branch([quoted(pattern)], `printf '%s\\n' ${words.map(quoted).join(" ")}`)}\n`;

// Names, options and words of this command contain no quotes.
const quoted = (text: string): string => `'${text}'`;
