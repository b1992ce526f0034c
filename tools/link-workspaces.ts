/** Links the packages of this repository that came with the last pull, so that a build finds them without another install. */
import { globSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");

for (const file of globSync("{packages,plugins,rulesets}/*/package.json", { cwd: root })) {
  const { name } = JSON.parse(readFileSync(join(root, file), "utf8")) as { readonly name: string };
  const link = join(root, "node_modules", name);
  if (isLinked(link)) continue;
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(relative(dirname(link), join(root, dirname(file))), link, "junction");
}

function isLinked(link: string): boolean {
  try {
    return readlinkSync(link) !== "";
  } catch {
    return false;
  }
}
