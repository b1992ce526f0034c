/** What a command can do, by name. This list is complete; anything else is `unknown`. */
export const EFFECT_NAMES = {
  reads: "reads files, the repository or the machine, or prints text",
  writes: "creates or changes files",
  "writes-outside":
    "creates, changes or deletes files outside the workspace and the temporary folder",
  moves: "moves or renames files, or puts them in the trash",
  deletes: "deletes files, or the changes in them",
  "delete-below":
    "deletes a folder with everything below it, or all that a search without names finds",
  "changes-repository": "changes the local repository: its index, commits, branches or stashes",
  "discards-work": "discards uncommitted work or stashes",
  "rewrites-history": "rewrites or deletes commits or unmerged branches",
  pushes: "sends commits to another repository",
  "overwrites-remote": "replaces or deletes branches or tags of another repository",
  publishes: "publishes a package or a release, or withdraws one",
  "installs-code": "installs or runs packages from outside the project",
  "queries-registry": "queries a package registry, or downloads from it without running anything",
  "runs-project": "runs code of the project: its build, tests, tasks or a script file",
  "runs-command": "runs another command of the line, which is checked separately",
  "runs-code": "runs or loads something that an option, a file or a setting names",
  "runs-inline-code": "runs code from an argument, from standard input or through a shell",
  network: "connects to another machine",
  escalates: "uses the rights of another user or changes the system",
  kills: "ends processes, services or containers",
  configures: "changes settings that later commands read",
  "handles-secrets": "prints, makes or uses secrets or environment variables",
  outlives: "starts something that continues after the session",
  destroys: "destroys data beyond recovery: databases, disks, volumes, hosted resources",
  "weakens-guards": "turns off a security control or a log, or gives everyone access",
  "powers-off": "shuts down or restarts the machine",
  unknown: "is not known: an unknown program, option, subcommand or word",
} as const;
export type EffectName = keyof typeof EFFECT_NAMES;
