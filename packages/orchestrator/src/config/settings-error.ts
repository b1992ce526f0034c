import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isBylawError, parseData } from "@bylaw/config";
import { loadContract } from "@bylaw/contract";
import { BylawError, Faults } from "@bylaw/kernel";
import { CONTRACT, type Settings } from "./settings.ts";

/** Where a setting comes from. */
export type Origin = "default" | "file" | "environment" | "flag";

/** A fault of one setting. */
export interface SettingFault {
  /** Left out for a variable that belongs to no setting. */
  readonly path: readonly PropertyKey[] | undefined;
  readonly message: string;
  readonly fix: string;
}

interface Faulty {
  readonly faults: readonly SettingFault[];
  readonly origins: Readonly<Record<string, Origin>>;
  readonly file: string | undefined;
  /** The valid settings. Undefined when they do not say which contract to load. */
  readonly settings: Settings | undefined;
}

/** Reports the faults of settings. */
export class SettingsError extends BylawError {
  readonly faulty: Faulty;

  constructor(faulty: Faulty) {
    const [{ message, fix }, ...more] = faulty.faults as [SettingFault, ...SettingFault[]];
    super({
      code: "BYLAW_SETTINGS_INVALID",
      message: more.length === 0 ? message : `${message} (and ${more.length} more)`,
      fix,
      ...(faulty.file === undefined ? {} : { source: { file: faulty.file } }),
    });
    this.faulty = faulty;
  }
}

/** Throws every fault of the settings, and of the contract they name, in one error. Each has its place in its file. */
export async function throwSettingsFaults({ faulty }: SettingsError): Promise<void> {
  const { faults, origins, file, settings } = faulty;
  const data = file === undefined ? undefined : await parseData(file, readFileSync(file, "utf8"));
  const placed = faults.map(async ({ path, message, fix }) => {
    const origin = path === undefined ? "environment" : originOf(path, origins);
    const source =
      origin === "file" && path !== undefined && file !== undefined
        ? { file, ...(await data?.place(path)) }
        : { file: origin === "flag" ? "command line" : origin };
    return new BylawError({ code: "BYLAW_SETTINGS_INVALID", message, fix, source });
  });
  new Faults([...(await Promise.all(placed)), ...contractFaults(settings)]).throwAll();
}

/** Where a setting comes from. An unknown one can only come from the file. */
const originOf = (path: readonly PropertyKey[], origins: Faulty["origins"]): Origin =>
  origins[path.filter((step) => typeof step === "string").join(".")] ?? "file";

function contractFaults(settings: Settings | undefined): readonly BylawError[] {
  if (settings === undefined || settings.config !== undefined) return [];
  const file = resolve(settings.contract ?? CONTRACT);
  if (!existsSync(file)) return [];
  try {
    loadContract(file);
    return [];
  } catch (error) {
    if (isBylawError(error)) return [error];
    throw error;
  }
}
