import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject } from "@bylaw/kernel";
import { npmPack, unreadable } from "./npm.ts";
import type { PackagePlace } from "./package-place.ts";

/** One file of a package. */
export interface PackageFile {
  /** The path relative to the package's folder, with slashes. */
  readonly path: string;
  /** The digest in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * The files of a package after installation, in order. Throws BYLAW_RULESET_UNREADABLE for a link or anything else that is not a regular
 * file.
 */
export async function filesOf({
  folder,
  installed,
}: PackagePlace): Promise<readonly PackageFile[]> {
  const paths = installed ? everyFile(folder) : await chosenByNpm(folder);
  return paths.toSorted().map((path) => {
    const file = join(folder, path);
    // A link may lead out of the package, and npm does not install it as a link.
    if (!lstatSync(file).isFile() || realpathSync(file) !== file)
      throw unreadable(`${path} is a link or no regular file`, {
        fix: "Put the file itself into the package",
        file,
      });
    return { path, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
  });
}

/** One digest of all files: that of the lines that `sha256sum` prints for them, in the order of their paths. */
export function digestOf(files: readonly PackageFile[]): string {
  const lines = files.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("");
  return `sha256:${createHash("sha256").update(lines).digest("hex")}`;
}

function everyFile(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .flatMap((entry) =>
      entry.isDirectory()
        ? everyFile(join(folder, entry.name)).map((path) => `${entry.name}/${path}`)
        : [entry.name],
    );
}

async function chosenByNpm(folder: string): Promise<readonly string[]> {
  const { files } = await npmPack(["--dry-run"], folder);
  return (Array.isArray(files) ? files : []).flatMap((file) =>
    isJsonObject(file) && typeof file["path"] === "string" ? [file["path"]] : [],
  );
}
