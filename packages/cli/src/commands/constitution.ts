import { resolve } from "node:path";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, omitUndefined, type Json, type JsonObject } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import type { ConstitutionRule, RuleAuthor } from "@bylaw/plugin-constitution";
import { answererOf, confirmed, takeToken } from "../approve/authority.ts";
import { usageError } from "../io/report-error.ts";
import { inputFault, openInput } from "../io/input.ts";
import { eventsOf, noSuchRun, storePlace, withReader, withStore } from "../log/open-store.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";
import { plain } from "../io/text.ts";
import { stepAccess } from "../run/step-access.ts";
import { kernelOf, type RunKernel } from "../run/run-kernel.ts";
import { checkRun } from "../run/store-folder.ts";
import type { CommandSpec, GroupSpec, OptionSpec, OptionsOf } from "../command-line/command.ts";
import { CREATE_RUN, JSON_OPTION, RUN_CONFIG } from "../command-line/shared-options.ts";

const STORE = ".bylaw/store.db";

const GET_OPTIONS = [
  ["--store <url>", `the store that holds the run (default: ${STORE})`],
  ["--run <name>", "the run"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
const CHANGE_OPTIONS = [
  ["--store <url>", `the store that holds the run (default: ${STORE})`],
  ["--run <name>", "the run"],
  CREATE_RUN,
  ["--by <person>", "who you are: an operator with a token, or a person at a terminal"],
  RUN_CONFIG,
] as const satisfies readonly OptionSpec[];
const UPDATE_OPTIONS = [
  ...CHANGE_OPTIONS,
  ["--rule <text>", "the rule, in one sentence", { required: true }],
  ["--check <json>", 'a check that enforces it: {"action": "deny", "command": "git push *"}'],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
const RESET_OPTIONS = [
  ...CHANGE_OPTIONS,
  ["--rules <file>", "a JSON list of {rule, check?}; - reads standard input (default: no rules)"],
  JSON_OPTION,
] as const satisfies readonly OptionSpec[];
type ConstitutionOptions = OptionsOf<typeof CHANGE_OPTIONS>;

const GET: CommandSpec = {
  options: GET_OPTIONS,
  help: `
In a step of \`bylaw run\` the run is that of the step.
Exit code: 0 printed, 2 usage error, or a run that cannot be read.

Examples:
  $ bylaw constitution get --run refunds --json`,
  run: getRules,
};

const UPDATE: CommandSpec = {
  options: UPDATE_OPTIONS,
  help: `
No agent can remove an operator's rule. In a step of \`bylaw run\` the rule counts as the agent's.
Exit code: 0 added, 2 usage error, a rule that is refused, or nobody who may add it.

Examples:
  $ bylaw constitution update --run refunds --rule "Nothing is pushed today." --check '{"action":"deny","command":"git push *"}' --by ada`,
  run: updateRules,
};

const RESET: CommandSpec = {
  options: RESET_OPTIONS,
  help: `
Exit code: 0 replaced, 2 usage error, a rule that is refused, or nobody who may replace them.

Examples:
  $ bylaw constitution reset --run refunds --rules rules.json --by ada`,
  run: resetRules,
};

export const command: GroupSpec = {
  help: `
Examples:
  $ bylaw constitution get --run refunds`,
  commands: {
    "get [options]": ["Print the rules in force, without extending them", GET],
    "update [options]": ["Add a rule. The 51st replaces the oldest rule of an agent.", UPDATE],
    "reset [options]": ["Replace the rules. An agent replaces only the rules of agents.", RESET],
  },
};

/** Prints the rules in force in a run. */
async function getRules(options: OptionsOf<typeof GET_OPTIONS>): Promise<void> {
  takeToken();
  const fromStep = await inStep(options, "get_constitution", {});
  await printRules(fromStep ?? (await rulesIn(options)), options);
}

/** Adds a rule, as an operator or as the agent of this step. */
async function updateRules(options: OptionsOf<typeof UPDATE_OPTIONS>): Promise<void> {
  const token = takeToken();
  const given = {
    rule: options.rule,
    ...(options.check === undefined ? {} : { check: jsonOf(options.check, "--check") }),
  };
  const fromStep = await inStep(options, "update_constitution", given);
  const rules =
    fromStep ??
    (await asOperator(
      options,
      token,
      `Add to ${runOf(options)}: ${given.rule}`,
      ({ constitution }, run, who) => constitution.updateConstitution(run, given, who),
    ));
  await printRules(rules, options);
}

/** Replaces the rules, as an operator or as the agent of this step. */
async function resetRules(options: OptionsOf<typeof RESET_OPTIONS>): Promise<void> {
  const token = takeToken();
  const list = options.rules === undefined ? [] : jsonOf(await readInput(options.rules), "--rules");
  if (!Array.isArray(list)) throw usageError("`--rules` must be a JSON list of rules");
  const fromStep = await inStep(options, "reset_constitution", { rules: list });
  const rules =
    fromStep ??
    (await asOperator(
      options,
      token,
      `Replace the rules of ${runOf(options)} by ${list.length}`,
      ({ constitution }, run, who) => constitution.resetConstitution(run, list, who),
    ));
  await printRules(rules, options);
}

type Rules = readonly Pick<ConstitutionRule, "id" | "rule" | "check" | "author" | "by">[];

// In a step, the agent acts for itself only.
async function inStep(
  options: ConstitutionOptions,
  tool: string,
  args: JsonObject,
): Promise<Rules | undefined> {
  const access = stepAccess(options);
  if (access === undefined) return undefined;
  if (options.by !== undefined)
    throw usageError(
      "`--by` cannot be given in a step, which acts as its own agent",
      "Remove `--by`",
    );
  const { callRemoteTool } = await import("@bylaw/host-mcp");
  const { error, answer } = await callRemoteTool(access, tool, args);
  const reply = (answer ?? {}) as {
    readonly rules?: Rules;
    readonly code?: BylawError["code"];
    readonly message?: string;
    readonly fix?: string;
  };
  if (error)
    throw new BylawError({
      code: reply.code ?? "BYLAW_CONSTITUTION_INVALID",
      message: reply.message ?? "The rule was refused",
      ...omitUndefined({ fix: reply.fix }),
    });
  return reply.rules ?? [];
}

async function rulesIn({ store = STORE, ...named }: ConstitutionOptions): Promise<Rules> {
  const name = runOf(named);
  const { constitutionOf, constitutionState } = await import("@bylaw/plugin-constitution");
  return withReader(storePlace(store), async (reader) => {
    let state = constitutionState.initial;
    let found = false;
    for await (const events of eventsOf(reader, name)) {
      found = true;
      state = events.reduce((before, event) => constitutionState.reduce(before, event), state);
    }
    if (!found) throw await noSuchRun(reader, name);
    return constitutionOf({
      view: (() => state) as Run["view"],
      now: () => new Date().toISOString(),
    });
  });
}

async function asOperator(
  options: ConstitutionOptions,
  token: string | undefined,
  what: string,
  work: (plugins: RunKernel["plugins"], run: Run, who: RuleAuthor) => Promise<Rules>,
): Promise<Rules> {
  const { store = STORE, config, create = false } = options;
  const name = runOf(options);
  const { kernel, file, plugins } = await kernelOf(undefined, config);
  const who = answererOf(file ?? resolve("bylaw.config"), options.by, token);
  const place = storePlace(store);
  await checkRun(place, name, create);
  if (who.ask && !(await confirmed(`${plain(what)}, as ${plain(who.by)}\nType yes to continue: `)))
    throw unauthorized("The answer was not `yes`", "nothing was recorded");
  return withStore(place, { create }, async (opened) => {
    const run = await openRun(kernel, { run: name, store: opened, join: true });
    try {
      return await work(plugins, run, { by: who.by, author: "operator" });
    } finally {
      await run.close();
    }
  });
}

function runOf({ run }: Pick<ConstitutionOptions, "run">): string {
  if (run !== undefined) return run;
  throw usageError("`--run` is missing", "List the runs with `bylaw log runs`");
}

const MAX_BYTES = 1_048_576;

async function readInput(file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of openInput(file)) {
      size += chunk.length;
      if (size > MAX_BYTES) throw usageError(`${file} is larger than ${MAX_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    const message = inputFault(error, file);
    throw message === undefined ? error : usageError(message);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(text: string, flag: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw usageError(`\`${flag}\` must be JSON`);
  }
}

async function printRules(
  rules: Rules,
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const lines = rules.map(({ id, rule, check, author, by }) => {
    const held = isJsonObject(check) ? `, checked: ${JSON.stringify(check)}` : "";
    return `${plain(`${id}  ${rule.replaceAll(/\s+/g, " ")} (${author} ${by}${held})`)}\n`;
  });
  await write(json ? jsonLine({ rules }) : lines.join("") || "no rules\n");
  conclude(0);
}
