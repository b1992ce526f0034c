import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { publishable, root } from "../contract/workspaces.ts";

// Tests attack these, so they are copied: files of this tree may be shared with others.
const COPIED = ["better-sqlite3"];

/** Installs every package of this repository into a folder as a copy. Third-party packages are linked, except those that tests attack. */
export function installInto(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@bylaw"), { recursive: true });
  for (const { folder: source, manifest } of publishable)
    cpSync(join(root, source), join(modules, manifest.name), {
      recursive: true,
      filter: (path) =>
        !/^(?:src|test|node_modules|\.turbo)$|\.map$|\.d\.ts$|\.tsbuildinfo$/.test(basename(path)),
    });
  for (const name of COPIED)
    cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true });
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (["@bylaw", "create-bylaw", ".bin", ...COPIED].includes(name)) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../@bylaw/cli/dist/bin.js", join(modules, ".bin", "bylaw"));
}
