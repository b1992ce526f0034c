import { graphMermaid, graphText, loadContract } from "@bylaw/contract";
import { usageError } from "../fault.ts";
import { conclude } from "../outcome.ts";
import { jsonLine, write } from "../output.ts";

/** The options of `bylaw contract show`. */
export interface ShowOptions {
  readonly format?: "text" | "mermaid";
  readonly json?: boolean;
}

/** Draws the phase graph of a contract. */
export async function showContract(file: string, { format, json = false }: ShowOptions): Promise<void> {
  if (json && format !== undefined) throw usageError("Unexpected `--format` beside `--json`, expected one of both", "remove one");
  const contract = loadContract(file);
  await write(json ? jsonLine(contract) : format === "mermaid" ? graphMermaid(contract) : graphText(contract));
  conclude(0);
}
