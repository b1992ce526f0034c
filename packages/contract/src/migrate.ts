import { quote } from "@bylaw/wording";
import { isMap, isScalar, isSeq, parseDocument, visit, type Document, type Node } from "yaml";
import { lastWork, unconstrainedWriter } from "./analyse/tools.ts";
import { rejections } from "./analyse/graph.ts";
import type { Subject } from "./analyse/subject.ts";
import { Findings } from "./findings.ts";
import type { ProposedTestCommand } from "./detect-tests.ts";
import { leftToDo } from "./left-to-do.ts";
import { ContractError, type ContractFinding } from "./finding.ts";
import { analyse, lintContract, type ContractOptions } from "./load.ts";

/** A contract in the form `bylaw: 1`. */
export interface Migration {
  readonly text: string;
  /** The changes, one sentence each. Empty if the contract already had this form. */
  readonly changes: readonly string[];
  /** The errors and warnings that are left. */
  readonly findings: readonly ContractFinding[];
  /** The steps that people must take before agents work under it, one sentence each. */
  readonly todo: readonly string[];
}

/** Facts that are not in the text. */
export interface MigrationOptions extends ContractOptions {
  /** The test command of the project, for a contract without one. */
  readonly testCommand?: ProposedTestCommand | undefined;
}

/**
 * Converts a contract of the original form to `bylaw: 1`, and repairs each fault that has only one
 * possible repair. Comments and the order of keys stay. Throws `ContractError` for text that is not
 * a contract.
 */
export function migrateContract(
  input: string | Uint8Array,
  file: string,
  options: MigrationOptions = {},
): Migration {
  const collected = new Findings(file);
  const analysed = analyse(input, options, collected);
  const beyond = collected
    .list()
    .some(({ severity, code }) => severity === "error" && code !== "tests_unobservable");
  if (analysed === undefined || beyond) throw new ContractError(collected.list());
  const given = (typeof input === "string" ? input : Buffer.from(input).toString("utf8")).replace(
    /^\ufeff/,
    "",
  );
  const todo = leftToDo(analysed.subject);
  const lacking = collected.list().some(({ code }) => code === "tests_unobservable");
  const proposed = lacking ? options.testCommand : undefined;
  if (!collected.original && proposed === undefined)
    return { text: given, changes: [], findings: collected.list(), todo };
  const document = parseDocument(given, { version: "1.2", schema: "core", uniqueKeys: false });
  const changes = [
    ...(collected.original ? repair(document, analysed.subject) : []),
    ...(proposed === undefined ? [] : addTests(document, proposed)),
  ];
  const printed = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  const text = given.includes("\r\n") ? printed.replace(/\r?\n/g, "\r\n") : printed;
  const { findings } = lintContract(text, file, options);
  const check =
    proposed === undefined
      ? []
      : [
          `Check that \`${proposed.argv.join(" ")}\` runs the tests of the project: agents are judged by it`,
        ];
  return { text, changes, findings, todo: [...check, ...todo] };
}

function addTests(
  document: Document,
  { source, ...command }: ProposedTestCommand,
): readonly string[] {
  const { contents } = document;
  if (!isMap(contents)) return [];
  const pair = document.createPair("test_command", node(document, command));
  const place = contents.items.findIndex(({ key }) => isScalar(key) && key.value === "transitions");
  contents.items.splice(place + 1, 0, pair);
  return [`added \`test_command: ${command.argv.join(" ")}\`, because of \`${source}\``];
}

/** Each one repairs one kind of fault and returns its changes. */
const REPAIRS = [nameSchemas, limitWriters, limitLastWork, dropSecondSpawns, addWaysBack] as const;

function repair(document: Document, subject: Subject): readonly string[] {
  const changes = REPAIRS.flatMap((each) => each(document, subject));
  prependForm(document);
  return ["added `bylaw: 1`", ...changes];
}

