import type { ToolCall } from "@bylaw/kernel";
import type { Rule } from "../compile/rule.ts";
import type { PolicyFile } from "../load/policy-file.ts";
import { compilePolicy, type PolicyPool } from "../decide/policy-pool.ts";
import type { RunState } from "../match/run-state.ts";
import { DEFAULT_TOOLS, type ToolTable } from "../compile/tool-table.ts";
import { expectationFault, type CaseOutcome, type Expectation } from "./expectation.ts";
import { holds, type InlineCase } from "./inline.ts";
import { marksIn } from "../marks/mark-set.ts";
import { matchSets } from "./match-sets.ts";
import { mutantsOf, riskOf, type Mutant, type MutationKind } from "./mutants.ts";

/** A change of a rule that no case notices. */
export interface SurvivingMutation {
  readonly kind: MutationKind;
  readonly change: string;
  readonly rule: string;
  readonly file: string;
  /** The line of the rule in the file, from 1. */
  readonly line: number;
  /** Whether the change can allow something that the policy does not. */
  readonly loosens: boolean;
}

/** The result of changing every rule, one change at a time. */
export interface Mutation {
  readonly mutants: number;
  readonly noticed: number;
  /** The unnoticed changes, grouped by rule. The riskiest rules, and the riskiest changes of each, come first. */
  readonly survivors: readonly SurvivingMutation[];
}

/** The input of {@link mutatePolicy}. Every case must pass with the unchanged policy. */
export interface MutationInput {
  readonly files: readonly PolicyFile[];
  readonly tools?: ToolTable;
  /** The state of the run that conditions see. */
  readonly run?: RunState;
  readonly inline: readonly InlineCase[];
  /** `run` is the state of the run of this case. */
  readonly cases: readonly {
    readonly call: ToolCall;
    readonly expected: Expectation;
    readonly run?: RunState;
  }[];
  /** Decides the call of the case with this index under a changed pool. */
  readonly decide: (
    call: ToolCall,
    pool: PolicyPool,
    at: number,
  ) => CaseOutcome | Promise<CaseOutcome>;
  /** Called after each rule. */
  readonly onProgress?: (done: number, total: number) => void;
}

// The number of rules whose changes are matched in one pass over the calls, so that each call is read once for all of them.
const AT_ONCE = 64;
const NONE: ReadonlySet<number> = new Set();

/**
 * Applies every change of {@link mutantsOf} to every rule that is not in shadow, and runs the cases with each changed
 * policy until one fails. A survivor has passed every case.
 */
export async function mutatePolicy(input: MutationInput): Promise<Mutation> {
  const { files, tools = DEFAULT_TOOLS, run, cases, onProgress } = input;
  const work = files.flatMap((file) =>
    file.rules.flatMap((rule, at) => (rule.source.shadow ? [] : [{ file, rule, at }])),
  );
  const pool = files.flatMap((file) => file.rules);
  const marks = marksIn(files, tools);
  const calls = cases.map(({ call, run: own = run }) => ({ call, run: own }));
  const survivors: Survivor[] = [];
  let mutants = 0;
  for (let from = 0; from < work.length; from += AT_ONCE) {
    const jobs = work.slice(from, from + AT_ONCE).map((one) => {
      const changes = mutantsOf(
        one.rule,
        pool.filter((other) => other !== one.rule),
      );
      mutants += changes.length;
      return { ...one, open: passingInline(changes, one.rule, input) };
    });
    // The other changes match the same calls as the rule, or fewer.
    const asked = jobs.flatMap(({ rule, open }) => [
      rule,
      ...open.map((mutant) => (widens(mutant) ? mutant.rule : undefined)),
    ]);
    const sets = (await matchSets(asked, calls, { tools, marks })).values();
    for (const [done, job] of jobs.entries()) {
      const before = sets.next().value ?? NONE;
      for (const mutant of job.open) {
        const order = likelyFirst(cases.length, mutant, before, sets.next().value ?? NONE);
        const changed = compilePolicy(filesWith(mutant, job, files), { tools });
        if (!(await isNoticed(input, changed, order))) survivors.push(survivorOf(mutant, job));
      }
      onProgress?.(from + done + 1, work.length);
    }
  }
  return { mutants, noticed: mutants - survivors.length, survivors: byRisk(survivors) };
}

function passingInline(
  changes: readonly Mutant[],
  { source: { name, file } }: Rule,
  { inline, tools = DEFAULT_TOOLS }: MutationInput,
): readonly Mutant[] {
  const own = inline.filter((line) => line.rule === name && line.file === file);
  return changes.filter(
    ({ rule }) => rule === undefined || own.every((line) => holds(rule, line, tools)),
  );
}

/** A rule that is changed. `at` is its index in the file. */
interface Job {
  readonly file: PolicyFile;
  readonly rule: Rule;
  readonly at: number;
}

function filesWith(
  mutant: Mutant,
  { file, at }: Job,
  files: readonly PolicyFile[],
): readonly PolicyFile[] {
  const { rules } = file;
  const changed = mutant.rule === undefined ? rules.toSpliced(at, 1) : rules.with(at, mutant.rule);
  return files.map((one) => (one === file ? { ...file, rules: changed } : one));
}

interface Survivor extends SurvivingMutation {
  readonly risk: number;
}

function survivorOf({ kind, change }: Mutant, { file: { file }, rule }: Job): Survivor {
  const { name, line, effect } = rule.source;
  const risk = riskOf(kind, effect);
  return {
    kind,
    change,
    rule: name,
    file,
    line,
    loosens: risk !== undefined,
    risk: risk ?? NO_RISK,
  };
}

const NO_RISK = 9;

function byRisk(survivors: readonly Survivor[]): readonly SurvivingMutation[] {
  const groups = Map.groupBy(survivors, ({ file, line }) => `${line} ${file}`);
  const worst = (group: readonly { readonly risk: number }[]): number =>
    Math.min(...group.map(({ risk }) => risk));
  return [...groups.values()]
    .toSorted((a, b) => worst(a) - worst(b))
    .flatMap((group) =>
      group.toSorted((a, b) => a.risk - b.risk).map(({ risk: _, ...survivor }) => survivor),
    );
}

async function isNoticed(
  { cases, decide }: MutationInput,
  pool: PolicyPool,
  order: readonly number[],
): Promise<boolean> {
  for (const at of order) {
    const one = cases[at];
    if (one === undefined) continue;
    const asked = decide(one.call, pool, at);
    const outcome = asked instanceof Promise ? await asked : asked;
    if (expectationFault(one.expected, outcome) !== undefined) return true;
  }
  return false;
}

const widens = ({ kind }: Mutant): boolean => kind === "part" || kind === "widen";

// Cases about the change come first. The others must run too, because any rule may change what a pool is about.
function likelyFirst(
  count: number,
  mutant: Mutant,
  before: ReadonlySet<number>,
  after: ReadonlySet<number>,
): readonly number[] {
  const likely = widens(mutant) ? [...after].filter((at) => !before.has(at)) : [...before];
  const first = new Set(likely);
  return [
    ...likely,
    ...Array.from({ length: count }, (_, at) => at).filter((at) => !first.has(at)),
  ];
}
