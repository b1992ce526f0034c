import type { JsonObject } from "@bylaw/kernel";
import type { Service } from "../service/service.ts";

interface Hold {
  readonly task: string;
  readonly token: string;
  readonly fence: number | undefined;
}

/** What plugins are handed of whoever asks for something, by the names that they look for. */
export function hostFor(
  { workspaceOf }: Pick<Service, "workspaceOf">,
  { task, token, fence }: Hold,
): JsonObject {
  const workspace = workspaceOf(task);
  return fence === undefined ? { token, workspace } : { token, fence, workspace };
}
