import { COMPLETED, type Phase } from "@bylaw/contract";
import { quoteAll } from "@bylaw/wording";
import { lacking, type CheckJudge, type Finding } from "./checks/check-input.ts";
import { leavesFiles } from "./tested-tree.ts";

/** What is waived where something else was committed than what was tested. */
export const COMMIT_TESTED = "commit_tested";

/** The commit that a task began on, as far as that is on record. */
export interface CommitBase {
  /** `null`: none, or nobody could look. */
  readonly head: string | null;
  /** The files of it that are in no tree; `null`: nobody could look. */
  readonly apart: string | null;
}

/** What is known where nobody could look as the task began. */
export const UNSEEN_BASE: CommitBase = Object.freeze({ head: null, apart: null });

/** Whether a way asks for what was committed: where a task ends, and out of a phase that commits and writes nothing else. */
export const asksForCommit = (phase: Phase, to: string): boolean => to === COMPLETED || (commits(phase) && leavesFiles(phase));

const commits = ({ allowedTools, forbiddenTools }: Phase): boolean =>
  allowedTools.includes("git_commit") && !forbiddenTools.includes("git_commit");

/** What was committed since the task began is what its tests ran on; where nothing was, that is so too. */
export const commitTested: CheckJudge = ({ judged, base, facts }) => {
  if (judged === null) return [];
  const commit = facts?.commit ?? null;
  if (commit === null)
    return [lacking(facts?.commitProblem ?? "The repository was not looked at, so nobody knows what was committed", REPAIR)];
  if (commit.head === base.head) return [];
  if (commit.head === null) return [stale("The commit that the task began on is checked out no longer, and no other is")];
  const which = `commit ${commit.head.slice(0, 12)}`;
  const told: Finding[] = [];
  if (commit.count > 0)
    told.push(
      stale(`${commit.count} file(s) are in ${which} not what the tests ran on: ${quoteAll(commit.differs, commit.differs.length)}`),
    );
  if (base.apart !== null && commit.apart !== base.apart)
    told.push(
      stale(
        `${which} changes files that are not among those that the tests ran on, but ${APART}: ${
          commit.apart_files.length === 0 ? "some are gone" : `it has ${quoteAll(commit.apart_files, 10)}`
        }`,
        commit.apart_files.some((path) => /^\.(?:bylaw|orchestrator)\//.test(path)) ? `${OWN_FILES}; else ${AS_TESTED}` : AS_TESTED,
      ),
    );
  if (base.apart === null && commit.apart_files.length > 0)
    told.push(
      lacking(
        `Nobody looked at the repository as the task began, so nobody knows what ${which} changes ${APART}: it has ${quoteAll(commit.apart_files, 10)}`,
        "take those files out of the commit, or let a person look at them and waive `commit_tested`",
      ),
    );
  return told;
};

const APART = "outside of the workspace, left out, or not checked out";

const REPAIR = "mend the repository, and see that git is installed where Bylaw runs";

const AS_TESTED = "commit the files as they were tested, all of them and no others, or take the way back and run the tests again";

// Nobody can tell a new log from code under its name.
const OWN_FILES =
  "take logs and stores of Bylaw that are new out of the commit (`git rm --cached`), and name them in a `.gitignore` in `.bylaw` or `.orchestrator`";

const stale = (detail: string, fix = AS_TESTED): Finding => ({ kind: "stale", detail, fix });
