import { shellWord } from "../io/shell-word.ts";
import type { StorePlace } from "../log/open-store.ts";
import type { RunOptions } from "./run-options.ts";

/** The command that resumes a run, with all options that it needs. It leaves out the password of a store. */
export function resumeCommand(
  { name, template, place }: Readonly<Record<"name" | "template", string>> & { place: StorePlace },
  { store, data, config, agents, compat, controlFile, driver, lease }: RunOptions,
  outcome: string,
): string {
  const given = {
    store: store === undefined ? undefined : place.shown,
    ...{ data, config, agents, compat, "control-file": controlFile, driver, lease },
  };
  const words = [
    ...["bylaw", "run", template, "--run", name, "--resume"],
    ...(outcome === "interrupted" ? [] : ["--by", "NAME"]),
    ...Object.entries(given).flatMap(([option, value]) =>
      [value ?? []].flat().flatMap((one) => [`--${option}`, String(one)]),
    ),
  ];
  return `  go on: ${words.map(shellWord).join(" ")}`;
}
