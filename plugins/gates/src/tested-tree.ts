import type { Phase } from "@bylaw/contract";
import type { CheckJudge } from "./checks/check-input.ts";
import { lacking } from "./checks/check-input.ts";

/** What is waived where the workspace is another than the one that was tested. */
export const TREE_UNCHANGED = "tree_unchanged";

/** Tools that look, and ask. */
export const READERS: ReadonlySet<string> = new Set(["read_files", "search_codebase", "grep", "glob", "ask_user_question", "web_fetch"]);

// What git does by these leaves the files of a workspace as they are.
const HISTORY = /^git (status|diff|log|show|add|commit|tag|push)( [^;&|<>`$\n]*)?$/;

/** Whether a phase has no tool that writes files of the workspace. What runs anything else may write anything. */
export const leavesFiles = ({ allowedTools, forbiddenTools, constraints }: Phase): boolean =>
  allowedTools.every((tool) => {
    if (READERS.has(tool) || forbiddenTools.includes(tool) || tool === "git_commit") return true;
    const commands = constraints.find((one) => one.tool === tool)?.allowedCommands;
    return tool === "bash" && commands !== undefined && commands.every((command) => HISTORY.test(command.trim()));
  });

/** The workspace is the one that an earlier gate judged by its tests, where no phase since then writes. */
export const treeUnchanged: CheckJudge = ({ tested, facts }) => {
  if (tested === null) return [];
  if (facts === undefined || facts.tree === null)
    return [lacking(facts?.treeProblem ?? "The workspace was not looked at, so nobody knows whether it is the one that was tested")];
  if (facts.tree === tested) return [];
  const detail = "The workspace is not the one that the tests ran on, and no phase since then may write to it";
  return [{ kind: "stale", detail, fix: "bring its files back as they were when the tests ran, or take the way back and run them again" }];
};
