import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { BylawError } from "@bylaw/kernel";

/** The file of a package that holds the signature of its digest. */
export const SIGNATURE_FILE = "ruleset.jws";

/** One file of a package. */
export interface PackageFile {
  /** The path relative to the package's folder, with slashes. */
  readonly path: string;
  /** The digest in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * Files of the package in a folder, in order. Default: all files, without those in `node_modules`. Throws BYLAW_RULESET_UNREADABLE for a
 * link or anything else that is not a regular file.
 */
export function packageFiles(
  folder: string,
  paths: readonly string[] = everyFile(folder),
): readonly PackageFile[] {
  const real = realpathSync(folder);
  return paths.toSorted().map((path) => {
    const file = join(real, path);
    // A link may lead out of the package, and npm does not install it as a link.
    if (!lstatSync(file).isFile() || realpathSync(file) !== file)
      throw new BylawError({
        code: "BYLAW_RULESET_UNREADABLE",
        message: `${path} is a link or no regular file`,
        fix: "Put the file itself into the package",
        source: { file },
      });
    return { path, sha256: createHash("sha256").update(readFileSync(file)).digest("hex") };
  });
}

/** One digest of all files except the signature: that of the lines that `sha256sum` prints for them, in the order of their paths. */
export function packageDigest(files: readonly PackageFile[]): string {
  const lines = files
    .filter(({ path }) => path !== SIGNATURE_FILE)
    .map(({ path, sha256 }) => `${sha256}  ${path}\n`);
  return `sha256:${createHash("sha256").update(lines.join("")).digest("hex")}`;
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
