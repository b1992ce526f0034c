/** The parts of a JSON Schema that determine which keys exist. */
export interface KeySchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, KeySchema>>;
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly additionalProperties?: KeySchema | boolean;
  readonly items?: KeySchema;
  readonly anyOf?: readonly KeySchema[];
  readonly oneOf?: readonly KeySchema[];
}

/** Returns the keys that the object at a path may have, according to the JSON Schema of the whole. */
export function keysAt(root: KeySchema, path: readonly PropertyKey[]): readonly string[] {
  let nodes = branchesOf(root, root);
  for (const step of path) nodes = nodes.flatMap((node) => branchesOf(below(node, step), root));
  return [...new Set(nodes.flatMap(({ properties = {} }) => Object.keys(properties)))];
}

function below({ properties = {}, additionalProperties, items }: KeySchema, step: PropertyKey) {
  if (typeof step === "number") return items;
  if (Object.hasOwn(properties, step)) return properties[String(step)];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

function branchesOf(node: KeySchema | undefined, root: KeySchema): readonly KeySchema[] {
  if (node === undefined) return [];
  const { $ref, anyOf = [], oneOf = [] } = node;
  const named = $ref === "#" ? root : root.$defs?.[$ref?.replace("#/$defs/", "") ?? ""];
  const parts = [...(named === undefined ? [] : [named]), ...anyOf, ...oneOf];
  return parts.length === 0 ? [node] : parts.flatMap((part) => branchesOf(part, root));
}
