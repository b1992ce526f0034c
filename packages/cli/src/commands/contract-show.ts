import { graphMermaid, graphText, loadContract } from "@bylaw/contract";
import { usageError } from "../io/report-error.ts";
import { conclude } from "../io/exit-code.ts";
import { jsonLine, write } from "../io/output.ts";

/** The options of `bylaw contract show`. */
export interface ShowOptions {
  readonly format?: "text" | "mermaid";
  readonly json?: boolean;
}

/** Draws the phase graph of a contract. */
export async function showContract(
  file: string,
  { format, json = false }: ShowOptions,
): Promise<void> {
  if (json && format !== undefined)
    throw usageError("`--format` and `--json` cannot be given together", "Remove one");
  const contract = loadContract(file);
  await write(
    json ? jsonLine(contract) : format === "mermaid" ? graphMermaid(contract) : graphText(contract),
  );
  conclude(0);
}
