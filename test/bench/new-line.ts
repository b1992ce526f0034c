// Prints the microseconds of a short shell line and of one of 100 characters that never came before, making the line included.
// `decide.ts` starts it for each number of rules: after many repeated calls V8 allocates for long-lived data, which slows new lines.
import { createKernel } from "@bylaw/kernel";
import { policy } from "@bylaw/plugin-policy";
import { measure } from "mitata";
import { hit, LONG_LINE, policyOf, SHORT_LINE } from "./rules.ts";

const size = Number(process.argv[2]);
const kernel = createKernel({ plugins: [policy({ files: [], text: policyOf(size) })] });
const call = hit(Math.min(size - 1, 3));
let next = 0;
for (const words of [SHORT_LINE, LONG_LINE]) {
  const decide = (): unknown =>
    kernel.decidePrepared({ ...call, args: { command: `${words} ${next++}` } });
  const { p50 } = await measure(decide, { min_cpu_time: 1000e6 });
  console.log(p50 / 1e3);
}
