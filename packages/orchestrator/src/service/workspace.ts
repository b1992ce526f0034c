import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";

const PLAIN = /^(?!\.)[\w.-]{1,100}$/;

/** Makes the function that knows the folder of each task: one for all, or one for each, which is made where it is not there. */
export function workspaces(folder: string, { per_task }: { readonly per_task: boolean }): (task: string) => string {
  mkdirSync(folder, { recursive: true });
  if (!per_task) return () => folder;
  const known = new Map<string, string>();
  return (task) => {
    const before = known.get(task);
    if (before !== undefined) return before;
    // Any text may be the name of a task, and not every one is that of a folder. Letter case would tell none apart on some machines.
    const name =
      PLAIN.test(task) && task === task.toLowerCase() ? task : createHash("sha256").update(task, "utf8").digest("hex").slice(0, 40);
    const path = join(folder, name);
    mkdirSync(path, { recursive: true });
    known.set(task, path);
    return path;
  };
}
