// What the page of the interface is made of is handed on with the package, and not fetched by those who install it: its own package
// reports each installation to its makers.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

// Few servers show the page, and unpacked it is a third of the command.
const PACKED = ["swagger-ui.css", "swagger-ui-bundle.js"];
const NOTICES = ["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"];
const from = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const to = join(import.meta.dirname, "dist", "reference");

mkdirSync(to, { recursive: true });
for (const file of PACKED)
  writeFileSync(join(to, `${file}.gz`), gzipSync(readFileSync(join(from, file)), { level: 9 }));
for (const file of NOTICES) copyFileSync(join(from, file), join(to, file));
