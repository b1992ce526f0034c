import type { Phase } from "@bylaw/contract";
import type { CheckJudge } from "./checks/check-input.ts";
import { lacking } from "./checks/check-input.ts";

/** The name that waives a workspace that differs from the tested one. */
export const TREE_UNCHANGED = "tree_unchanged";

/** Tools that only read or ask. */
export const READERS: ReadonlySet<string> = new Set([
  "read_files",
  "search_codebase",
  "grep",
  "glob",
  "ask_user_question",
  "web_fetch",
]);

// Git commands that leave the workspace files unchanged.
const HISTORY = /^git (status|diff|log|show|add|commit|tag|push)( [^;&|<>`$\n]*)?$/;

/**
 * Whether no tool of a phase can write workspace files. A tool that runs programs can write
 * anything.
 */
export const leavesFiles = ({ allowedTools, forbiddenTools, constraints }: Phase): boolean =>
  allowedTools.every((tool) => {
    if (READERS.has(tool) || forbiddenTools.includes(tool) || tool === "git_commit") return true;
    const commands = constraints.find((one) => one.tool === tool)?.allowedCommands;
    return (
      tool === "bash" &&
      commands !== undefined &&
      commands.every((command) => HISTORY.test(command.trim()))
    );
  });

/** The workspace must be the one that an earlier gate tested, if no phase since then can write. */
export const treeUnchanged: CheckJudge = ({ tested, facts }) => {
  if (tested === null) return [];
  if (facts === undefined || facts.tree === null)
    return [
      lacking(
        facts?.treeProblem ??
          "The workspace was not looked at, so it may not be the one that was tested",
      ),
    ];
  if (facts.tree === tested) return [];
  const detail =
    "The workspace differs from the one that was tested, and no phase since then may write to it";
  return [
    {
      kind: "stale",
      detail,
      fix: "Restore the files as they were when the tests ran, or go back and run the tests again",
    },
  ];
};
