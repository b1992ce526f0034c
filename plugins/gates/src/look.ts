import { isAbsolute } from "node:path";
import { contractTree } from "@bylaw/evidence";
import { messageOf, type JsonObject, type Transition } from "@bylaw/kernel";
import { pathsIn } from "./checks/named-files.ts";
import { EVIDENCE } from "./checks/test-results.ts";
import type { Compiled } from "./compile.ts";
import { lookAt } from "./file-facts.ts";

const TESTS: ReadonlySet<string> = new Set([
  ...["tests_exist", "tests_exist_for_acceptance_criteria", "tests_cover_acceptance_criteria", "tests_are_meaningful"],
]);
const CODE: ReadonlySet<string> = new Set(["implementation_exists", "matches_plan", "no_commented_out_code"]);

/**
 * Finds out about the workspace what the checks of a transition need, before it is judged: what its artifacts name, and its digest
 * where test runs count. The workspace is the host's word, never the agent's.
 */
export async function look(request: Transition, compiled: Compiled, folder: string): Promise<JsonObject | undefined> {
  const { from, to, artifacts, host } = request;
  const demands = from === undefined ? [] : compiled.ways(from, to).flatMap((way) => way.demands);
  const asked = (names: ReadonlySet<string>): boolean => demands.some(({ check }) => names.has(check.check));
  const [tests, code, runs] = [asked(TESTS), asked(CODE), asked(EVIDENCE) || demands.some(({ declared }) => declared?.evidence === true)];
  if (!tests && !code && !runs) return undefined;
  const named = host?.["workspace"];
  const workspace = typeof named === "string" && isAbsolute(named) ? named : folder;
  const paths = [
    ...(tests ? pathsIn(artifacts["test_files"], "test_files") : []),
    ...(code ? pathsIn(artifacts["implementation_files"], "files_changed") : []),
  ];
  return {
    ...lookAt(workspace, paths),
    ...(runs && compiled.contract.evidence.testCommand !== undefined ? await treeOf(workspace, compiled) : {}),
  };
}

async function treeOf(workspace: string, { contract }: Compiled): Promise<JsonObject> {
  try {
    return { tree: (await contractTree(contract, workspace)).digest };
  } catch (error) {
    return { tree_problem: `The workspace cannot be read: ${messageOf(error)}` };
  }
}