function nameSchemas(document: Document, { data, phases }: Subject): readonly string[] {
  const schemas = data.schemas ?? {};
  return phases.flatMap(({ id, at, required_artifacts: artifacts = [] }) =>
    artifacts.flatMap(({ schema: ref }, index) => {
      const base = ref?.split("/").at(-1);
      if (
        ref === undefined ||
        base === undefined ||
        ref === base ||
        !Object.hasOwn(schemas, base) ||
        Object.hasOwn(schemas, ref)
      )
        return [];
      setScalar(document, [...at, "required_artifacts", index, "schema"], base);
      return [
        `named the inline schema ${quote(base)} in ${quote(id)} in place of the file ${quote(ref)}`,
      ];
    }),
  );
}

function limitWriters(document: Document, { phases }: Subject): readonly string[] {
  return phases.flatMap((phase) => {
    const [open, bound] = unconstrainedWriter(phase);
    if (open === undefined || bound === undefined) return [];
    document.setIn(
      [...phase.at, "tool_constraints", open],
      node(document, phase.tool_constraints?.[bound]),
    );
    return [`limited ${quote(open)} in ${quote(phase.id)} to the paths of ${quote(bound)}`];
  });
}

function limitLastWork(document: Document, subject: Subject): readonly string[] {
  return lastWork(subject).flatMap(({ phase, tool }) => {
    if (tool !== "bash" || !phase.allowed_tools.includes("git_commit")) return [];
    document.setIn(
      [...phase.at, "tool_constraints", "bash"],
      node(document, { allowed_commands: GIT }),
    );
    return [
      `limited ${quote("bash")} in ${quote(phase.id)} to git commands, because nothing reviews work there`,
    ];
  });
}

function dropSecondSpawns(document: Document, { phases, edges }: Subject): readonly string[] {
  const spawning = new Set(
    phases.flatMap(({ id, auto_spawn: spawns = [] }) =>
      spawns.some(({ agent_type }) => agent_type === "review") ? [id] : [],
    ),
  );
  return edges.flatMap(({ to, triggers = [], at }) => {
    const found = spawning.has(to)
      ? triggers.findIndex(({ action }) => action === "spawn_review_agents")
      : -1;
    if (found === -1) return [];
    document.deleteIn(triggers.length === 1 ? [...at, "triggers"] : [...at, "triggers", found]);
    return [`removed the trigger for reviewers that ${quote(to)} already spawns`];
  });
}

function addWaysBack(document: Document, subject: Subject): readonly string[] {
  const list = document.get("transitions");
  // Backwards, so that the places of earlier parts do not move.
  return rejections(subject)
    .toReversed()
    .flatMap(({ phase, gate, back, at }) => {
      const [to] = back;
      const index = Number(at.at(-1));
      if (to === undefined || !isSeq(list)) return [];
      const transition = node(document, {
        from: phase,
        to,
        gate,
        when: "rejected",
        ...(isTokenless(subject) ? {} : { requires_token: true }),
      });
      transition.spaceBefore = true;
      list.items.splice(index + 1, 0, transition);
      return [
        `added the way back from ${quote(phase)} to ${quote(to)} when ${quote(gate)} rejects`,
      ];
    });
}

const GIT = ["git status", "git diff", "git log", "git add", "git commit"];

const isTokenless = ({ data }: Subject): boolean =>
  data.enforcement.phase_tokens?.enabled === false;

function setScalar(document: Document, path: readonly (string | number)[], value: string): void {
  const found = document.getIn(path, true);
  if (isScalar(found)) found.value = value;
  else document.setIn(path, value);
}

// In quotes, as in the original.
function node(document: Document, value: unknown): Node {
  const made = document.createNode(value) as Node;
  visit(made, {
    Scalar(key, scalar) {
      if (key !== "key" && typeof scalar.value === "string") scalar.type = "QUOTE_DOUBLE";
    },
  });
  return made;
}

// A comment at the top of the file stays at the top.
function prependForm(document: Document): void {
  const { contents } = document;
  if (!isMap(contents)) return;
  const [first] = contents.items;
  const pair = document.createPair("bylaw", 1);
  if (isScalar(first?.key) && typeof first.key.commentBefore === "string" && isScalar(pair.key)) {
    pair.key.commentBefore = first.key.commentBefore;
    delete first.key.commentBefore;
  }
  contents.items.unshift(pair);
}
