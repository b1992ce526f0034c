import { quote, quoteAll } from "@bylaw/wording";
import type { FindingCode } from "../finding-codes.ts";
import { meant } from "../meant.ts";
import { ARTIFACT_RULES, COMPLETED, GATE_CHECKS } from "../words.ts";
import type { Subject } from "./subject.ts";

/** Names that stand twice, and names of nothing. */
export function analyseNames(subject: Subject): void {
  const { phases, gates, transitions, data, known, report } = subject;
  const twice = (code: FindingCode, noun: string, fix: string) => {
    const seen = new Set<string>();
    return (name: string, at: readonly (string | number)[], shown = name): void => {
      if (seen.has(name)) report(code, at, `Unexpected second ${noun} ${quote(shown)}, expected it once`, fix);
      seen.add(name);
    };
  };
  const phaseTwice = twice("duplicate_phase", "phase", "give each phase an id of its own");
  for (const { id, at } of phases) {
    phaseTwice(id, [...at, "id"]);
    if (id === COMPLETED)
      report(
        "reserved_phase",
        [...at, "id"],
        `Unexpected phase ${quote(COMPLETED)}, expected another id: tasks that have ended are there`,
        "give it an id of its own",
      );
  }
  const gateTwice = twice("duplicate_gate", "gate", "give each gate an id of its own: transitions name it alone");
  for (const { id, at } of gates) gateTwice(id, [...at, "id"]);
  const edgeTwice = twice("duplicate_transition", "transition", "remove one of them");
  for (const { from, to, when = "passed", at } of transitions) edgeTwice(JSON.stringify([from, to, when]), at, `${from} → ${to}`);

  const phaseIds = phases.map(({ id }) => id);
  const gateIds = gates.map(({ id }) => id);
  for (const { from, to, gate, at } of transitions) {
    for (const [key, id] of [
      ["from", from],
      ["to", to],
    ] as const) {
      if (phaseIds.includes(id)) continue;
      report("unknown_phase", [...at, key], `Unexpected phase ${quote(id)}, expected one of ${quoteAll(phaseIds)}`, meant(id, phaseIds));
    }
    if (gate !== undefined && !gateIds.includes(gate)) {
      report(
        "unknown_gate",
        [...at, "gate"],
        `Unexpected gate ${quote(gate)}, expected one of ${quoteAll(gateIds)}`,
        meant(gate, gateIds, "declare it under `gates` of the phase that is left"),
      );
    }
  }

  const declared = Object.keys(data.checks ?? {});
  const checks = new Set([...Object.keys(GATE_CHECKS), ...declared, ...known.checks]);
  const rules = new Set([...Object.keys(ARTIFACT_RULES), ...checks]);
  const used = new Set<string>();
  for (const { blockers = [], id: gate, at } of gates) {
    const checkTwice = twice("duplicate_check", "check", `remove one of gate ${quote(gate)}`);
    for (const [index, { check }] of blockers.entries()) {
      const place = [...at, "blockers", index, "check"];
      used.add(check);
      checkTwice(check, place);
      if (!checks.has(check))
        report(
          "unknown_check",
          place,
          `Unexpected check ${quote(check)}, expected one that is implemented`,
          meant(check, checks, "declare it under `checks`, or add a plugin that has it"),
        );
    }
  }
  for (const { required_artifacts: artifacts = [], at, id: phase } of phases) {
    const artifactTwice = twice("duplicate_artifact", "artifact", `remove one of phase ${quote(phase)}`);
    for (const [index, { type, validation = [] }] of artifacts.entries()) {
      const place = [...at, "required_artifacts", index];
      artifactTwice(type, [...place, "type"]);
      const ruleTwice = twice("duplicate_check", "rule", `remove one of artifact ${quote(type)}`);
      for (const [number, { rule }] of validation.entries()) {
        const ruleAt = [...place, "validation", number, "rule"];
        used.add(rule);
        ruleTwice(rule, ruleAt);
        if (!rules.has(rule))
          report(
            "unknown_rule",
            ruleAt,
            `Unexpected rule ${quote(rule)}, expected one that is implemented`,
            meant(rule, rules, "declare it under `checks`, or say it in the schema"),
          );
      }
    }
  }
  for (const name of declared) {
    if (Object.hasOwn(GATE_CHECKS, name) || Object.hasOwn(ARTIFACT_RULES, name))
      report(
        "duplicate_check",
        ["checks", name],
        `Unexpected check ${quote(name)} under a name that is taken, expected a new name`,
        "rename it",
      );
    if (!used.has(name))
      report(
        "unused_check",
        ["checks", name],
        `Unexpected check ${quote(name)} that no gate and no artifact names, expected one that does`,
        "name it under `blockers` of a gate, or remove it",
      );
  }
}
