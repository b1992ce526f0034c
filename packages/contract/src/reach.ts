export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** The nodes that can be reached from `start`, including `start`. Linear in the number of edges. */
export function reachable(start: Iterable<string>, edges: readonly Edge[]): ReadonlySet<string> {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) {
    const list = next.get(from);
    if (list === undefined) next.set(from, [to]);
    else list.push(to);
  }
  const seen = new Set(start);
  const open = [...seen];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const to of next.get(node) ?? []) {
      if (seen.has(to)) continue;
      seen.add(to);
      open.push(to);
    }
  }
  return seen;
}

export const reversed = (edges: readonly Edge[]): readonly Edge[] =>
  edges.map(({ from, to }) => ({ from: to, to: from }));
