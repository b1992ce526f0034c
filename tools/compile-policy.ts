// Writes the compiled form of a ruleset's policy: node ../../tools/compile-policy.ts, in the folder of the ruleset.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { compiledPolicy } from "@bylaw/policy-language";

const form = compiledPolicy(readFileSync("policy.toml", "utf8"));
if (form === undefined) throw new Error("policy.toml has warnings. Fix them, then compile it");
mkdirSync("dist", { recursive: true });
writeFileSync("dist/policy.compiled.json", JSON.stringify(form));
