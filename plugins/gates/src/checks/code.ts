import { prose } from "@bylaw/wording";
import { artifactOf, isFindings, lacking, no, type CheckJudge } from "./check-input.ts";
import { deletedIn, filesProblem, pathsIn } from "./named-files.ts";

export const CODE_CHECKS = {
  no_commented_out_code: (input) => {
    const changed = artifactOf(input.artifacts, "implementation_files");
    if (isFindings(changed)) return changed;
    const problem = filesProblem(input);
    if (problem !== undefined) return [problem];
    const gone = deletedIn(changed, "files_changed");
    return pathsIn(changed, "files_changed").flatMap((path) => {
      const fact = input.facts?.files.get(path);
      if (fact?.state !== "file")
        return gone.has(path)
          ? []
          : [lacking(`${prose(path, 200)} is ${fact?.state ?? "not looked at"}`)];
      return fact.commented === null
        ? []
        : [no(`${prose(path, 200)}:${fact.commented} is commented-out code`)];
    });
  },
} as const satisfies Readonly<Record<string, CheckJudge>>;
