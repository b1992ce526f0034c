import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findingsIn } from "./kit.ts";

interface Graph {
  readonly size: number;
  readonly edges: readonly (readonly [from: number, to: number])[];
  readonly requiring: readonly number[];
}

const graphs = fc.integer({ min: 2, max: 7 }).chain((size) =>
  fc.record<Graph>({
    size: fc.constant(size),
    edges: fc.uniqueArray(
      fc.tuple(fc.nat(size - 1), fc.nat(size - 1)).filter(([from, to]) => from !== to),
      { maxLength: 14, selector: String },
    ),
    requiring: fc.uniqueArray(fc.nat(size - 1), { maxLength: 3 }),
  }),
);

// Phase `i` requires the plan if `requiring` says so. The gate of the last phase reads the plan.
function contractOf({ size, edges, requiring }: Graph): string {
  const phases = Array.from({ length: size }, (_, index) => ({
    id: `P${index}`,
    name: "a phase",
    allowed_tools: [],
    required_artifacts: requiring.includes(index) ? [{ type: "plan_document" }] : [],
    gates:
      index === size - 1
        ? [{ id: "last", blockers: [{ check: "no_open_questions", message: "m" }] }]
        : [],
  }));
  const transitions = edges.map(([from, to]) => ({ from: `P${from}`, to: `P${to}` }));
  return JSON.stringify({ bylaw: 1, phases, transitions, enforcement: {} });
}

/**
 * Every node that a walk from `start` reaches in at most as many steps as there are nodes, by
 * trying all walks.
 */
function walked(
  start: readonly number[],
  { size, edges }: Pick<Graph, "size" | "edges">,
): ReadonlySet<number> {
  let seen = [...start];
  for (let step = 0; step < size; step++)
    seen = [...seen, ...edges.flatMap(([from, to]) => (seen.includes(from) ? [to] : []))];
  return new Set(seen);
}

const named = (text: string, code: string): readonly string[] =>
  findingsIn(text)
    .flatMap((finding) =>
      finding.code === code ? [/phase `(P\d+)`/.exec(finding.message)?.[1] ?? ""] : [],
    )
    .sort();
const names = (list: Iterable<number>): readonly string[] =>
  [...list].map((index) => `P${index}`).sort();

describe("in any graph", () => {
  it("a phase is reported as unreachable exactly if no walk reaches it", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const seen = walked([0], graph);
        expect(named(contractOf(graph), "unreachable_phase")).toEqual(
          names(Array.from({ length: graph.size }, (_, i) => i).filter((i) => !seen.has(i))),
        );
      }),
      { numRuns: 150 },
    );
  });

  it("a phase is reported as having no end exactly if a walk enters it and none leads from it to an end", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const all = Array.from({ length: graph.size }, (_, i) => i);
        const ends = all.filter((i) => graph.edges.every(([from]) => from !== i));
        const entered = walked([0], graph);
        const stuck = all.filter(
          (i) => entered.has(i) && ![...walked([i], graph)].some((j) => ends.includes(j)),
        );
        const text = contractOf(graph);
        expect(named(text, "phase_without_end")).toEqual(ends.length === 0 ? [] : names(stuck));
        expect(findingsIn(text).some(({ code }) => code === "no_end")).toBe(ends.length === 0);
      }),
      { numRuns: 150 },
    );
  });

  it("a check is reported as too early exactly if a walk to its gate passes no phase that requires its artifact", () => {
    fc.assert(
      fc.property(graphs, (graph) => {
        const last = graph.size - 1;
        // Tries every walk without a cycle.
        const around = (at: number, path: readonly number[]): boolean =>
          !graph.requiring.includes(at) &&
          (at === last ||
            graph.edges.some(
              ([from, to]) => from === at && !path.includes(to) && around(to, [...path, to]),
            ));
        expect(
          findingsIn(contractOf(graph)).some(({ code }) => code === "artifact_not_required"),
        ).toBe(around(0, [0]));
      }),
      { numRuns: 150 },
    );
  });
});
