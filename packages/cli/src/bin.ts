#!/usr/bin/env node
// The exit code is the verdict, so a process that ends early must not look like an allow.
process.exitCode = 2;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const [first] = process.argv.slice(2);

if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `error BYLAW_NODE_UNSUPPORTED: Bylaw needs Node 22.13 or later; this is ${process.version}`,
  );
  console.error("  fix: install a newer Node, or start bylaw with one: /path/to/node bylaw …");
} else if (first === "--version" || first === "-V") {
  void import("node:fs").then(({ readFileSync }) => {
    const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    console.log((JSON.parse(manifest) as { version: string }).version);
    process.exitCode = 0;
  });
} else {
  // INVARIANT: nothing above is imported that could fail on an older Node. Compiled code is kept in the folder of the package and
  // nowhere else: anyone who can write there can change the program itself (docs/decisions/0082-compiled-code-beside-the-program.md).
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const compiled = fileURLToPath(new URL("../compiled", import.meta.url));
  process.getBuiltinModule("node:module").enableCompileCache(compiled);
  // Not awaited, because Node prints its own message if an awaited promise never settles.
  import("./main.ts").then(
    ({ main }) => main(process.argv.slice(2), { alone: true }),
    // Node would exit with 1, which lets a call pass on some hosts.
    (error: unknown) => {
      console.error(`error BYLAW_COMMAND_FAILED: Bylaw cannot be loaded: ${String(error)}`);
      console.error("  fix: install it again");
    },
  );
}
