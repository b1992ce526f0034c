// Prints the bill of materials of the published packages as CycloneDX JSON: npm run --silent sbom > bom.json
import { runtimeBom } from "./bill-of-materials.ts";

process.stdout.write(`${JSON.stringify(runtimeBom(), null, 2)}\n`);
