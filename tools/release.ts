// Publishes the packages whose version the registry does not have: npm run release
// One npm publishes them all, because starting it for each package takes longer than publishing.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { publishable, type Manifest } from "../test/contract/workspaces.ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const shell = process.platform === "win32";
const registry = execFileSync("npm", ["config", "get", "registry"], {
  cwd,
  shell,
  encoding: "utf8",
});

async function isPublished({ name, version }: Manifest): Promise<boolean> {
  const answer = await fetch(new URL(name.replace("/", "%2f"), registry.trim()));
  if (answer.status === 404) return false;
  if (!answer.ok) throw new Error(`The registry answered ${answer.status} about ${name}`);
  const { versions } = (await answer.json()) as {
    readonly versions: Readonly<Record<string, unknown>>;
  };
  return Object.hasOwn(versions, version);
}

const manifests = new Map(publishable.map(({ manifest }) => [manifest.name, manifest]));
const order = new Set<string>();
/** Adds a package after those of ours that it needs, so that it can be installed as soon as it is published. */
function add(name: string): void {
  const manifest = manifests.get(name);
  if (manifest === undefined || order.has(name)) return;
  for (const needed of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }))
    add(needed);
  order.add(name);
}
for (const name of manifests.keys()) add(name);

const missing: string[] = [];
for (const name of order) {
  const manifest = manifests.get(name);
  if (manifest !== undefined && !(await isPublished(manifest))) missing.push(name);
}
if (missing.length === 0) console.log("The registry has every version.");
else
  execFileSync(
    "npm",
    ["publish", "--access", "public", ...missing.flatMap((name) => ["--workspace", name])],
    { cwd, shell, stdio: "inherit" },
  );
