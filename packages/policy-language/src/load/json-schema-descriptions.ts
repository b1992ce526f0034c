/** What an editor shows for the keys of a rule and of a file. */
export const RULE_WORDS: Readonly<Record<string, string>> = {
  name: "The name of the rule: unique in the file, shown in every decision.",
  priority:
    "The tier: admin > user > workspace > default. The highest tier with a matching rule decides. Left out: default.",
  action:
    "What the rule says: allow, deny or ask_user. Inside a tier deny wins over ask_user, and ask_user over allow.",
  tool: "The tool: a name, a glob, or alternatives with `|`. Left out: any tool.",
  command:
    'A word pattern, or a list of them, over each simple command of a shell line. A last word `*` is any further arguments: "git push *".',
  command_regex:
    "A regular expression (re2) over the words of each simple command with one blank between, from end to end.",
  effects:
    "What a command does, by name. A deny or an ask is about a command with any of them; an allow covers one that has no others.",
  pattern:
    "The short form: a glob for the tool's name or, with a blank in it, a word pattern over commands.",
  server: "The MCP server, as the host names it: a name, a glob, or alternatives with `|`.",
  paths:
    "Globs of files: relative to the workspace unless they begin with `/`, `~/` or `**`. A text or a list is about reading and writing.",
  "paths.read": "Globs of files that are read.",
  "paths.write": "Globs of files that are written, created, moved or deleted.",
  network: "Hosts that are reached: names or globs, without scheme and port.",
  args: 'Conditions on named arguments: { method = { eq = "GET" } }. A dotted name in quotes is a nested argument. All must hold.',
  agent: "The agent that calls: a name, a glob, or a list.",
  phase: "The phase of the task: a name, a glob, or a list.",
  modes: "The approval modes in which the rule holds. Left out: all.",
  interactive: "true: only where somebody can be asked; false: only where nobody can.",
  approval_mode: "The same as `modes` with one mode.",
  when: "A condition in the form of json-rules-engine, asked where the rule matches otherwise.",
  after:
    "The rule holds once a mark of this file is set in the run: its name, a list of names, or a table.",
  unless_after: "The rule holds as long as the mark is not set.",
  reason: "Why, in one sentence. People and agents read it.",
  fix: "What to do instead, in one line.",
  shadow: "true: the rule votes nothing; what it would have voted is recorded.",
  final: "true, on deny and ask_user: no higher tier, mode or `without` loosens the rule.",
  match:
    "Cases that the rule must match, run when the file loads: shell lines where it is about commands, else tool names.",
  not_match: "Cases that the rule must not match, run when the file loads.",
};

/** The words for what a mark has besides. */
export const MARK_WORDS: Readonly<Record<string, string>> = {
  ...RULE_WORDS,
  name: "The name of the mark: unique in the file.",
  outcome: "passed: the mark is set only once the result of the call is on record and good.",
  cleared_by: "A mark of this file, or a list: a call that sets it clears this one.",
};

/** The words for `after` and `unless_after` as a table. */
export const REFERENCE_WORDS: Readonly<Record<string, string>> = {
  mark: "The name of a mark.",
  times: "How often it must have been set, up to 100. Left out: once.",
  within: "The time before the call that counts: 30s, 10m, 2h, 1d. Left out: the whole run.",
};

/** The words for a condition on an argument. */
export const CONDITION_WORDS: Readonly<Record<string, string>> = {
  eq: "The value has this type and value.",
  in: "The value is one of these.",
  glob: "The value is text that the glob, or one of a list, matches whole; `*` matches everything, `/` too.",
  regex: "The value is text that the regular expression (re2) matches whole.",
  min: "The value is a number of at least this.",
  max: "The value is a number of at most this.",
  type: "The type of the value.",
  url_prefix: "The value is a URL with this scheme, host and port, below this path.",
  exists: "true: the argument is there; false: it is not.",
  not: "The argument is there and this does not hold; for a deny also when it is not there.",
};

/** The words for a condition in `when`. */
export const WHEN_WORDS: Readonly<Record<string, string>> = {
  all: "Every one of these holds.",
  any: "At least one of these holds.",
  not: "This does not hold.",
  fact: "A field of the call.",
  projection: "The name of a projection: the state of the run so far.",
  operator: "How the two are compared.",
  value: "What it is compared with.",
  path: "The way into a fact that is a table: `$.items[0].name`.",
};

/** The words for the top of a file. */
export const FILE_WORDS: Readonly<Record<string, string>> = {
  default:
    "What a call comes to when nothing voted. The strictest of all files holds. Left out: the configuration's `fallback`.",
  compat: "Read this file as another tool does: radium or gemini.",
  approval_mode: "The approval mode, as Radium reads it.",
  rules: "The rules. Their order never matters.",
  marks: "What calls are remembered by, for rules with `after` and `unless_after`.",
  rule: "The rules, in the keys of gemini-cli.",
};

/** The words for a rule with `compat = "radium"`. */
export const RADIUM_WORDS: Readonly<Record<string, string>> = {
  name: "The name of the rule.",
  priority: "The tier: admin > user > default. Left out: user.",
  action: "What the rule says.",
  tool_pattern: "A glob for the tool's name, as Radium reads it.",
  arg_pattern: "A glob for any one argument, or for all of them joined by one blank.",
  reason: "Why, in one line.",
};

/** The words for a rule with `compat = "gemini"`. */
export const GEMINI_WORDS: Readonly<Record<string, string>> = {
  name: "The name of the rule.",
  toolName: "The tool, or a list of tools; `*` is every tool.",
  mcpName: "The MCP server.",
  subagent: "The agent that calls.",
  commandPrefix: "The first words of a command of the shell tool, or a list of them.",
  commandRegex: "A regular expression over the command of the shell tool.",
  argsPattern: "A regular expression over the arguments as JSON text.",
  toolAnnotations: "Annotations that the tool must have.",
  decision: "What the rule says.",
  priority: "From 0 to 999; the highest matching rule decides.",
  modes: "The approval modes of gemini-cli in which the rule holds.",
  interactive: "true: only where somebody can be asked; false: only where nobody can.",
  allowRedirection: "An allow covers redirections too.",
  allow_redirection: "The same as allowRedirection.",
  denyMessage: "What the agent is told.",
  deny_message: "The same as denyMessage.",
};
