import { rmSync } from "node:fs";
import { BylawError, type Json } from "@bylaw/kernel";
import type { Host } from "../host.ts";
import {
  commandIn,
  commandInText,
  isIntact,
  withHooks,
  withoutHooks,
  withoutSettings,
} from "./hook-entries.ts";
import { readFor } from "./jsonc.ts";
import { readSettings, writeSettings } from "./settings-text.ts";

/** The result of an installation or a removal. */
export interface InstallResult {
  readonly file: string;
  readonly state: "installed" | "updated" | "unchanged" | "removed" | "absent";
  /** The copy of the original file. */
  readonly backup?: string;
}

const backupOf = (file: string): string => `${file}.bylaw-backup`;

/**
 * Adds the hooks of a host to a settings file and keeps a copy of the original next to it. Everything else in the file stays.
 * Installing twice changes nothing. A new file gets `mode`. Throws BYLAW_HOST_FILE_INVALID and BYLAW_HOST_FILE_UNWRITABLE.
 */
export function installHooks(
  host: Host,
  file: string,
  command: string,
  mode = 0o600,
): InstallResult {
  const text = readSettings(file);
  const own = host.ownFile?.(file, command);
  if (own !== undefined) return installOwn(host, { file, own, text, mode });
  const settings = valueOf(text, file, host);
  const present = commandIn(settings, host) !== undefined;
  if (present && commandIn(settings, host) === command && isIntact(settings, host, command))
    return { file, state: "unchanged" };
  const plain = present && text !== undefined ? withoutHooks(text, file, host) : text;
  const wanted = withHooks(plain, file, host, command);
  const backup = backupOf(file);
  if (!present && text !== undefined) writeSettings(backup, text);
  writeSettings(file, wanted, mode);
  if (text === undefined) rmSync(backup, { force: true });
  const kept = text === undefined ? {} : { backup };
  return { file, state: present ? "updated" : "installed", ...kept };
}

/**
 * Removes the hooks of a host from a settings file. If nobody changed the file since, the original bytes are restored; otherwise
 * only our hooks are removed. Throws the errors of {@link installHooks}.
 */
export function uninstallHooks(host: Host, file: string): InstallResult {
  const text = readSettings(file);
  if (host.ownFile?.(file, "") !== undefined) {
    const own = text === undefined ? undefined : commandInText(text, host);
    if (own === undefined) return { file, state: "absent" };
    if (host.ownFile(file, own) !== text)
      throw foreignFault(file, "Remove the hook of Bylaw from it yourself");
    rmSync(file);
    return { file, state: "removed" };
  }
  const command = commandIn(valueOf(text, file), host);
  if (text === undefined || command === undefined) return { file, state: "absent" };
  const backup = backupOf(file);
  const before = readSettings(backup);
  if (withHooks(before, file, host, command) === text) {
    if (before === undefined) rmSync(file);
    else writeSettings(file, before);
    rmSync(backup, { force: true });
    return { file, state: "removed" };
  }
  writeSettings(file, withoutSettings(withoutHooks(text, file, host), file, host, before));
  return { file, state: "removed", ...(before === undefined ? {} : { backup }) };
}

interface OwnFile {
  readonly file: string;
  readonly own: string;
  readonly text: string | undefined;
  readonly mode: number;
}

function installOwn(host: Host, { file, own, text, mode }: OwnFile): InstallResult {
  if (text === own) return { file, state: "unchanged" };
  const before = text === undefined ? undefined : commandInText(text, host);
  const isOurs = before !== undefined && host.ownFile?.(file, before) === text;
  if (text !== undefined && text.trim() !== "" && !isOurs)
    throw foreignFault(file, `Add this to it yourself:\n${own}`);
  writeSettings(file, own, mode);
  return { file, state: isOurs ? "updated" : "installed" };
}

const foreignFault = (file: string, fix: string): BylawError =>
  new BylawError({
    code: "BYLAW_HOST_FILE_INVALID",
    message: `Bylaw did not write ${file}, or somebody changed it, so Bylaw does not change it`,
    fix,
    source: { file },
  });

const valueOf = (text: string | undefined, file: string, host?: Host): Json =>
  text === undefined || text.trim() === "" ? null : readFor(host, text, file).value;
