import { resolve } from "node:path";
import { parseJson } from "@bylaw/config";
import { BylawError, isJsonObject, present, type Json, type JsonObject } from "@bylaw/kernel";
import { openRun, type Run } from "@bylaw/log";
import { unauthorized } from "@bylaw/orchestrator/approvals";
import type { ConstitutionRule, RuleAuthor } from "@bylaw/plugin-constitution";
import { answererOf, confirmed, takeToken } from "../approve/authority.ts";
import { usageError } from "../fault.ts";
import { inputFault, openInput } from "../input.ts";
import { eventsOf, noSuchRun, storePlace, withReader, withStore } from "../log/store.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";
import { plain } from "../text.ts";
import { doorHere } from "./door-here.ts";
import { kernelOf, type RunKernel } from "./run-kernel.ts";

/** The options of `bylaw constitution …`. */
export interface ConstitutionOptions {
  readonly store?: string;
  readonly run?: string;
  readonly by?: string;
  readonly config?: string;
  readonly rule?: string;
  readonly check?: string;
  readonly rules?: string;
  readonly json?: boolean;
}

const STORE = ".bylaw/store.db";

/** Prints the rules of a run that hold now. */
export async function getRules(options: ConstitutionOptions): Promise<void> {
  takeToken();
  const through = await throughDoor(options, "get_constitution", {});
  await told(through ?? (await rulesIn(options)), options);
}

/** Adds a rule, as an operator, or as the agent whose step this is. */
export async function updateRules(options: ConstitutionOptions): Promise<void> {
  const token = takeToken();
  const given = { rule: options.rule ?? "", ...(options.check === undefined ? {} : { check: jsonOf(options.check, "--check") }) };
  const through = await throughDoor(options, "update_constitution", given);
  const rules =
    through ??
    (await asOperator(options, token, `Add to ${runOf(options)}: ${given.rule}`, ({ constitution }, run, who) =>
      constitution.updateConstitution(run, given, who),
    ));
  await told(rules, options);
}

/** Replaces the rules, as an operator, or as the agent whose step this is. */
export async function resetRules(options: ConstitutionOptions): Promise<void> {
  const token = takeToken();
  const list = options.rules === undefined ? [] : jsonOf(await readInput(options.rules), "--rules");
  if (!Array.isArray(list)) throw usageError("Unexpected value of `--rules`, expected a JSON list of rules");
  const through = await throughDoor(options, "reset_constitution", { rules: list });
  const rules =
    through ??
    (await asOperator(options, token, `Replace the rules of ${runOf(options)} by ${list.length}`, ({ constitution }, run, who) =>
      constitution.resetConstitution(run, list, who),
    ));
  await told(rules, options);
}

type Rules = readonly Pick<ConstitutionRule, "id" | "rule" | "check" | "author" | "by">[];

// In a step the agent speaks for itself, and for nobody else.
async function throughDoor(options: ConstitutionOptions, tool: string, args: JsonObject): Promise<Rules | undefined> {
  const door = doorHere(options);
  if (door === undefined) return undefined;
  if (options.by !== undefined) throw usageError("Unexpected `--by` in a step, expected the agent of the step alone", "leave it out");
  const { callThrough } = await import("@bylaw/host-mcp");
  const { error, answer } = await callThrough(door, tool, args);
  const said = (answer ?? {}) as {
    readonly rules?: Rules;
    readonly code?: BylawError["code"];
    readonly message?: string;
    readonly fix?: string;
  };
  if (error)
    throw new BylawError({
      code: said.code ?? "BYLAW_CONSTITUTION_INVALID",
      message: said.message ?? "Unexpected rule",
      ...present({ fix: said.fix }),
    });
  return said.rules ?? [];
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
    return constitutionOf({ view: (() => state) as Run["view"] });
  });
}

async function asOperator(
  options: ConstitutionOptions,
  token: string | undefined,
  what: string,
  work: (plugins: RunKernel["plugins"], run: Run, who: RuleAuthor) => Promise<Rules>,
): Promise<Rules> {
  const { store = STORE, config } = options;
  const name = runOf(options);
  const { kernel, file, plugins } = await kernelOf(undefined, config);
  const who = answererOf(file ?? resolve("bylaw.config"), options.by, token);
  const place = storePlace(store);
  await withReader(place, async (reader) => {
    if ((await reader.events(name, 0, 1)).length === 0) throw await noSuchRun(reader, name);
  });
  if (who.ask && !(await confirmed(`${plain(what)}, as ${plain(who.by)}\nType yes to go on: `)))
    throw unauthorized("Unexpected answer at the terminal, expected `yes`", "nothing was recorded");
  return withStore(place, { create: false }, async (opened) => {
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
  throw usageError("Unexpected absence of `--run`, expected the name of a run", "`bylaw log runs` lists them");
}

const MOST = 1_048_576;

async function readInput(file: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of openInput(file)) {
      size += chunk.length;
      if (size > MOST) throw usageError(`Unexpected rules of more than ${MOST} bytes, expected fewer`);
      chunks.push(chunk);
    }
  } catch (error) {
    const fault = inputFault(error);
    throw fault === undefined ? error : usageError(`Unexpected ${fault} \`${plain(file)}\`, expected a JSON list of rules`);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function jsonOf(text: string, flag: string): Json {
  try {
    return parseJson(text);
  } catch {
    throw usageError(`Unexpected value of \`${flag}\`, expected JSON`);
  }
}

async function told(rules: Rules, { json = false }: ConstitutionOptions): Promise<void> {
  const lines = rules.map(({ id, rule, check, author, by }) => {
    const held = isJsonObject(check) ? `, checked: ${JSON.stringify(check)}` : "";
    return `${plain(`${id}  ${rule.replaceAll(/\s+/g, " ")} (${author} ${by}${held})`)}\n`;
  });
  await write(json ? jsonLine({ rules }) : lines.join("") || "no rule holds\n");
  conclude(0);
}
