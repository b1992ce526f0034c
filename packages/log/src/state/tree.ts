/**
 * An ordered, immutable map that is plain data. Adding an entry returns a new tree that shares all but about log2(size) nodes with the old
 * one. `null` is the empty tree. No key is special, not even `__proto__`, and no choice of keys makes it slow.
 */
export interface TreeNode<Value> {
  readonly key: string;
  readonly value: Value;
  readonly left: Tree<Value>;
  readonly right: Tree<Value>;
  /** The number of entries in this node and below. */
  readonly size: number;
}
export type Tree<Value> = TreeNode<Value> | null;

const sizeOf = (tree: Tree<unknown>): number => tree?.size ?? 0;

/** The value of a key. */
export function treeGet<Value>(tree: Tree<Value>, key: string): Value | undefined {
  let at = tree;
  // The last node whose key is not above `key`. One comparison per node, because in a large tree that is out of the CPU cache each one is
  // slow.
  let under: Tree<Value> = null;
  while (at !== null) {
    if (key < at.key) at = at.left;
    else {
      under = at;
      at = at.right;
    }
  }
  return under?.key === key ? under.value : undefined;
}

/** A new tree with this value for the key. */
export function treePut<Value>(tree: Tree<Value>, key: string, value: Value): TreeNode<Value> {
  if (tree === null) return { key, value, left: null, right: null, size: 1 };
  const { left, right } = tree;
  if (key === tree.key)
    return value === tree.value ? tree : { key, value, left, right, size: tree.size };
  return key < tree.key
    ? balanced(tree, treePut(left, key, value), right)
    : balanced(tree, left, treePut(right, key, value));
}

/** A new tree without the key. */
export function treeDrop<Value>(tree: Tree<Value>, key: string): Tree<Value> {
  if (tree === null) return null;
  const { left, right } = tree;
  if (key < tree.key) {
    const rest = treeDrop(left, key);
    return rest === left ? tree : balanced(tree, rest, right);
  }
  if (key > tree.key) {
    const rest = treeDrop(right, key);
    return rest === right ? tree : balanced(tree, left, rest);
  }
  if (left === null || right === null) return left ?? right;
  const next = least(right);
  return balanced(next, left, treeDrop(right, next.key));
}

/** Every entry, in the order of the keys' UTF-16 units. */
export function* treeEntries<Value>(
  tree: Tree<Value>,
): Generator<readonly [key: string, value: Value], void> {
  if (tree === null) return;
  yield* treeEntries(tree.left);
  yield [tree.key, tree.value];
  yield* treeEntries(tree.right);
}

function least<Value>(node: TreeNode<Value>): TreeNode<Value> {
  let at = node;
  while (at.left !== null) at = at.left;
  return at;
}

// Balanced by weight: no side weighs more than three times the other, except for a single entry.
const HEAVIER = 3;
const OUTER = 2;

function join<Value>(
  { key, value }: TreeNode<Value>,
  left: Tree<Value>,
  right: Tree<Value>,
): TreeNode<Value> {
  return { key, value, left, right, size: sizeOf(left) + sizeOf(right) + 1 };
}

function balanced<Value>(
  entry: TreeNode<Value>,
  left: Tree<Value>,
  right: Tree<Value>,
): TreeNode<Value> {
  const [light, heavy] = [sizeOf(left), sizeOf(right)];
  if (light + heavy <= 1) return join(entry, left, right);
  if (right !== null && heavy > HEAVIER * light) {
    const { left: inner, right: outer } = right;
    if (inner === null || sizeOf(inner) < OUTER * sizeOf(outer))
      return join(right, join(entry, left, inner), outer);
    return join(inner, join(entry, left, inner.left), join(right, inner.right, outer));
  }
  if (left !== null && light > HEAVIER * heavy) {
    const { left: outer, right: inner } = left;
    if (inner === null || sizeOf(inner) < OUTER * sizeOf(outer))
      return join(left, outer, join(entry, inner, right));
    return join(inner, join(left, outer, inner.left), join(entry, inner.right, right));
  }
  return join(entry, left, right);
}
