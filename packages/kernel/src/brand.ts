/**
 * Creates a class that attaches a value to objects in a private field. No other code can add or read the field. A look-up, which
 * every decision needs twice, takes a fraction of the time of a WeakMap.
 */
export function brand<T>(): {
  new (object: object, value: T): object;
  of(object: object): T | undefined;
} {
  const Same = function same(object: object) {
    return object;
  } as unknown as new (object: object) => object;
  return class Brand extends Same {
    readonly #value: T;
    constructor(object: object, value: T) {
      super(object);
      this.#value = value;
    }
    static of = (object: object): T | undefined =>
      #value in object ? (object as Brand).#value : undefined;
  };
}
