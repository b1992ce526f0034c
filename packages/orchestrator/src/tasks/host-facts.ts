import type { JsonObject } from "@bylaw/kernel";

/** The facts about a request for plugins, under the names that they look for. */
export function hostFacts(
  { workspaceOf }: { readonly workspaceOf: (task: string) => string },
  held: { readonly task: string; readonly token: string; readonly fence: number | undefined },
): JsonObject {
  const { task, token, fence } = held;
  const workspace = workspaceOf(task);
  return fence === undefined ? { token, workspace } : { token, fence, workspace };
}
