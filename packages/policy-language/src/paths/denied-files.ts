import { baseName } from "../compile/program-name.ts";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { homeOf, workspaceOf } from "./call-folders.ts";
import { GlobSet } from "./glob-set.ts";
import { segmentsOf } from "./path-text.ts";
import { Place } from "./place.ts";

/** Whether a deny may be about reading a file, given by its absolute path. */
export type IsDenied = (path: string) => boolean;

/** Returns a function that says which files may be denied to a command. */
export function createDeniedFiles(rules: readonly Rule[]): (command: CallFacts) => IsDenied {
  const denies = rules.filter(
    ({ source, readPaths, effects }) =>
      source.effect === "deny" && readPaths !== undefined && effects?.has("reads") !== false,
  );
  const byProgram = new Map<string, GlobSet>();
  return ({ call, part }) => {
    const program = baseName(part?.words[0]?.text ?? "");
    const folders = { workspace: workspaceOf(call), home: homeOf(call) };
    return (path) => {
      let globs = byProgram.get(program);
      if (globs === undefined) byProgram.set(program, (globs = globsFor(denies, program)));
      return globs.covers(new Place(segmentsOf(path)), folders);
    };
  };
}

const globsFor = (denies: readonly Rule[], program: string): GlobSet =>
  new GlobSet(() =>
    denies
      .filter(
        ({ programs }) =>
          programs?.some((one) => one.program === undefined || one.program === program) !== false,
      )
      .flatMap(({ readPaths }) => readPaths?.globs ?? []),
  );
