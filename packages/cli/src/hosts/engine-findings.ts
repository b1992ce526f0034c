import { engineStatus, type EngineStatus } from "@bylaw/engine";
import { engineFolderFault, enginePlace } from "@bylaw/hook-client";
import { BIN, CLIENT, optionIn } from "./hook-command.ts";

/** The state of the engine that a hook asks. */
interface EngineFinding {
  readonly check: "engine";
  readonly ok: boolean;
  readonly message: string;
}

/** The state of each engine that an installed command asks. Commands without an engine are skipped. */
export async function engineFindings(
  commands: readonly string[],
): Promise<readonly EngineFinding[]> {
  const asking = commands.filter((command) => command.includes(CLIENT));
  const folders = new Set(asking.map((command) => optionIn(command, "engine")));
  return await Promise.all(
    [...folders].map(async (folder) => {
      const place = enginePlace({ bin: BIN, folder });
      const status = await engineStatus(place);
      if (typeof status === "object") return findingOf(status);
      const why =
        engineFolderFault(place.folder) ?? status ?? `No engine runs. Its log is ${place.log}`;
      return finding(true, `Note: each call loads the rules anew, which is slower. ${why}`);
    }),
  );
}

const finding = (ok: boolean, message: string): EngineFinding => ({ check: "engine", ok, message });

function findingOf({ version, pid, configurations }: EngineStatus): EngineFinding {
  const broken = configurations.find(({ fault }) => fault !== undefined);
  if (broken === undefined) {
    const files = configurations.map(({ config }) => config).join(", ");
    return finding(
      true,
      `The engine ${version} runs as process ${pid} with ${files || "no rules"}`,
    );
  }
  const instead =
    broken.loaded_at === undefined ? "" : `. Rules of ${broken.loaded_at} stay in force`;
  return finding(
    false,
    `The engine cannot load ${broken.config}: ${String(broken.fault)}${instead}`,
  );
}
