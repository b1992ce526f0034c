import { isAbsolute } from "node:path";

/**
 * A path as seen from a workspace, without what says nothing; undefined for one that may lead elsewhere: no other root, no way up, no
 * other reading on another system.
 */
export function inWorkspace(path: string): string | undefined {
  if (path === "" || path.length > 4_096 || isAbsolute(path) || /[\0\\]|^[A-Za-z]:|^~/.test(path)) return undefined;
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  return parts.length === 0 || parts.includes("..") ? undefined : parts.join("/");
}
