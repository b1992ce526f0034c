import type { BundledPackages } from "@bylaw/config";
import type { Store } from "@bylaw/store";
import type { CallContext, Tool } from "@bylaw/tools";
import type { GivenSecrets } from "../config/secrets.ts";
import type { SettingsInput } from "../config/settings.ts";
import type { Log } from "../observe/logger.ts";

/** What a server is made of. */
export interface OrchestratorOptions {
  /** Those that are not as usual. */
  readonly settings?: SettingsInput;
  /** The file that they come from, which agents do not see. */
  readonly settings_file?: string | undefined;
  /** Secrets that are not in files. */
  readonly secrets?: GivenSecrets;
  /** An open store, which is not closed with the server. Default: the one that the settings name. */
  readonly store?: Store;
  /** Whether a copy of the head of the log is kept in the data folder. Default: unless the store is given. */
  readonly head_copy?: boolean;
  /** Packages that a configuration may use without installing them, by name: the URL of their entry. */
  readonly bundled?: BundledPackages;
  /** What agents may call besides the tools of the workspace, or instead of those of the same name. */
  readonly tools?: readonly Tool<CallContext>[];
  readonly log?: Log;
  /** RFC 3339, UTC. Default: the system's clock. */
  readonly now?: () => string;
}
