// Git commands that change neither history nor files.
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
// These write history. Its content was already on disk.
const RECORDS: ReadonlySet<string> = new Set(["commit", "push", "tag", "fetch", "branch", "notes"]);

/**
 * Whether a phase allows a git command. Unlisted subcommands may be aliases, or may write files that only a patch, a stash or a
 * branch names.
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
