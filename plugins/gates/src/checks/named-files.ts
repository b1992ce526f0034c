import type { Json, JsonObject } from "@bylaw/kernel";
import { prose } from "@bylaw/wording";
import {
  artifactOf,
  field,
  isFindings,
  itemsOf,
  lacking,
  no,
  type CheckInput,
  type Finding,
} from "./check-input.ts";

const GONE: ReadonlySet<string> = new Set(["deleted", "delete", "removed", "remove"]);

/** The paths that an artifact names under a field: strings, or the `path` of objects. */
export const pathsIn = (artifact: Json | undefined, name: string): readonly string[] => [
  ...new Set(
    itemsOf(artifact, name)
      .map((item) => (typeof item === "string" ? item : field(item, "path")))
      .filter((path) => typeof path === "string"),
  ),
];

/** The paths of changes that deleted the file. */
export const deletedIn = (artifact: Json | undefined, name: string): ReadonlySet<string> =>
  new Set(
    itemsOf(artifact, name).flatMap((item) => {
      const [path, change] = [field(item, "path"), field(item, "change_type")];
      return typeof path === "string" &&
        typeof change === "string" &&
        GONE.has(change.toLowerCase())
        ? [path]
        : [];
    }),
  );

/** The reason why nothing can be said about files, if there is one. */
export function filesProblem({ facts }: Pick<CheckInput, "facts">): Finding | undefined {
  if (facts === undefined)
    return lacking(
      "The workspace was not looked at",
      "Ask within a run, which looks at the workspace",
    );
  return facts.problem === null ? undefined : lacking(facts.problem);
}

/**
 * Every file that an artifact names must exist in the workspace, and every file that it calls
 * deleted must not.
 */
export function filesAreThere(input: CheckInput, type: string, name: string): readonly Finding[] {
  const artifact = artifactOf(input.artifacts, type);
  if (isFindings(artifact)) return artifact;
  const problem = filesProblem(input);
  if (problem !== undefined) return [problem];
  const paths = pathsIn(artifact, name);
  if (paths.length === 0) return [lacking(`The artifact names no file under \`${name}\``)];
  const unnamed = itemsOf(artifact, name).length - pathsIn(artifact, name).length;
  const gone = deletedIn(artifact, name);
  return [
    ...(unnamed > 0 ? nameless(artifact, name) : []),
    ...paths.flatMap((path) => stateOf(path, gone.has(path), input)),
  ];
}

function stateOf(path: string, gone: boolean, { facts }: CheckInput): readonly Finding[] {
  const state = facts?.files.get(path)?.state ?? "not looked at";
  if (gone)
    return state === "missing"
      ? []
      : [
          no(
            `${prose(path, 200)} is listed as deleted but is ${state === "file" ? "there" : state}`,
          ),
        ];
  return state === "file"
    ? []
    : [no(`${prose(path, 200)} is ${state}`, "Give each file as a path in the workspace")];
}

function nameless(artifact: JsonObject, name: string): readonly Finding[] {
  const wrong = itemsOf(artifact, name).filter(
    (item) => typeof (typeof item === "string" ? item : field(item, "path")) !== "string",
  );
  return wrong.length === 0 ? [] : [no(`${wrong.length} item(s) of \`${name}\` have no path`)];
}
