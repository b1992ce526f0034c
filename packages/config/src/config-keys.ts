import type { Config } from "@bylaw/kernel";

const ALL: Readonly<Record<keyof Config, true>> = {
  extends: true,
  without: true,
  plugins: true,
  fallback: true,
  approval_mode: true,
  enforcement_mode: true,
  deadline_ms: true,
};

export const CONFIG_KEYS: readonly string[] = Object.keys(ALL);
