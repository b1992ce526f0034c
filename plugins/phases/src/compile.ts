import { readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import { contractLines, loadContract, type Contract, type Phase } from "@bylaw/contract";
import { BylawError, messageOf } from "@bylaw/kernel";
import {
  compilePolicy,
  extendTools,
  parsePolicy,
  type PolicyPool,
  type ToolTable,
} from "@bylaw/policy-language";
import type { RuleReference } from "./codes.ts";
import type { PhaseOptions } from "./options.ts";
import {
  commandRulesOf,
  commitsIn,
  constraintOf,
  fileRulesOf,
  holdsReads,
  idleConstraint,
  lineRulesOf,
  policyOf,
  protection,
  writersOf,
  LINE_WRITES_BELOW,
  type PhaseRule,
} from "./phase-rules.ts";

export interface CompiledPhase {
  readonly phase: Phase;
  readonly allowed: ReadonlySet<string>;
  readonly forbidden: ReadonlySet<string>;
  /** Whether any of its tools writes files. */
  readonly writes: boolean;
  /** Whether it restricts which files may be read. */
  readonly reads: boolean;
  /** Whether it has `git_commit`. */
  readonly commits: boolean;
  /** Judges the paths of tools. */
  readonly files: PolicyPool;
  /** Judges the commands of lines. */
  readonly commands: PolicyPool;
  /** Judges what a line writes and reads, like calls of the file tools. */
  readonly written: PolicyPool;
  /** Tools that are restricted to a list of commands. */
  readonly listed: ReadonlySet<string>;
  /** Tools that are restricted to paths. */
  readonly placed: ReadonlySet<string>;
}

export interface Compiled {
  readonly contract: Contract;
  readonly phases: ReadonlyMap<string, CompiledPhase>;
  readonly tools: ToolTable;
  /** Judges calls outside any phase: it only protects the paths that are never writable. */
  readonly anywhere: PolicyPool;
  /** The reference to a part of the contract, given its path of keys and indexes. */
  readonly at: (name: string, path: readonly (string | number)[]) => RuleReference;
  /** The files and folders that no agent may write. */
  readonly guarded: readonly string[];
  /** The folder that relative paths are resolved in if a host names none. */
  readonly folder: string;
}

/** The reference to a part of a phase, given the keys below it. */
export type ReferenceOf = (...keys: readonly string[]) => RuleReference;

/** Tools of the contract that may contain a shell line, with its argument. */
export const LINE_TOOLS = { run_tests: "command", git_commit: "command" } as const;

/** The files that configure Bylaw and that it stores. They are protected even if the contract does not name them. */
const CONFIGURATIONS = ["ts", "mts", "js", "mjs", "json", "yaml", "toml"].map(
  (extension) => `bylaw.config.${extension}`,
);
const OWN_FILES = [".bylaw", "bylaw.serve.json", ...CONFIGURATIONS];

/** Loads a contract and compiles its phases. Throws what loading throws, and for a mode or a pattern that cannot be enforced. */
export function compileContract(options: PhaseOptions, folder: string, fact: string): Compiled {
  const contract = loadContract(resolve(folder, options.contract), {
    tools: options.tools,
    checks: options.checks,
  });
  checkMode(contract, options.mode);
  const lineOf = contractLines(readFileSync(contract.file));
  const at: Compiled["at"] = (name, path) => ({ name, file: contract.file, line: lineOf(path) });
  const tools = extendTools({
    shell: { ...LINE_TOOLS, ...options.shell },
    files: { search_codebase: { read: ["path", "paths", "directory", "dir_path"], cwd: true } },
  });
  const home = dirname(contract.file);
  const guarded = [
    ...contract.protectedPaths.map((path) => (isAbsolute(path) ? path : resolve(home, path))),
    ...[...new Set([home, resolve(folder)])].flatMap((place) =>
      OWN_FILES.map((name) => resolve(place, name)),
    ),
  ];
  const shield = protection(guarded);
  // Lines are judged separately, by what they write.
  const lineless: ToolTable = { ...tools, shell: new Map() };
  const compile = (name: string, rules: readonly PhaseRule[], table = lineless): PolicyPool => {
    try {
      return compilePolicy(
        [parsePolicy(policyOf(rules), { file: basename(contract.file), tools: table })],
        { tools: table, pathsFact: fact },
      );
    } catch (cause) {
      throw new BylawError({
        code: "BYLAW_PHASE_PATTERN_INVALID",
        message: `The tool constraints of phase \`${name}\` cannot be enforced: ${messageOf(cause)}`,
        source: { file: contract.file },
        cause,
      });
    }
  };
  return {
    contract,
    phases: new Map(
      contract.phases.map((phase) => [
        phase.id,
        compilePhase(phase, { contract, tools, shield, compile }),
      ]),
    ),
    tools,
    anywhere: compile("any", [shield, ANY_FOLDER]),
    guarded,
    at,
    folder,
  };
}

interface PhaseParts extends Pick<Compiled, "contract" | "tools"> {
  /** The rule that protects paths which no agent may write. */
  readonly shield: PhaseRule;
  readonly compile: (name: string, rules: readonly PhaseRule[], table?: ToolTable) => PolicyPool;
}

function compilePhase(
  phase: Phase,
  { contract, tools, shield, compile }: PhaseParts,
): CompiledPhase {
  const idle = idleConstraint(phase, tools);
  if (idle !== undefined)
    throw new BylawError({
      code: "BYLAW_PHASE_PATTERN_INVALID",
      message: `The constraint on \`${idle.tool}\` of phase \`${phase.id}\` cannot be enforced: patterns need a tool whose paths are known, commands one that runs lines`,
      fix: "Name the host's shell tools under the option `shell`, or remove the constraint",
      source: { file: contract.file },
    });
  const isListed = (tool: string): boolean =>
    constraintOf(phase, tool, tools)?.allowedCommands !== undefined;
  return {
    phase,
    allowed: new Set(phase.allowedTools),
    forbidden: new Set(phase.forbiddenTools),
    writes: writersOf(phase, tools).length > 0,
    reads: holdsReads(phase),
    commits: commitsIn(phase),
    files: compile(phase.id, [shield, ...fileRulesOf(phase, tools)]),
    commands: compile(phase.id, commandRulesOf(phase, tools), tools),
    written: compile(phase.id, [shield, ...lineRulesOf(phase, tools)]),
    listed: new Set(phase.allowedTools.filter(isListed)),
    placed: new Set(phase.allowedTools.filter((tool) => tools.files.has(tool))),
  };
}

// Only an allow asks about everything below a folder.
const ANY_FOLDER: PhaseRule = {
  name: "any",
  action: "allow",
  tool: LINE_WRITES_BELOW,
  paths: ["/**"],
};

// Two different modes hide what is enforced, so the contract's must match.
function checkMode(
  { enforcement: { mode }, file }: Contract,
  wanted: PhaseOptions["mode"] = mode,
): void {
  if (mode === wanted) return;
  throw new BylawError({
    code: "BYLAW_PHASE_MODE_DIFFERS",
    message: `The contract says mode \`${mode}\`, but this configuration says \`${wanted}\``,
    fix: "Leave `mode` of this plugin out, or change the contract",
    source: { file },
  });
}
