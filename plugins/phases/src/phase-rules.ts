import type { Phase, ToolConstraint } from "@bylaw/contract";
import type { ToolTable } from "@bylaw/policy-language";

/** A rule of a phase, in the policy language. Its name ends with its source in the contract. */
export interface PhaseRule {
  readonly name: string;
  readonly action: "allow" | "deny";
  readonly tool?: string;
  readonly command?: readonly string[];
  readonly paths?: readonly string[] | { readonly write: readonly string[] };
}

/** The stand-in tools for what a shell line writes and reads: a path, and a folder with everything below it. */
export const LINE_WRITES = "write_files";
export const LINE_WRITES_BELOW = "delete_path";
export const LINE_READS = "read_files";
export const LINE_READS_BELOW = "read_many_files";

const WORKSPACE = ["./**"];
/** Two tools for the same thing: a constraint on one is useless if the other is free. */
const TWINS = ["write_files", "edit_files"];

export const fileRulesOf = (phase: Phase, tools: ToolTable): readonly PhaseRule[] =>
  phase.allowedTools.flatMap((tool) =>
    tools.files.has(tool) ? pathRules(tool, constraintOf(phase, tool, tools)) : [],
  );

export const commitsIn = ({ allowedTools, forbiddenTools }: Phase): boolean =>
  allowedTools.includes("git_commit") && !forbiddenTools.includes("git_commit");

export const commandRulesOf = (phase: Phase, tools: ToolTable): readonly PhaseRule[] =>
  phase.allowedTools.flatMap((tool) =>
    tools.shell.has(tool)
      ? commandRules(tool, constraintOf(phase, tool, tools), commitsIn(phase))
      : [],
  );

/** The rules for what a shell line writes and reads: those of the phase's tools that write and read files. */
export function lineRulesOf(phase: Phase, tools: ToolTable): readonly PhaseRule[] {
  const [writer] = writersOf(phase, tools);
  const written = writer === undefined ? undefined : constraintOf(phase, writer, tools);
  return [
    ...(writer === undefined
      ? []
      : [LINE_WRITES, LINE_WRITES_BELOW].flatMap((tool) => pathRules(tool, written))),
    ...(holdsReads(phase)
      ? [LINE_READS, LINE_READS_BELOW].flatMap((tool) =>
          pathRules(tool, constraintOf(phase, LINE_READS, tools)),
        )
      : []),
  ];
}

/** Whether a phase restricts which files may be read. */
export const holdsReads = ({ constraints }: Phase): boolean =>
  constraints.some(({ tool }) => tool === LINE_READS);

/** A constraint that cannot be enforced, because its tool runs no line or names no known path. */
export const idleConstraint = (
  { constraints }: Phase,
  { files, shell }: ToolTable,
): ToolConstraint | undefined =>
  constraints.find(
    ({ tool, allowedPatterns, forbiddenPatterns, allowedCommands, forbiddenCommands }) =>
      ((allowedPatterns !== undefined || forbiddenPatterns.length > 0) && !files.has(tool)) ||
      ((allowedCommands !== undefined || forbiddenCommands.length > 0) && !shell.has(tool)),
  );

/** The tools of a phase that write files, `write_files` first. */
export function writersOf(
  { allowedTools, forbiddenTools }: Phase,
  tools: ToolTable,
): readonly string[] {
  const writers = allowedTools.filter(
    (tool) => writes(tool, tools) && !forbiddenTools.includes(tool),
  );
  return [
    ...TWINS.filter((tool) => writers.includes(tool)),
    ...writers.filter((tool) => !TWINS.includes(tool)),
  ];
}

const writes = (tool: string, tools: ToolTable): boolean => {
  const { write = [], patches = [] } = tools.files.get(tool) ?? {};
  return write.length + patches.length > 0;
};

/** Whether a phase restricts a tool to its own commands or paths. */
export function constraintOf(
  { constraints }: Phase,
  tool: string,
  tools: ToolTable,
): ToolConstraint | undefined {
  const own = constraints.find((constraint) => constraint.tool === tool);
  if (own !== undefined || !writes(tool, tools)) return own;
  // Both tools write files, so a constraint on one also binds the other unless that has its own patterns.
  return TWINS.map((twin) => constraints.find((constraint) => constraint.tool === twin)).find(
    (twin) => twin !== undefined,
  );
}

