import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { BylawError } from "@bylaw/kernel";

/** Folders in which policies are found without being named. All absolute. */
export interface Places {
  readonly admin: string;
  /** The folder of policies that the system ships. Left out: none. */
  readonly defaults?: string;
  /** Called only if the user's files count. */
  readonly user: () => string;
}

/** The places on a system. No setting or environment variable moves the admin's places. The environment can move the user's. */
export function systemPlaces(platform: NodeJS.Platform): Places {
  if (platform === "win32") return { admin: "C:\\ProgramData\\Bylaw", user };
  if (platform !== "darwin") return { admin: "/etc/bylaw", defaults: "/usr/share/bylaw", user };
  const admin = "/Library/Application Support/Bylaw";
  return { admin, defaults: `${admin}/Defaults`, user };
}

function user(): string {
  // A relative path counts as not set: XDG Base Directory Specification.
  const configured = process.env["XDG_CONFIG_HOME"] ?? "";
  const folder = isAbsolute(configured) ? configured : join(homedir(), ".config");
  if (isAbsolute(folder)) return join(folder, "bylaw");
  throw new BylawError({
    code: "BYLAW_POLICY_UNREADABLE",
    message: `The home folder \`${folder}\` is not absolute, so the user's policies cannot be found`,
    fix: "Set HOME or XDG_CONFIG_HOME to an absolute folder",
  });
}
