import { realpathSync } from "node:fs";
import { isJsonObject, type ToolCall } from "@bylaw/kernel";
import { asksForTop } from "../match/repository-top.ts";
import { repositoryAt } from "./git-index.ts";

/**
 * What the text of a line depends on: `{ top }`, the top folder that git prints in the working directory of the call. The call has to have
 * this fact before its paths are read.
 */
export function lineFacts(call: ToolCall): { readonly top: string } | undefined {
  const { args } = call;
  if (!isJsonObject(args)) return undefined;
  for (const name in args) {
    const line = args[name];
    if (typeof line !== "string" || !asksForTop(line)) continue;
    const top = topFolder(call);
    return top === undefined ? undefined : { top };
  }
  return undefined;
}

// Other names would be read differently by a shell.
const PLAIN_FOLDER = /^\/[\w./@+-]*$/;

/** The top folder that git prints in the working directory of a call. Undefined if that is not certain. */
function topFolder({ cwd }: Pick<ToolCall, "cwd">): string | undefined {
  if (cwd === undefined || realFolder(cwd) !== cwd) return undefined;
  const repository = repositoryAt(cwd);
  const top = typeof repository === "object" ? repository.top : undefined;
  return top !== undefined && PLAIN_FOLDER.test(top) ? top : undefined;
}

function realFolder(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
