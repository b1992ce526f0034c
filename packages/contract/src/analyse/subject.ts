import type { Report } from "../findings.ts";
import type { ContractData, GateData, PhaseData, TransitionData } from "../schema.ts";
import type { Edge } from "../reach.ts";

/** A part of the contract, with its path. */
export type Located<T> = T & { readonly at: readonly (string | number)[] };

/** The input of the analysis. */
export interface Subject {
  readonly data: ContractData;
  /** The names that the contract may use without declaring them. */
  readonly known: { readonly tools: readonly string[]; readonly checks: readonly string[] };
  readonly phases: readonly Located<PhaseData>[];
  readonly gates: readonly Located<GateData & { readonly phase: string }>[];
  readonly transitions: readonly Located<TransitionData>[];
  /** The transitions whose phases both exist. */
  readonly edges: readonly (Edge & Located<TransitionData>)[];
  readonly initial: string;
  /** Whether a phase allows changes to files, by a writing tool or by a shell. */
  readonly works: (phase: PhaseData) => boolean;
  /** Reports a finding at a value. */
  readonly report: Report;
}

/** Prepares the data of a contract for the analysis. */
export function subjectOf(data: ContractData, known: Subject["known"], report: Report): Subject {
  const phases = data.phases.map((phase, index) => ({ ...phase, at: ["phases", index] }));
  const gates = phases.flatMap(({ gates = [], id, at }) =>
    gates.map((gate, index) => ({ ...gate, phase: id, at: [...at, "gates", index] })),
  );
  const transitions = data.transitions.map((transition, index) => ({
    ...transition,
    at: ["transitions", index],
  }));
  const ids = new Set(phases.map(({ id }) => id));
  const works = ({ allowed_tools, forbidden_tools = [] }: PhaseData): boolean =>
    ["write_files", "edit_files", "bash"].some(
      (tool) => allowed_tools.includes(tool) && !forbidden_tools.includes(tool),
    );
  return {
    data,
    known,
    phases,
    gates,
    transitions,
    edges: transitions.filter(({ from, to }) => ids.has(from) && ids.has(to)),
    initial: data.phases[0]?.id ?? "",
    works,
    report,
  };
}

/** The first phase with an id. */
export const phaseOf = ({ phases }: Subject, id: string): Located<PhaseData> | undefined =>
  phases.find((phase) => phase.id === id);
