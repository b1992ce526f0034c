import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { copyTree, publishable, root } from "../contract/workspaces.ts";

// Tests attack these, so they are copied: files of this tree may be shared with others.
const COPIED = ["better-sqlite3"];
const LEFT_OUT = "src deps test node_modules .turbo *.map *.d.ts *.tsbuildinfo".split(" ");

/** Installs every package of this repository into a folder as a copy. Third-party packages are linked, except those that tests attack. */
export function installInto(folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "@bylaw"), { recursive: true });
  for (const { folder: source, manifest } of publishable)
    copyTree(join(root, source), join(modules, manifest.name), LEFT_OUT);
  for (const name of COPIED) copyTree(join(root, "node_modules", name), join(modules, name));
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (["@bylaw", "create-bylaw", ".bin", ...COPIED].includes(name)) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../@bylaw/cli/dist/bin.js", join(modules, ".bin", "bylaw"));
}
