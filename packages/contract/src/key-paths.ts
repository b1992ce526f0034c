import { keysAt as keysOfSchema, quote } from "@bylaw/wording";
import { z } from "zod";
import type { DataPath } from "./findings.ts";
import { contractSchema } from "./schema.ts";

/** One key of a contract. */
export interface ContractKey {
  /** The path from the top. `[]` stands for any item of a list, `{name}` for any name. */
  readonly path: string;
  /** The meaning of the key. */
  readonly description: string;
}

interface Node {
  readonly $ref?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
}

let schema: Node | undefined;
const rootOf = (): Node =>
  (schema ??= z.toJSONSchema(contractSchema, { io: "input", unrepresentable: "throw" }) as Node);

/**
 * Every key of a contract, in the order of the schema. A condition, a JSON Schema or a set of
 * parameters counts as one key.
 */
export function contractKeys(): readonly ContractKey[] {
  const keys: ContractKey[] = [];
  const visit = (node: Node, path: string): void => {
    for (const [name, below] of Object.entries(node.properties ?? {})) {
      const full = path === "" ? name : `${path}.${name}`;
      keys.push({ path: full, description: below.description ?? "" });
      if (below.$ref === undefined) visit(below, full);
    }
    if (node.items !== undefined) visit(node.items, `${path}[]`);
    const { additionalProperties: named } = node;
    if (typeof named === "object" && named.properties !== undefined) visit(named, `${path}.{name}`);
  };
  visit(rootOf(), "");
  return keys;
}

/** The keys that the mapping at a path may have. */
export const keysAt = (path: DataPath): readonly string[] => keysOfSchema(rootOf(), path);

/** A path in words: `phases[0].gates`, or "the contract" for the top. */
export function textOfPath(path: DataPath): string {
  if (path.length === 0) return "the contract";
  const text = path.reduce<string>(
    (before, step) =>
      typeof step === "number"
        ? `${before}[${step}]`
        : before === ""
          ? String(step)
          : `${before}.${String(step)}`,
    "",
  );
  return quote(text);
}

/**
 * The JSON Schema (2020-12) of contracts, for editors. The package ships it as
 * `contract.schema.json`.
 */
export function contractJsonSchema(): Readonly<Record<string, unknown>> {
  return {
    title: "Bylaw workflow contract",
    ...z.toJSONSchema(contractSchema, { io: "input", unrepresentable: "throw" }),
  };
}
