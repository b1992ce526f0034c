// What the page of the interface is made of is handed on with the package, and not fetched by those who install it: its own package
// reports each installation to its makers.
import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FILES = [
  "swagger-ui.css",
  "swagger-ui-bundle.js",
  "swagger-ui-bundle.js.LICENSE.txt",
  "LICENSE",
  "NOTICE",
] as const;
const from = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const to = join(import.meta.dirname, "dist", "reference");

mkdirSync(to, { recursive: true });
for (const file of FILES) copyFileSync(join(from, file), join(to, file));
