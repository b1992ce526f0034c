/**
 * Makes a class that puts a private field with a value on objects. No other code can add or read the field, and looking it up takes a
 * fraction of what a WeakMap takes, twice in every decision.
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
