// The files of the reference page are copied into the package, because installing their own package reports each installation to its
// makers.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants } from "node:zlib";

// Compressed, because few servers show the page and it is a third of the size of the command.
const PACKED = ["swagger-ui.css", "swagger-ui-bundle.js"];
const NOTICES = ["swagger-ui-bundle.js.LICENSE.txt", "LICENSE", "NOTICE"];
const from = dirname(fileURLToPath(import.meta.resolve("swagger-ui-dist/package.json")));
const to = join(import.meta.dirname, "dist", "reference");

mkdirSync(to, { recursive: true });
// The highest quality takes twenty times as long and saves only another twelfth.
const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
for (const file of PACKED)
  writeFileSync(
    join(to, `${file}.br`),
    brotliCompressSync(readFileSync(join(from, file)), { params }),
  );
for (const file of NOTICES) copyFileSync(join(from, file), join(to, file));
