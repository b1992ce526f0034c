/** The descriptions that an editor shows for the keys of a rule and of a file. */
export const RULE_WORDS: Readonly<Record<string, string>> = {
  name: "The name of the rule: unique in the file, shown in every decision.",
  priority:
    "The tier: admin > user > workspace > default. The highest tier with a matching rule decides. Default: default.",
  action:
    "The effect of the rule: allow, deny or ask_user. Inside a tier deny wins over ask_user, and ask_user over allow.",
  tool: "The tool: a name, a glob, or alternatives with `|`. Default: any tool.",
  command:
    'A word pattern, or a list of them, over each simple command of a shell line. A last word `*` matches any further arguments: "git push *".',
  command_regex:
    "A regular expression (re2) over the words of each simple command joined by single spaces. It must match the whole text.",
  effects:
    "Effects of a command. A deny or an ask matches a command with any of them; an allow covers a command that has no others.",
  pattern:
    "The short form: a glob for the tool's name or, with a space in it, a word pattern over commands.",
  server: "The MCP server, as the host names it: a name, a glob, or alternatives with `|`.",
  paths:
    "Globs of files: relative to the workspace unless they begin with `/`, `~/` or `**`. A string or a list covers both reading and writing.",
  "paths.read": "Globs of files that are read.",
  "paths.write": "Globs of files that are written, created, moved or deleted.",
  network: "Hosts that the call reaches: names or globs, without scheme and port.",
  args: 'Conditions on named arguments: { method = { eq = "GET" } }. A dotted name in quotes is a nested argument. All must hold.',
  agent: "The agent that calls: a name, a glob, or a list.",
  phase: "The phase of the task: a name, a glob, or a list.",
  modes: "The approval modes in which the rule holds. Default: all.",
  interactive: "true: only if someone can be asked; false: only if no one can.",
  approval_mode: "Same as `modes` with one mode.",
  when: "A condition in the format of json-rules-engine. Evaluated only if the rest of the rule matches.",
  after:
    "The rule holds only after a mark of this file was set in the run: its name, a list of names, or a table.",
  unless_after: "The rule holds only while the mark is not set.",
  input:
    "On allow: false: only commands that the line gives nothing to read, through a pipe, from a file or from a here-document.",
  git_ignored:
    "On allow: true: only commands that change nothing but files and folders that git ignores, and of which it tracks nothing.",
  overrides:
    "On allow: the names of asks that the rule overrides, up to its priority, and of denies of lower priority than such an ask. Every other deny and ask holds.",
  reason: "Why the rule exists, in one sentence, for people and agents.",
  fix: "What to do instead, in one line.",
  instead:
    'On deny and ask_user: arguments to run with instead, if that is allowed: { command = "git push --force-with-lease" }.',
  shadow: "true: the rule has no effect; its vote is only recorded.",
  final: "true, on deny and ask_user: no higher tier, mode or `without` loosens the rule.",
  match:
    "Cases that the rule must match, tested when the file loads: shell lines if the rule is about commands, otherwise tool names.",
  not_match: "Cases that the rule must not match, tested when the file loads.",
};

/** The descriptions of the keys that only a mark has. */
export const MARK_WORDS: Readonly<Record<string, string>> = {
  ...RULE_WORDS,
  name: "The name of the mark: unique in the file.",
  outcome: "passed: the mark is set only after a good result of the call is in the log.",
  cleared_by: "One or more marks of this file. A call that sets one of them clears this mark.",
};

/** The descriptions of the keys of `after` and `unless_after` as a table. */
export const REFERENCE_WORDS: Readonly<Record<string, string>> = {
  mark: "The name of a mark.",
  times: "How often the mark must have been set, up to 100. Default: once.",
  within:
    "How long before the call the mark may have been set: 30s, 10m, 2h, 1d. Default: at any time in the run.",
};

/** The descriptions of a condition on an argument. */
export const CONDITION_WORDS: Readonly<Record<string, string>> = {
  eq: "The value has this type and value.",
  in: "The value is one of these.",
  glob: "The value is text that matches the whole glob, or one of a list; `*` also matches `/`.",
  regex: "The value is text that matches the whole regular expression (re2).",
  min: "The value is a number of at least this.",
  max: "The value is a number of at most this.",
  type: "The type of the value.",
  url_prefix:
    "The value is a URL with this scheme, host and port, and its path starts with this path.",
  exists: "true: the argument is present; false: it is absent.",
  not: "The argument is present and this does not hold. For a deny, the argument may also be absent.",
};

/** The descriptions of a condition in `when`. */
export const WHEN_WORDS: Readonly<Record<string, string>> = {
  all: "All of these hold.",
  any: "At least one of these holds.",
  not: "This does not hold.",
  fact: "A field of the call.",
  projection: "The name of a projection: the state of the run so far.",
  operator: "How to compare the fact with the value.",
  value: "The value to compare with.",
  path: "The path to a value inside a fact that is a table: `$.items[0].name`.",
};

/** The descriptions of the top-level keys of a file. */
export const FILE_WORDS: Readonly<Record<string, string>> = {
  default:
    "The effect of a call that no rule and no plugin votes on. Of several files, the strictest counts. Default: the `fallback` of the configuration.",
  compat: "Read this file as another tool does: radium or gemini.",
  approval_mode: "The approval mode that Radium uses for this file.",
  rules: "The rules. Their order never matters.",
  marks: "Names for earlier calls, for rules with `after` and `unless_after`.",
  rule: "The rules, with the keys of gemini-cli.",
};

/** The descriptions of a rule with `compat = "radium"`. */
export const RADIUM_WORDS: Readonly<Record<string, string>> = {
  name: "The name of the rule.",
  priority: "The tier: admin > user > default. Default: user.",
  action: "The effect of the rule.",
  tool_pattern: "A glob for the tool's name, as Radium reads it.",
  arg_pattern: "A glob for any one argument, or for all of them joined by single spaces.",
  reason: "The reason, in one line.",
};

/** The descriptions of a rule with `compat = "gemini"`. */
export const GEMINI_WORDS: Readonly<Record<string, string>> = {
  name: "The name of the rule.",
  toolName: "The tool, or a list of tools; `*` is every tool.",
  mcpName: "The MCP server.",
  subagent: "The agent that calls.",
  commandPrefix: "The first words of a command of the shell tool, or a list of them.",
  commandRegex: "A regular expression over the command of the shell tool.",
  argsPattern: "A regular expression over the arguments as JSON text.",
  toolAnnotations: "Annotations that the tool must have.",
  decision: "The effect of the rule.",
  priority: "From 0 to 999; the highest matching rule decides.",
  modes: "The approval modes of gemini-cli in which the rule holds.",
  interactive: "true: only if someone can be asked; false: only if no one can.",
  allowRedirection: "Whether an allow covers redirections too.",
  allow_redirection: "Same as allowRedirection.",
  denyMessage: "The message for the agent.",
  deny_message: "Same as denyMessage.",
};
