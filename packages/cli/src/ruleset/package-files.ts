import { packageFiles, type PackageFile } from "@bylaw/config";
import { isJsonObject } from "@bylaw/kernel";
import { npmPack } from "./npm.ts";
import type { PackagePlace } from "./package-place.ts";

/** The files of a package after installation, in order. Throws BYLAW_RULESET_UNREADABLE. */
export const filesOf = async ({
  folder,
  installed,
}: PackagePlace): Promise<readonly PackageFile[]> =>
  packageFiles(folder, installed ? undefined : await chosenByNpm(folder));

async function chosenByNpm(folder: string): Promise<readonly string[]> {
  const { files } = await npmPack(["--dry-run"], folder);
  return (Array.isArray(files) ? files : []).flatMap((file) =>
    isJsonObject(file) && typeof file["path"] === "string" ? [file["path"]] : [],
  );
}
