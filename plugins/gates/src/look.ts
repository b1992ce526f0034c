import { isAbsolute } from "node:path";
import { contractTree } from "@bylaw/evidence";
import { messageOf, type JsonObject, type Transition } from "@bylaw/kernel";
import { pathsIn } from "./checks/named-files.ts";
import { asksForRun, type Compiled, type Way } from "./compile.ts";
import { lookAt } from "./file-facts.ts";
import { TREE_UNCHANGED } from "./tested-tree.ts";

const TESTS: ReadonlySet<string> = new Set([
  ...["tests_exist", "tests_exist_for_acceptance_criteria", "tests_cover_acceptance_criteria", "tests_are_meaningful"],
]);
const CODE: ReadonlySet<string> = new Set(["implementation_exists", "matches_plan", "no_commented_out_code"]);

/**
 * Finds out about the workspace what the checks of a transition need, before it is judged: what its artifacts name, and its digest
 * where test runs count or approvers are asked. The workspace is the host's word, never the agent's.
 */
export async function look(request: Transition, compiled: Compiled, folder: string): Promise<JsonObject | undefined> {
  const { from, to, artifacts, host } = request;
  const ways = from === undefined ? [] : compiled.ways(from, to);
  const demands = ways.flatMap((way) => way.demands);
  const asked = (names: ReadonlySet<string>): boolean => demands.some(({ check }) => names.has(check.check));
  const [tests, code, runs] = [asked(TESTS), asked(CODE), ways.some(isAboutTree)];
  const tree = runs && compiled.observes;
  if (!tests && !code && !tree) return undefined;
  const named = host?.["workspace"];
  const workspace = typeof named === "string" && isAbsolute(named) ? named : folder;
  const paths = [
    ...(tests ? pathsIn(artifacts["test_files"], "test_files") : []),
    ...(code ? pathsIn(artifacts["implementation_files"], "files_changed") : []),
  ];
  return { ...lookAt(workspace, paths), ...(tree ? await treeOf(workspace, compiled) : {}) };
}

const isAboutTree = ({ gate, demands }: Way): boolean =>
  (gate !== undefined && gate.quorum > 0) || demands.some((one) => one.check.check === TREE_UNCHANGED || asksForRun(one));

async function treeOf(workspace: string, { contract }: Compiled): Promise<JsonObject> {
  try {
    return { tree: (await contractTree(contract, workspace)).digest };
  } catch (error) {
    return { tree_problem: `The workspace cannot be read: ${messageOf(error)}` };
  }
}
