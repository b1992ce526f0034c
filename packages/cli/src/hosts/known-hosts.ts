import type { Host } from "@bylaw/host";
import { claudeCode, droid, qwenCode } from "@bylaw/host-claude-code";
import { codex } from "@bylaw/host-codex";
import { copilot } from "@bylaw/host-copilot";
import { geminiCli } from "@bylaw/host-gemini-cli";
import { opencode } from "@bylaw/host-opencode";
import { pi } from "@bylaw/host-pi";
import { didYouMean, quote } from "@bylaw/wording";
import { usageError } from "../io/report-error.ts";

export const HOSTS: readonly Host[] = [
  claudeCode,
  codex,
  geminiCli,
  copilot,
  qwenCode,
  droid,
  pi,
  opencode,
];

export const HOST_NAMES: readonly string[] = HOSTS.map(({ name }) => name);

/** The host with this name. Throws BYLAW_USAGE_INVALID if there is none. */
export function hostNamed(name: string): Host {
  const host = HOSTS.find((one) => one.name === name);
  if (host !== undefined) return host;
  throw usageError(
    `Unknown host ${quote(name)}`,
    didYouMean(name, HOST_NAMES) ?? `Use ${HOST_NAMES.join(", ")}`,
  );
}
