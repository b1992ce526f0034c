import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson, freezeJson, isJsonObject, type Json } from "../src/index.ts";

describe("canonical JSON", () => {
  it("sorts keys by UTF-16 code unit, as in RFC 8785 section 3.2.3", () => {
    const value = {
      "€": "Euro",
      "\r": "CR",
      "\ufb33": "Dalet",
      "1": "One",
      "😀": "Smile",
      "\u0080": "Control",
      ö: "O",
    };
    const values = ["CR", "One", "Control", "O", "Euro", "Smile", "Dalet"];
    expect(Object.values(JSON.parse(canonicalJson(value)) as object)).toEqual([
      "One",
      "CR",
      "Control",
      "O",
      "Euro",
      "Smile",
      "Dalet",
    ]);
    const positions = values.map((name) => canonicalJson(value).indexOf(`"${name}"`));
    expect(positions).toEqual(positions.toSorted((left, right) => left - right));
  });

  it("formats numbers as ECMAScript does", () => {
    expect(canonicalJson([333333333.3333333, 1e30, 4.5, 2e-3, 1e-27, -0, 1e21, 5e-324])).toBe(
      "[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,5e-324]",
    );
  });

  it("is the same for every order of keys, and loses nothing else", () => {
    const reversed = (value: Json): Json => {
      if (Array.isArray(value)) return (value as readonly Json[]).map(reversed);
      if (!isJsonObject(value)) return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([key, item]) => [key, reversed(item)] as const)
          .toReversed(),
      );
    };
    fc.assert(
      fc.property(fc.jsonValue(), (raw) => {
        const value = JSON.parse(JSON.stringify(raw)) as Json;
        fc.pre(!JSON.stringify(value).includes("__proto__"));
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
        expect(canonicalJson(freezeJson(value))).toBe(canonicalJson(value));
      }),
    );
  });
});

describe("frozen data", () => {
  const deep = (levels: number): Json => (levels === 0 ? "ground" : { below: deep(levels - 1) });

  it("is not copied again, nor its contents", () => {
    const once = freezeJson({ list: [{ a: 1 }], text: "x" });
    expect(freezeJson(once)).toBe(once);
    expect((freezeJson({ once }) as { once: Json }).once).toBe(once);
  });

  it("is copied if someone else froze it, because its contents may change", () => {
    const inner = { a: 1 };
    const outer = Object.freeze({ inner });
    const copy = freezeJson(outer) as { inner: { a: number } };
    inner.a = 2;
    expect(copy.inner.a).toBe(1);
  });

  it("cannot be faked by a proxy or by inheritance", () => {
    const real = freezeJson({ a: 1 }) as object;
    let asked = 0;
    const proxy = new Proxy(real, { get: (target, key) => (asked++, Reflect.get(target, key)) });
    expect(freezeJson(proxy)).not.toBe(proxy);
    expect(asked).toBeGreaterThan(0);
    expect(() => freezeJson(Object.create(real))).toThrow(/prototype/);
  });

  it("counts with all its levels and values wherever it is contained", () => {
    const half = freezeJson(deep(50));
    expect(() => freezeJson({ a: { b: half } })).not.toThrow();
    let wrapped = half;
    for (let level = 0; level < 50; level += 1) wrapped = freezeJson({ wrapped });
    expect(() => freezeJson({ wrapped })).toThrow(/more than 100 levels/);
    const many = freezeJson(Array.from({ length: 400_000 }, () => 0));
    expect(() => freezeJson([many, many])).not.toThrow();
    expect(() => freezeJson([many, many, many])).toThrow(/more than 1000000 values/);
  });
});
