import type { JsonObject } from "@bylaw/kernel";
import type { Service } from "./service.ts";

/** What plugins are handed of whoever asks for something, by the names that they look for. */
export const hostFor = (
  { workspace }: Pick<Service, "workspace">,
  { token, fence }: { readonly token: string; readonly fence: number | undefined },
): JsonObject => (fence === undefined ? { token, workspace } : { token, fence, workspace });
