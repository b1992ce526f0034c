import { describe, expect, it } from "vitest";
import { BylawError, createKernel, Faults, type KernelApi, type Plugin } from "../src/index.ts";
import { plugin } from "./kit.ts";

const fails = (name: string, error: unknown): Plugin =>
  plugin(name, () => {
    throw error;
  });
const coded = (message: string, more: object = {}): BylawError =>
  new BylawError({ code: "BYLAW_POLICY_INVALID", message, ...more });
const thrownBy = (work: () => unknown): unknown => {
  const faults = new Faults();
  faults.attempt(work);
  try {
    faults.throwAll();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe("the faults of a configuration", () => {
  it("are thrown as they are if there is one", () => {
    const error = new TypeError("no disk");
    expect(thrownBy(() => createKernel({ plugins: [fails("a", error)] }))).toBe(error);
  });

  it("are one error that lists them by file and line if there are several", () => {
    const late = coded("late", { source: { file: "p.toml", line: 9 } });
    const early = coded("early", { source: { file: "p.toml", line: 2 }, fix: "Try again" });
    const plugins = [fails("a", late), fails("b", early), fails("c", undefined)];
    expect(thrownBy(() => createKernel({ plugins }, { configFile: "/c.ts" }))).toMatchObject({
      code: "BYLAW_POLICY_INVALID",
      message: "late (and 2 more)",
      findings: [
        { file: "p.toml", line: 2, message: "early", fix: "Try again" },
        { file: "p.toml", line: 9, message: "late" },
        { file: "/c.ts", code: "BYLAW_CONFIG_INVALID" },
      ],
    });
  });

  it("are told once, although `without` meets them too", () => {
    const error = coded("broken");
    const broken: Plugin = { ...fails("a", error), definition: refusing(() => coded("broken")) };
    const config = { extends: [{ name: "r", plugins: [broken] }], without: ["r/x", "r/y"] };
    expect(thrownBy(() => createKernel(config))).toMatchObject({ message: "broken" });
  });

  it("hold back the checks at the seal, which would miss what failed", () => {
    const asks = plugin("asks", (kernel: KernelApi) =>
      kernel.onSeal(() => {
        throw new Error("follows from it");
      }),
    );
    const error = coded("first");
    expect(thrownBy(() => createKernel({ plugins: [asks, fails("a", error)] }))).toBe(error);
  });
});

function refusing(fault: () => BylawError): Plugin["definition"] {
  const refuse = (): never => {
    throw fault();
  };
  return { shared: false, rules: refuse, apply: refuse };
}
