import { resolve } from "node:path";
import { loadContract, type Contract } from "@bylaw/contract";
import { isPlugin } from "@bylaw/kernel";

interface ContractOptions {
  readonly contract: string;
  readonly tools?: readonly string[];
  readonly checks?: readonly unknown[];
}

/** Loads the contract that the options of a plugin name in a configuration of this folder. */
export function configuredContract(options: unknown, folder: string): Contract {
  const { contract, tools = [], checks = [] } = options as ContractOptions;
  return loadContract(resolve(folder, contract), {
    tools,
    checks: checks.flatMap((check) =>
      isPlugin(check) ? [check.name] : typeof check === "string" ? [check] : [],
    ),
  });
}
