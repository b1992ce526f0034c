import type { CallFacts } from "../match/call-facts.ts";
import { segmentsOf } from "./path-text.ts";
import type { Place } from "./place.ts";

/**
 * Whether a call only writes known files inside the workspace, and none that govern the agent or run by themselves:
 * hooks of the repository, jobs of continuous integration, settings of agents and editors, or a file of
 * `protectedFiles` (absolute paths).
 */
export function editsOnlyWorkspace(
  facts: CallFacts,
  protectedFiles: readonly string[] = [],
): boolean {
  const { identity, tools } = facts;
  // A shell line is never an edit, even if a configuration describes its tool as a file tool.
  if (
    identity.kind !== "local" ||
    tools.shell.has(identity.bare) ||
    tools.files.get(identity.bare)?.write === undefined
  )
    return false;
  const { known, unknown, doubtful, from, workspace } = facts.paths;
  if (
    unknown !== undefined ||
    doubtful ||
    from !== "table" ||
    workspace === undefined ||
    known.length === 0
  )
    return false;
  if (!known.some(({ access }) => access === "write")) return false;
  const held = protectedFiles.map((file) => segmentsOf(file).map(nameOf));
  return known.every(
    ({ places, all }) =>
      places.every((place) => isInside(place, workspace)) &&
      all.every(
        (place) =>
          harmless(
            isInside(place, workspace)
              ? place.segments.slice(workspace.segments.length)
              : place.segments,
          ) && !touches(place.segments, held),
      ),
  );
}

function isInside(place: Place, workspace: Place): boolean {
  return place.segments.length > workspace.segments.length && place.isBelow(workspace);
}

// A parent folder of a protected file counts too, because it can be moved or deleted.
function touches(place: readonly string[], held: readonly (readonly string[])[]): boolean {
  const names = place.map(nameOf);
  return held.some((file) => names.every((name, at) => name === file[at]));
}

const GOVERNS: ReadonlySet<string> = new Set(
  (
    ".git .bylaw .husky .githooks .gitattributes .gitmodules .envrc .claude .gemini .codex .cursor .idea .devcontainer .opencode " +
    ".qwen .factory .pi .copilot .continue .roo .windsurf .cursorrules .mcp.json mcp.json opencode.json opencode.jsonc agents.md claude.md gemini.md .gitlab-ci.yml .circleci .buildkite " +
    "jenkinsfile azure-pipelines.yml bitbucket-pipelines.yml .pre-commit-config.yaml lefthook.yml package.json node_modules .npmrc " +
    ".yarnrc.yml .pnpmfile.cjs .pypirc pip.conf .cargo"
  ).split(" "),
);

// Only some files in these folders run by themselves.
const IN_PART: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [".config", new Set(["bylaw"])],
  [".github", new Set(["workflows", "actions", "copilot", "hooks"])],
  [
    ".vscode",
    new Set(["settings.json", "tasks.json", "launch.json", "mcp.json", "extensions.json"]),
  ],
]);

// Some file systems ignore case, invisible characters and the end of a name, or know a file by a short name.
function nameOf(segment: string): string {
  return segment
    .normalize("NFKC")
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, "")
    .replace(/:.*$/s, "")
    .replace(/[.\s]+$/, "")
    .toLowerCase();
}

function harmless(place: readonly string[]): boolean {
  const names = place.map(nameOf);
  return names.every((name, at) => {
    if (GOVERNS.has(name) || name.startsWith("bylaw.config.") || /~\d/.test(name)) return false;
    const parts = IN_PART.get(name);
    const next = names[at + 1];
    return parts === undefined || (next !== undefined && !parts.has(next));
  });
}
