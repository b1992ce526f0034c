import { isAbsolute } from "node:path";
import type { Contract } from "@bylaw/contract";
import { commitBase, commitState, contractTree, type Tree } from "@bylaw/evidence";
import { messageOf, type JsonObject, type Transition } from "@bylaw/kernel";
import { pathsIn } from "./checks/named-files.ts";
import type { Compiled } from "./compile.ts";
import { lookAt } from "./file-facts.ts";
import { COMMIT_TESTED, UNSEEN_BASE } from "./tested-commit.ts";
import { TREE_UNCHANGED } from "./tested-tree.ts";
import { asksForRun, type Way } from "./ways.ts";

const TESTS: ReadonlySet<string> = new Set([
  ...["tests_exist", "tests_exist_for_acceptance_criteria", "tests_cover_acceptance_criteria", "tests_are_meaningful"],
]);
const COMMITS: ReadonlySet<string> = new Set([COMMIT_TESTED]);
const CODE: ReadonlySet<string> = new Set(["implementation_exists", "matches_plan", "no_commented_out_code"]);

/**
 * Finds out about the workspace what the checks of a transition need, before it is judged: what its artifacts name, and its digest
 * where test runs count or approvers are asked. The workspace is the host's word, never the agent's.
 */
export async function look(request: Transition, compiled: Compiled, folder: string): Promise<JsonObject | undefined> {
  const { from, to, artifacts, host } = request;
  const named = host?.["workspace"];
  const workspace = typeof named === "string" && isAbsolute(named) ? named : folder;
  // Nothing was done yet that could have been committed.
  if (from === undefined) return compiled.observes ? baseOf(workspace, compiled) : undefined;
  const ways = compiled.ways(from, to);
  const demands = ways.flatMap((way) => way.demands);
  const asked = (names: ReadonlySet<string>): boolean => demands.some(({ check }) => names.has(check.check));
  const [tests, code, runs] = [asked(TESTS), asked(CODE), ways.some(isAboutTree)];
  const tree = runs && compiled.observes;
  const commit = compiled.observes && asked(COMMITS);
  if (!tests && !code && !tree && !commit) return undefined;
  const paths = [
    ...(tests ? pathsIn(artifacts["test_files"], "test_files") : []),
    ...(code ? pathsIn(artifacts["implementation_files"], "files_changed") : []),
  ];
  return { ...lookAt(workspace, paths), ...(tree || commit ? await treeOf(workspace, compiled, { commit }) : {}) };
}

const isAboutTree = ({ gate, demands }: Way): boolean =>
  (gate !== undefined && gate.quorum > 0) || demands.some((one) => one.check.check === TREE_UNCHANGED || asksForRun(one));

async function treeOf(workspace: string, { contract }: Compiled, { commit }: { readonly commit: boolean }): Promise<JsonObject> {
  try {
    const tree = await contractTree(contract, workspace);
    return { tree: tree.digest, ...(commit ? await commitOf(contract, tree) : {}) };
  } catch (error) {
    return { tree_problem: `The workspace cannot be read: ${messageOf(error)}` };
  }
}

// `commit` goes on record with the transition; what differs, only where it is in the way.
async function commitOf(contract: Contract, tree: Tree): Promise<JsonObject> {
  try {
    const { head, apart, ...found } = await commitState(contract, tree);
    return { commit: { head, apart }, uncommitted: { ...found } };
  } catch (error) {
    return { commit_problem: messageOf(error) };
  }
}

async function baseOf(workspace: string, { contract }: Compiled): Promise<JsonObject> {
  try {
    return { commit: { ...(await commitBase(contract, workspace)) } };
  } catch {
    // Nobody knows what it began on: then all of a later commit is compared. What a test run sees later may be committed by then.
    return { commit: { ...UNSEEN_BASE } };
  }
}