/** The rule that keeps agents from writing these absolute paths, by any tool. */
export const protection = (paths: readonly string[]): PhaseRule => ({
  name: "protected",
  action: "deny",
  paths: { write: paths.flatMap((path) => [literal(path), `${literal(path)}/**`]) },
});

function pathRules(tool: string, constraint: ToolConstraint | undefined): readonly PhaseRule[] {
  const { allowedPatterns = WORKSPACE, forbiddenPatterns = [] } = constraint ?? {};
  const rules: PhaseRule[] = [];
  if (forbiddenPatterns.length > 0)
    rules.push({
      name: `${tool}.forbidden_patterns`,
      action: "deny",
      tool,
      paths: forbiddenPatterns.flatMap(forbidden),
    });
  if (allowedPatterns.length > 0)
    rules.push({
      name: `${tool}.allowed_patterns`,
      action: "allow",
      tool,
      paths: allowedPatterns.map(inWorkspace),
    });
  return rules;
}

/** Commands that commit besides git. */
const COMMITS = [
  ...[
    "hg *",
    "svn *",
    "jj *",
    "sl *",
    "bzr *",
    "fossil *",
    "hub *",
    "npm version *",
    "pnpm version *",
    "yarn version *",
  ],
  ...[
    "gh pr merge *",
    "gh pr create *",
    "gh api *",
    "gh release *",
    "gh repo *",
    "glab mr *",
    "glab api *",
  ],
];

function commandRules(
  tool: string,
  constraint: ToolConstraint | undefined,
  commits: boolean,
): readonly PhaseRule[] {
  const { allowedCommands, forbiddenCommands = [] } = constraint ?? {};
  const rules: PhaseRule[] = [];
  if (!commits && allowedCommands === undefined)
    rules.push({ name: `${tool}.vcs`, action: "deny", tool, command: COMMITS });
  if (forbiddenCommands.length > 0)
    rules.push({
      name: `${tool}.forbidden_commands`,
      action: "deny",
      tool,
      command: forbiddenCommands.map(open),
    });
  // A rule about the tool, so that unknown parts of its lines are reported.
  if (allowedCommands === undefined) rules.push({ name: `${tool}.lines`, action: "allow", tool });
  else if (allowedCommands.length > 0)
    rules.push({
      name: `${tool}.allowed_commands`,
      action: "allow",
      tool,
      command: allowedCommands.map(open),
    });
  return rules;
}

// A command of a contract matches the beginning of a line.
const open = (command: string): string =>
  /(^|\s)\*$/.test(command.trim()) ? command.trim() : `${command.trim()} *`;

// `**` alone covers every folder of the machine.
const inWorkspace = (pattern: string): string =>
  pattern.startsWith("**") ? `./${pattern}` : pattern;

// A name without a folder is forbidden in every folder. The same goes for folders that tools fill, because a project may have
// several of them.
const FILLED = /^(\.[\w.-]*\w|node_modules|venv|__pycache__)\/\*\*(\/\*)?$/;
function forbidden(given: string): readonly string[] {
  const pattern = given.replace(/^\.\//, "");
  return !pattern.includes("/") || FILLED.test(pattern) ? [pattern, `**/${pattern}`] : [pattern];
}

const literal = (path: string): string =>
  path.replace(/[*?[\]{}]/g, (char) => (char === "]" || char === "}" ? "?" : `[${char}]`));

/** The text of a policy with these rules. */
export const policyOf = (rules: readonly PhaseRule[]): string =>
  rules
    .map(
      ({ name, action, tool, command, paths }) =>
        `[[rules]]\nname = ${text(name)}\naction = ${text(action)}\n${action === "deny" ? "final = true\n" : ""}` +
        (tool === undefined ? "" : `tool = ${text(tool)}\n`) +
        (command === undefined ? "" : `command = ${list(command)}\n`) +
        (paths === undefined
          ? ""
          : `paths = ${"write" in paths ? `{ write = ${list(paths.write)} }` : list(paths)}\n`),
    )
    .join("\n");

// JSON strings are TOML strings, except for one character.
const text = (value: string): string => JSON.stringify(value).replaceAll("\u007f", "\\u007f");
const list = (values: readonly string[]): string => `[${values.map(text).join(", ")}]`;
