// Run by `npm run fuzz`, with many more inputs than a test can try. Arguments: the number of lines, and the seed.
import { fuzzLinks } from "./links.ts";
import { fuzzParsers } from "./parsers.ts";
import { fuzzPool } from "./pool.ts";
import { fuzzRefused } from "./refused.ts";
import { fuzzShell } from "./shell.ts";
import { fuzzToml } from "./toml.ts";

const [runs = "200000", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
if (!/^\d+$/.test(runs) || !/^\d+$/.test(seed)) {
  console.error("usage: npm run fuzz -- [LINES] [SEED]");
  process.exit(2);
}
const lines = { runs: Number(runs), seed: Number(seed) };
const fewer = { ...lines, runs: Math.ceil(lines.runs / 10) };

process.stdout.write(`seed ${seed}\nshell   ${fuzzShell(lines)}\n`);
const asked = { ...lines, runs: Math.ceil(lines.runs / 50) };

process.stdout.write(`parsers ${await fuzzParsers(lines)}\n`);
process.stdout.write(`refused ${fuzzRefused(asked)}\n`);
process.stdout.write(`toml    ${fuzzToml(fewer)}\n`);
process.stdout.write(`pool    ${fuzzPool(fewer)}\n`);
process.stdout.write(
  `links   ${await fuzzLinks({ ...lines, runs: Math.ceil(lines.runs / 100) })}\n`,
);
