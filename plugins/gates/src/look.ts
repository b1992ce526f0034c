import { isAbsolute } from "node:path";
import type { Contract } from "@bylaw/contract";
import { commitBase, commitState, contractTree, type Tree } from "@bylaw/evidence";
import { messageOf, type JsonObject, type Transition } from "@bylaw/kernel";
import { pathsIn } from "./checks/named-files.ts";
import type { Compiled } from "./compile.ts";
import { lookAt } from "./file-facts.ts";
import { UNSEEN_BASE } from "./recorded-work.ts";
import { COMMIT_TESTED } from "./tested-commit.ts";
import { TREE_UNCHANGED } from "./tested-tree.ts";
import { needsTestRun, type Edge } from "./edges.ts";

const TESTS: ReadonlySet<string> = new Set([
  ...[
    "tests_exist",
    "tests_exist_for_acceptance_criteria",
    "tests_cover_acceptance_criteria",
    "tests_are_meaningful",
  ],
]);
const COMMITS: ReadonlySet<string> = new Set([COMMIT_TESTED]);
const CODE: ReadonlySet<string> = new Set([
  "implementation_exists",
  "matches_plan",
  "no_commented_out_code",
]);

/**
 * Collects what the checks of a transition need from the workspace: the files its artifacts name,
 * and the digest if tests or approvers are involved. The host names the workspace, never the agent.
 */
export async function look(
  request: Transition,
  compiled: Compiled,
  folder: string,
): Promise<JsonObject | undefined> {
  const { from, to, artifacts, host } = request;
  const named = host?.["workspace"];
  const workspace = typeof named === "string" && isAbsolute(named) ? named : folder;
  // Before the first phase, no work exists that could have been committed.
  if (from === undefined) return compiled.observes ? baseOf(workspace, compiled) : undefined;
  const edges = compiled.edges(from, to);
  const requirements = edges.flatMap((edge) => edge.requirements);
  const asked = (names: ReadonlySet<string>): boolean =>
    requirements.some(({ check }) => names.has(check.check));
  const [tests, code, runs] = [asked(TESTS), asked(CODE), edges.some(isAboutTree)];
  const tree = runs && compiled.observes;
  const commit = compiled.observes && asked(COMMITS);
  if (!tests && !code && !tree && !commit) return undefined;
  const paths = [
    ...(tests ? pathsIn(artifacts["test_files"], "test_files") : []),
    ...(code ? pathsIn(artifacts["implementation_files"], "files_changed") : []),
  ];
  return {
    ...lookAt(workspace, paths),
    ...(tree || commit ? await treeOf(workspace, compiled, { commit }) : {}),
  };
}

const isAboutTree = ({ gate, requirements }: Edge): boolean =>
  (gate !== undefined && gate.quorum > 0) ||
  requirements.some((one) => one.check.check === TREE_UNCHANGED || needsTestRun(one));

async function treeOf(
  workspace: string,
  { contract }: Compiled,
  { commit }: { readonly commit: boolean },
): Promise<JsonObject> {
  try {
    const tree = await contractTree(contract, workspace);
    return { tree: tree.digest, ...(commit ? await commitOf(contract, tree) : {}) };
  } catch (error) {
    return { tree_problem: `The workspace cannot be read: ${messageOf(error)}` };
  }
}

// `commit` is recorded with the transition; differences only if they block it.
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
    // The starting commit is unknown, so the whole of a later commit is compared.
    return { commit: { ...UNSEEN_BASE } };
  }
}
