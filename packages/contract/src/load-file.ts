import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, relative, resolve, isAbsolute } from "node:path";
import { BylawError, messageOf } from "@bylaw/kernel";
import { ContractError } from "./finding.ts";
import { lintContract, type ContractOptions, type ContractReport } from "./load.ts";
import { detectTests } from "./detect-tests.ts";
import { migrateContract, type Migration, type MigrationOptions } from "./migrate.ts";
import type { Contract } from "./model.ts";
import { MAX_CONTRACT_BYTES } from "./source.ts";

/**
 * Loads the contract in a file, with its schema files. Throws `ContractError` or
 * BYLAW_CONTRACT_UNREADABLE.
 */
export function loadContract(file: string, options: ContractOptions = {}): Contract {
  const { contract, findings } = lintContractFile(file, options);
  if (contract === undefined) throw new ContractError(findings);
  return contract;
}

/**
 * Migrates the contract in a file to the newest form, with a test command that fits the project:
 * `project`, or else the folder of the file. Throws `ContractError` or BYLAW_CONTRACT_UNREADABLE.
 */
export function migrateContractFile(
  file: string,
  { project, ...options }: MigrationOptions & { readonly project?: string | undefined } = {},
): Migration {
  const folder = dirname(resolve(file));
  return migrateContract(readContractFile(file), file, {
    readSchema: (path) => schemaText(folder, path),
    testCommand: detectTests(project ?? folder),
    ...options,
  });
}

/** Lints the contract in a file, with its schema files. Throws BYLAW_CONTRACT_UNREADABLE. */
export function lintContractFile(file: string, options: ContractOptions = {}): ContractReport {
  const bytes = readContractFile(file);
  const folder = dirname(resolve(file));
  return lintContract(bytes, file, { readSchema: (path) => schemaText(folder, path), ...options });
}

// Reads at most one byte more than the limit. Throws BYLAW_CONTRACT_UNREADABLE for anything that is
// not a regular file.
function readContractFile(file: string): Uint8Array {
  try {
    const bytes = readRegular(file);
    if (bytes !== undefined) return bytes;
  } catch (cause) {
    const missing = ["ENOENT", "ENOTDIR"].includes((cause as NodeJS.ErrnoException).code ?? "");
    throw new BylawError({
      code: "BYLAW_CONTRACT_UNREADABLE",
      message: missing ? "File not found" : `Cannot read the contract: ${messageOf(cause)}`,
      fix: "Check the path",
      source: { file },
      cause,
    });
  }
  throw new BylawError({
    code: "BYLAW_CONTRACT_UNREADABLE",
    message: "The contract must be a regular file, not a folder, pipe or device",
    fix: "Name a regular file",
    source: { file },
  });
}

// Opening a pipe would wait for its writer. So the kind of file is checked before opening, and
// again afterwards, because the file may have been replaced in between.
function readRegular(file: string): Uint8Array | undefined {
  if (!statSync(file).isFile()) return undefined;
  const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(handle).isFile()) return undefined;
    const bytes = new Uint8Array(MAX_CONTRACT_BYTES + 1);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got)
      got = readSync(handle, bytes, length, bytes.length - length, null);
    return bytes.subarray(0, length);
  } finally {
    closeSync(handle);
  }
}

/** Reads a schema file below the folder; links are followed. Undefined for any other file. */
function schemaText(folder: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(folder, path));
    const below = relative(realpathSync(folder), real);
    if (below.startsWith("..") || isAbsolute(below)) return undefined;
    const bytes = readRegular(real);
    return bytes === undefined || bytes.length > MAX_CONTRACT_BYTES
      ? undefined
      : new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
