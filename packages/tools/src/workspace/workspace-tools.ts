import type { CallContext, Tool } from "../tool.ts";
import { cleaned } from "./cleaned.ts";
import { editFiles } from "./files/edit-files.ts";
import { readFiles } from "./files/read-files.ts";
import { writeFiles } from "./files/write-files.ts";
import type { WorkspaceToolsOptions } from "./options.ts";
import { askUserQuestion } from "./programs/ask-user-question.ts";
import { bash } from "./programs/bash.ts";
import { gitCommit } from "./programs/git-commit.ts";
import { runTests } from "./programs/run-tests.ts";
import { glob } from "./search/glob.ts";
import { grep } from "./search/grep.ts";
import { searchCodebase } from "./search/search-codebase.ts";
import { webFetch } from "./web/web-fetch.ts";

/**
 * The tools with which agents work in the workspace of a call. They decide nothing, so ask the run before each call. File tools stay in the
 * workspace; `bash` can do what its user can. `run_tests`, `ask_user_question` and `web_fetch` are included if the options provide what
 * they need.
 */
export function workspaceTools(options: WorkspaceToolsOptions = {}): readonly Tool<CallContext>[] {
  const tools = [readFiles, writeFiles, editFiles, grep, glob, searchCodebase, bash, gitCommit].map(
    (tool) => tool(options),
  );
  if (options.runTests !== undefined) tools.push(runTests(options.runTests));
  if (options.ask !== undefined) tools.push(askUserQuestion(options.ask));
  if (options.web !== undefined) tools.push(webFetch(options.web));
  return tools.map((tool) => cleaned(tool, options));
}
