import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The parts of a package.json that the build reads. */
export interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
}

export const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;

/** The folder of the package that contains a file. */
export function packageOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json")) && manifestIn(folder).name !== undefined)
      return folder;
  }
  throw new Error(`\`${file}\` is in no package`);
}
