/** The tool that a misspelt name is nearest to, where one is near. */
export function nearestTool(wrong: string, tools: readonly string[]): string | undefined {
  // Looking takes time in the square of the length.
  if (wrong.length > 100) return undefined;
  const plain = flat(wrong);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(plain.length / 3)) + 1;
  for (const tool of tools.slice(0, 500)) {
    const name = flat(tool);
    if (Math.abs(name.length - plain.length) >= least) continue;
    const edits = editsBetween(plain, name);
    if (edits >= least) continue;
    least = edits;
    best = tool;
  }
  return best;
}

// Case and separators are what models mix up first.
const flat = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

function editsBetween(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const kept = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(kept, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above.at(-1) ?? left.length;
}
