// What git does by these leaves history and files as they are.
const LOOKS: ReadonlySet<string> = new Set(
  (
    "status log diff show blame annotate grep ls-files ls-tree ls-remote rev-parse rev-list describe shortlog cat-file merge-base name-rev " +
    "for-each-ref show-ref show-branch count-objects whatchanged range-diff diff-tree diff-files diff-index cherry check-ignore var version help"
  ).split(" "),
);
// The files that these write are among the effects of the command.
const PLACES: ReadonlySet<string> = new Set([
  "checkout",
  "restore",
  "rm",
  "mv",
  "init",
  "clone",
  "archive",
  "format-patch",
]);
// These write history, and what is written there was on disk before.
const RECORDS: ReadonlySet<string> = new Set(["commit", "push", "tag", "fetch", "branch", "notes"]);

/**
 * Whether a phase has room for what git does. Subcommands that are not named here may be aliases,
 * or write what only a patch, a stash or a branch knows.
 */
export function vcsAllowed(
  action: string,
  may: { readonly writes: boolean; readonly commits: boolean; readonly placed: boolean },
): boolean {
  if (LOOKS.has(action)) return true;
  if (action === "add") return may.writes || may.commits;
  if (PLACES.has(action)) return may.writes && may.placed;
  return may.commits && RECORDS.has(action);
}
