interface Node<T> {
  /** The text between the parent and this node. */
  readonly edge: string;
  /** Keyed by the first code unit of the child's edge. */
  readonly children: Map<number, Node<T>>;
  value: T | undefined;
}

/**
 * A radix tree: finds the values of all keys that a text starts with. A look-up costs the length of the text, however
 * many keys there are.
 */
export class PrefixMap<T> {
  readonly #root: Node<T> = { edge: "", children: new Map(), value: undefined };

  /** Returns the value of a key, and creates it if it is missing. */
  at(key: string, make: () => T): T {
    const node = this.#reach(key);
    node.value ??= make();
    return node.value;
  }

  #reach(key: string): Node<T> {
    let node = this.#root;
    let at = 0;
    while (at < key.length) {
      const first = key.charCodeAt(at);
      const child = node.children.get(first);
      if (child === undefined) {
        const leaf: Node<T> = { edge: key.slice(at), children: new Map(), value: undefined };
        node.children.set(first, leaf);
        return leaf;
      }
      const shared = sharedLength(child.edge, key, at);
      if (shared < child.edge.length) {
        const lower: Node<T> = {
          edge: child.edge.slice(shared),
          children: child.children,
          value: child.value,
        };
        const upper: Node<T> = {
          edge: child.edge.slice(0, shared),
          children: new Map(),
          value: undefined,
        };
        upper.children.set(lower.edge.charCodeAt(0), lower);
        node.children.set(first, upper);
        node = upper;
      } else node = child;
      at += shared;
    }
    return node;
  }

  /** Calls `see` with the value of every key that `text` starts with. `a` and `b` are passed on, so that callers need no closure. */
  visit<A, B>(text: string, see: (value: T, a: A, b: B) => void, a: A, b: B): void {
    let node: Node<T> | undefined = this.#root;
    let at = 0;
    for (;;) {
      if (node.value !== undefined) see(node.value, a, b);
      if (at >= text.length) return;
      node = node.children.get(text.charCodeAt(at));
      if (node === undefined || !text.startsWith(node.edge, at)) return;
      at += node.edge.length;
    }
  }
}

function sharedLength(edge: string, key: string, at: number): number {
  let length = 0;
  while (length < edge.length && at + length < key.length && edge[length] === key[at + length])
    length++;
  return length;
}
