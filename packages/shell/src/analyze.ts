import type { Analysis } from "./analysis.ts";
import { analyzeScript } from "./analyze-script.ts";
import { analyzePlain } from "./walk/plain-line.ts";

/** Options of {@link analyze}. */
export interface AnalyzeOptions {
  /** The working directory, an absolute path. Without it, `$PWD` and `$(pwd)` are unknown. */
  readonly cwd?: string | undefined;
}

/** Analyzes a command line as bash would read it. Never throws. */
export function analyze(line: string, { cwd }: AnalyzeOptions = {}): Analysis {
  return analyzePlain(line) ?? analyzeScript(line, cwd);
}
