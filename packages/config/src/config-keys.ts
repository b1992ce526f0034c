import { nearest } from "@bylaw/wording";
import { BylawError, type Config } from "@bylaw/kernel";

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

/** Refuses a configuration with a key that no configuration has, and says which was probably meant. */
export function refuseUnknownKeys(config: object, file: string): void {
  const wrong = Object.keys(config).find((key) => !CONFIG_KEYS.includes(key));
  if (wrong === undefined) return;
  const near = nearest(wrong, CONFIG_KEYS);
  throw new BylawError({
    code: "BYLAW_CONFIG_INVALID",
    message: `Unknown key \`${wrong}\` in the configuration`,
    fix: near === undefined ? `Use ${CONFIG_KEYS.join(", ")}` : `Did you mean \`${near}\`?`,
    source: { file },
  });
}
