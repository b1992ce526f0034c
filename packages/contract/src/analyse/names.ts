import { quote, quoteAll } from "@bylaw/wording";
import type { FindingCode } from "../finding-codes.ts";
import { suggestFix } from "../suggest-fix.ts";
import { ARTIFACT_RULES, COMPLETED_PHASE, GATE_CHECKS } from "../words.ts";
import type { Subject } from "./subject.ts";

/** Finds repeated names, and names that refer to nothing. */
export function analyseNames(subject: Subject): void {
  analysePhaseNames(subject);
  analyseTransitionNames(subject);
  const used = new Set([...analyseCheckNames(subject), ...analyseRuleNames(subject)]);
  analyseDeclaredChecks(subject, used);
}

/** Returns a function that reports a name when it comes a second time. */
function twiceIn({ report }: Subject, code: FindingCode, noun: string, fix: string) {
  const seen = new Set<string>();
  return (name: string, at: readonly (string | number)[], shown = name): void => {
    if (seen.has(name)) report(code, at, `The ${noun} ${quote(shown)} is given twice`, fix);
    seen.add(name);
  };
}

function analysePhaseNames(subject: Subject): void {
  const { phases, gates, report } = subject;
  const phaseTwice = twiceIn(
    subject,
    "duplicate_phase",
    "phase",
    "Give each phase an id of its own",
  );
  for (const { id, at } of phases) {
    phaseTwice(id, [...at, "id"]);
    if (id === COMPLETED_PHASE)
      report(
        "reserved_phase",
        [...at, "id"],
        `The phase id ${quote(COMPLETED_PHASE)} is reserved for completed tasks`,
        "Give it an id of its own",
      );
  }
  const gateTwice = twiceIn(
    subject,
    "duplicate_gate",
    "gate",
    "Give each gate an id of its own: transitions name gates by id alone",
  );
  for (const { id, at } of gates) gateTwice(id, [...at, "id"]);
}

function analyseTransitionNames(subject: Subject): void {
  const { phases, gates, transitions, report } = subject;
  const edgeTwice = twiceIn(subject, "duplicate_transition", "transition", "Remove one of them");
  for (const { from, to, when = "passed", at } of transitions)
    edgeTwice(JSON.stringify([from, to, when]), at, `${from} → ${to}`);

  const phaseIds = phases.map(({ id }) => id);
  const gateIds = gates.map(({ id }) => id);
  for (const { from, to, gate, at } of transitions) {
    for (const [key, id] of [
      ["from", from],
      ["to", to],
    ] as const) {
      if (phaseIds.includes(id)) continue;
      report(
        "unknown_phase",
        [...at, key],
        `Unknown phase ${quote(id)}; the contract has ${quoteAll(phaseIds)}`,
        suggestFix(id, phaseIds),
      );
    }
    if (gate !== undefined && !gateIds.includes(gate)) {
      report(
        "unknown_gate",
        [...at, "gate"],
        `Unknown gate ${quote(gate)}; the contract has ${quoteAll(gateIds)}`,
        suggestFix(
          gate,
          gateIds,
          "Declare it under `gates` of the phase that the transition leaves",
        ),
      );
    }
  }
}

/** The checks that a gate may name. */
const checksOf = ({ data, known }: Subject): ReadonlySet<string> =>
  new Set([...Object.keys(GATE_CHECKS), ...Object.keys(data.checks ?? {}), ...known.checks]);

/** Finds faults in the checks of gates. Returns the checks that gates name. */
function analyseCheckNames(subject: Subject): ReadonlySet<string> {
  const { gates, report } = subject;
  const checks = checksOf(subject);
  const used = new Set<string>();
  for (const { blockers = [], id: gate, at } of gates) {
    const checkTwice = twiceIn(
      subject,
      "duplicate_check",
      "check",
      `Remove one from gate ${quote(gate)}`,
    );
    for (const [index, { check }] of blockers.entries()) {
      const place = [...at, "blockers", index, "check"];
      used.add(check);
      checkTwice(check, place);
      if (!checks.has(check))
        report(
          "unknown_check",
          place,
          `Unknown check ${quote(check)}`,
          suggestFix(check, checks, "Declare it under `checks`, or add a plugin that has it"),
        );
    }
  }
  return used;
}

/** Finds faults in the rules of artifacts. Returns the rules that artifacts name. */
function analyseRuleNames(subject: Subject): ReadonlySet<string> {
  const { phases, report } = subject;
  const rules = new Set([...Object.keys(ARTIFACT_RULES), ...checksOf(subject)]);
  const used = new Set<string>();
  for (const { required_artifacts: artifacts = [], at, id: phase } of phases) {
    const artifactTwice = twiceIn(
      subject,
      "duplicate_artifact",
      "artifact",
      `Remove one from phase ${quote(phase)}`,
    );
    for (const [index, { type, validation = [] }] of artifacts.entries()) {
      const place = [...at, "required_artifacts", index];
      artifactTwice(type, [...place, "type"]);
      const ruleTwice = twiceIn(
        subject,
        "duplicate_check",
        "rule",
        `Remove one from artifact ${quote(type)}`,
      );
      for (const [number, { rule }] of validation.entries()) {
        const ruleAt = [...place, "validation", number, "rule"];
        used.add(rule);
        ruleTwice(rule, ruleAt);
        if (!rules.has(rule))
          report(
            "unknown_rule",
            ruleAt,
            `Unknown rule ${quote(rule)}`,
            suggestFix(rule, rules, "Declare it under `checks`, or express it in the schema"),
          );
      }
    }
  }
  return used;
}

function analyseDeclaredChecks({ data, report }: Subject, used: ReadonlySet<string>): void {
  for (const name of Object.keys(data.checks ?? {})) {
    if (Object.hasOwn(GATE_CHECKS, name) || Object.hasOwn(ARTIFACT_RULES, name))
      report(
        "duplicate_check",
        ["checks", name],
        `The check ${quote(name)} has the name of another check`,
        "Rename it",
      );
    if (!used.has(name))
      report(
        "unused_check",
        ["checks", name],
        `No gate and no artifact uses the check ${quote(name)}`,
        "Name it under `blockers` of a gate, or remove it",
      );
  }
}
