import { COMPLETED_PHASE, type Phase } from "@bylaw/contract";
import { quoteAll } from "@bylaw/wording";
import { lacking, type CheckJudge, type Finding } from "./checks/check-input.ts";
import { leavesFiles } from "./tested-tree.ts";

/** The name that waives a commit that differs from what was tested. */
export const COMMIT_TESTED = "commit_tested";

/**
 * Whether an edge checks the commit: at the end of a task, and when leaving a phase that commits
 * and writes nothing else.
 */
export const needsCommitCheck = (phase: Phase, to: string): boolean =>
  to === COMPLETED_PHASE || (commits(phase) && leavesFiles(phase));

const commits = ({ allowedTools, forbiddenTools }: Phase): boolean =>
  allowedTools.includes("git_commit") && !forbiddenTools.includes("git_commit");

/**
 * The commits since the task began must hold exactly what its tests ran on. Having no commits
 * passes.
 */
export const commitTested: CheckJudge = ({ judged, base, facts }) => {
  if (judged === null) return [];
  const commit = facts?.commit ?? null;
  if (commit === null)
    return [
      lacking(
        facts?.commitProblem ??
          "The repository was not looked at, so what was committed is unknown",
        REPAIR,
      ),
    ];
  if (commit.head === base.head) return [];
  if (commit.head === null)
    return [
      stale("The commit that the task began on is no longer checked out, and no other commit is"),
    ];
  const which = `commit ${commit.head.slice(0, 12)}`;
  const findings: Finding[] = [];
  if (commit.count > 0)
    findings.push(
      stale(
        `${commit.count} file(s) in ${which} differ from what was tested: ${quoteAll(commit.differs, commit.differs.length)}`,
      ),
    );
  if (base.apart !== null && commit.apart !== base.apart)
    findings.push(
      stale(
        `${which} changes files that are not among those that the tests ran on, but ${APART}: ${
          commit.apart_files.length === 0
            ? "some are gone"
            : `it has ${quoteAll(commit.apart_files, 10)}`
        }`,
        commit.apart_files.some((path) => /^\.(?:bylaw|orchestrator)\//.test(path))
          ? `${OWN_FILES}; else ${AS_TESTED}`
          : AS_TESTED,
      ),
    );
  if (base.apart === null && commit.apart_files.length > 0)
    findings.push(
      lacking(
        `Nobody looked at the repository as the task began, so nobody knows what ${which} changes ${APART}: it has ${quoteAll(commit.apart_files, 10)}`,
        "Take those files out of the commit, or ask a person to look at them and waive `commit_tested`",
      ),
    );
  return findings;
};

const APART = "outside the workspace, ignored, or not checked out";

const REPAIR = "Repair the repository, and make sure that git is installed where Bylaw runs";

const AS_TESTED = "Commit exactly the files that were tested, or go back and run the tests again";

// A new log cannot be distinguished from code with the same name.
const OWN_FILES =
  "Take new logs and stores of Bylaw out of the commit (`git rm --cached`), and name them in a `.gitignore` in `.bylaw` or `.orchestrator`";

const stale = (detail: string, fix = AS_TESTED): Finding => ({ kind: "stale", detail, fix });
