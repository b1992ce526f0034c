import { isAbsolute } from "node:path";

/**
 * A normalized path relative to the workspace; `undefined` if it could leave it: an absolute path,
 * a `..`, or one that another system reads differently.
 */
export function inWorkspace(path: string): string | undefined {
  if (path === "" || path.length > 4_096 || isAbsolute(path) || /[\0\\]|^[A-Za-z]:|^~/.test(path))
    return undefined;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? undefined : parts.join("/");
}
