import { baseName } from "../compile/program-name.ts";
import type { Rule } from "../compile/rule.ts";
import type { CallFacts } from "../match/call-facts.ts";
import { homeOf, workspaceOf } from "./call-folders.ts";
import { GlobSet } from "./glob-set.ts";
import { segmentsOf } from "./path-text.ts";
import { Place } from "./place.ts";

/** Whether a rule may be about a file, given by its absolute path. */
export type IsGuarded = (path: string) => boolean;

/** Says which files rules may be about. */
export interface FileGuards {
  /** Files that a command may be denied to read. */
  readonly reads: (command: CallFacts) => IsGuarded;
  /** Files that a command may not write without a question. */
  readonly writes: (command: CallFacts) => IsGuarded;
}

export function createFileGuards(rules: readonly Rule[]): FileGuards {
  const strict = rules.filter(({ source }) => source.effect !== "allow");
  return {
    reads: createGuard(
      strict.filter(
        ({ source, effects }) => source.effect === "deny" && effects?.has("reads") !== false,
      ),
      ({ readPaths }) => readPaths,
    ),
    writes: createGuard(
      strict.filter(({ effects }) => effects?.has("writes") !== false),
      ({ writePaths }) => writePaths,
    ),
  };
}

type PathsOf = (rule: Rule) => Rule["readPaths"];

function createGuard(rules: readonly Rule[], pathsOf: PathsOf): (command: CallFacts) => IsGuarded {
  const guards = rules.filter((rule) => pathsOf(rule) !== undefined);
  const byProgram = new Map<string, GlobSet>();
  return ({ call, part }) => {
    const program = baseName(part?.words[0]?.text ?? "");
    const folders = { workspace: workspaceOf(call), home: homeOf(call) };
    return (path) => {
      let globs = byProgram.get(program);
      if (globs === undefined) byProgram.set(program, (globs = globsFor(guards, program, pathsOf)));
      return globs.covers(new Place(segmentsOf(path)), folders);
    };
  };
}

const globsFor = (guards: readonly Rule[], program: string, pathsOf: PathsOf): GlobSet =>
  new GlobSet(() =>
    guards
      .filter(
        ({ programs }) =>
          programs?.some((one) => one.program === undefined || one.program === program) !== false,
      )
      .flatMap((rule) => pathsOf(rule)?.globs ?? []),
  );
