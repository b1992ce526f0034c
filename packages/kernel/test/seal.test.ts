import { describe, expect, it } from "vitest";
import { createKernel, defineProjection, type KernelApi, type View } from "../src/index.ts";
import type { Declared } from "../src/declared.ts";
import { emptyView } from "../src/projection.ts";
import { call, plugin, voter } from "./kit.ts";

const counter = defineProjection({
  name: "demo/counter",
  version: 1,
  initial: 0,
  reduce: (state) => state + 1,
});
const declares = plugin("declares", (kernel) => kernel.projection(counter));

describe("onSeal", () => {
  it("is called once with everything that plugins declared, whatever their order", () => {
    const seen: (readonly string[])[] = [];
    const asks = plugin("asks", (kernel) =>
      kernel.onSeal(({ projections }) => void seen.push(projections.map(({ name }) => name))),
    );
    createKernel({ plugins: [asks, declares] });
    createKernel({ plugins: [declares, asks] });
    expect(seen).toEqual([["demo/counter"], ["demo/counter"]]);
  });
  it("throws if something is missing, which prevents the kernel", () => {
    const asks = plugin("asks", (kernel) =>
      kernel.onSeal(({ projections }) => {
        if (projections.length === 0) throw new Error("nothing is declared");
      }),
    );
    expect(() => createKernel({ plugins: [asks] })).toThrow("nothing is declared");
    expect(() => createKernel({ plugins: [asks, declares] })).not.toThrow();
  });
  it("is called when nothing can be declared any more", () => {
    let api: KernelApi | undefined;
    const late = plugin("late", (kernel) => {
      api = kernel;
      kernel.onSeal(() => kernel.projection(counter));
    });
    expect(() => createKernel({ plugins: [late] })).toFailWith("BYLAW_KERNEL_SEALED");
    expect(() => api?.onSeal(() => {})).toFailWith("BYLAW_KERNEL_SEALED");
  });
  it("gets lists that no one can change", () => {
    const changes = plugin("changes", (kernel) =>
      kernel.onSeal((declared: Declared) => void (declared.projections as unknown[]).push(counter)),
    );
    expect(() => createKernel({ plugins: [changes] })).toThrow(TypeError);
  });
});

it("a tap gets the empty view if none is given, and can recognize it", async () => {
  const views: View[] = [];
  const sees = voter("sees", "beforeToolCall", (_, view) => {
    views.push(view);
    return undefined;
  });
  const kernel = createKernel({ plugins: [sees] });
  await kernel.decide(call());
  await kernel.decide(call(), (projection) => projection.initial);
  expect(views.map(({ empty }) => empty)).toEqual([true, undefined]);
  expect(emptyView(counter)).toBe(0);
  expect(Object.isFrozen(emptyView)).toBe(true);
});
