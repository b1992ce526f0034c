import type { Analysis } from "./analysis.ts";
import { analyzeScript } from "./analyze-script.ts";
import { analyzePlain } from "./walk/plain-line.ts";

/** Analyzes a command line as bash would read it. Never throws. */
export function analyze(line: string): Analysis {
  return analyzePlain(line) ?? analyzeScript(line);
}
