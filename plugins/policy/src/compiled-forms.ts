import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { isCompiledPolicy, type CompiledPolicy } from "@bylaw/policy-language";
import { userOf } from "./trust.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the compiled form in a file. Undefined if it cannot be trusted or used: a link, a file of another user or one that others
 * can write, and anything that the compiler did not write. The policy is then compiled from its text.
 */
export function readCompiledForm(path: string): CompiledPolicy | undefined {
  let handle = -1;
  try {
    handle = openSync(
      path,
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    );
    const stat = fstatSync(handle);
    if (!stat.isFile() || stat.size > MAX_BYTES || !isKept(stat)) return undefined;
    const form: unknown = JSON.parse(readFileSync(handle, "utf8"));
    return isCompiledPolicy(form) ? form : undefined;
  } catch {
    return undefined;
  } finally {
    if (handle >= 0) closeSync(handle);
  }
}

function isKept({ uid, mode }: Stats): boolean {
  const user = process.getuid?.();
  if (user === undefined) return true;
  const { owners, others } = userOf(user);
  return owners.has(uid) && (mode & others) === 0;
}
