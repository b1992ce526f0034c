import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readCases } from "../cases/case-file.ts";
import type { PolicyBench } from "../cases/policy-bench.ts";
import { defaultsFrom } from "../decide/call-options.ts";
import { distinctFiles } from "../io/distinct-files.ts";
import { casesBeside } from "./accept-rule.ts";
import { configAbove } from "./policy-owner.ts";
import { fixedCases, type FixedCall } from "./rule-suggester.ts";

interface CasesOptions {
  /** Files of cases. */
  readonly cases?: readonly string[];
  readonly config?: string;
}

/** The calls of the cases that are named, and of those beside the policies in force, as rulesets bring them. */
export async function fixedCalls(
  sources: PolicyBench["sources"],
  { cases = [], config }: CasesOptions,
): Promise<readonly FixedCall[]> {
  const place = config ?? (await configAbove(process.cwd()));
  const folders = [...(place === undefined ? [] : [dirname(resolve(place))]), process.cwd()];
  const beside = sources.files.flatMap(({ file }) =>
    folders.flatMap((folder) => {
      const path = resolve(folder, file);
      return [
        ...["cases.jsonl", "cases.jsonl.gz"].map((name) => join(dirname(path), name)),
        casesBeside(path),
      ];
    }),
  );
  const found = beside.filter((file) => existsSync(file));
  const fixed: FixedCall[] = [];
  for (const file of distinctFiles([...cases, ...found]))
    fixed.push(...fixedCases(await readCases(file, defaultsFrom({ interactive: true }))));
  return fixed;
}
