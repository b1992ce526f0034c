import type { CallFacts } from "./facts.ts";

/** Whether a call only writes known files inside the workspace, and none that governs the agent or the repository's hooks. */
export function editsOnlyWorkspace(facts: CallFacts): boolean {
  const { identity, tools } = facts;
  if (identity.kind !== "local" || tools.files.get(identity.bare)?.write === undefined) return false;
  const { known, unknown, from, workspace } = facts.paths;
  if (unknown !== undefined || from !== "table" || workspace === undefined || known.length === 0) return false;
  if (!known.some(({ access }) => access === "write")) return false;
  return known.every(({ places, aliases }) => [...places].every((place) => isOwn(place, workspace)) && aliases.every(harmless));
}

function isOwn(place: readonly string[], workspace: readonly string[]): boolean {
  if (place.length <= workspace.length || workspace.some((segment, at) => place[at] !== segment)) return false;
  return harmless(place.slice(workspace.length));
}

// Some file systems do not tell case apart, so the comparison does not either.
function harmless(place: readonly string[]): boolean {
  return place.every((segment) => {
    const name = segment.toLowerCase();
    return name !== ".git" && name !== ".bylaw" && !name.startsWith("bylaw.config.");
  });
}
