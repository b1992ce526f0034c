import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  APPROVAL_MODES,
  ENFORCEMENT_MODES,
  allow,
  ask,
  createKernel,
  deny,
  type ApprovalMode,
  type Config,
  type Effect,
  type ToolCall,
} from "../src/index.ts";
import type { EnforcementMode } from "../src/decision.ts";
import type { Answer } from "../src/verdict.ts";
import { SUBJECTS, call, decideNow, forged, plugin, voter } from "./kit.ts";

const RANKS: readonly Effect[] = ["allow", "ask_user", "deny"];
const fallbackOf = (name: string, ...effects: readonly Effect[]) =>
  plugin(name, (kernel) => effects.forEach((effect) => kernel.fallback(effect)), { grants: true });
const editsAreSafe = plugin(
  "edits",
  (kernel) => kernel.letThrough("autoEdit", ({ tool }) => tool === "write_file"),
  { grants: true },
);

describe("the fallback", () => {
  it.each(RANKS)("of a tool call is the config's %s if no plugin sets one", (fallback) => {
    expect(decideNow(createKernel({ fallback }), call())).toMatchObject({
      effect: fallback,
      code: "fallback",
    });
  });

  it("of a tool call computes its reason when it is read, and only once", () => {
    const told: string[] = [];
    const names = plugin("names", (kernel) =>
      kernel.unmatched(({ tool }) => {
        told.push(tool);
        return `No rule covers ${tool}`;
      }),
    );
    const decision = decideNow(createKernel({ plugins: [names] }), call());
    expect(told).toEqual([]);
    expect(JSON.parse(JSON.stringify(decision))).toMatchObject({
      reason: "No rule covers read_file; the default is ask_user",
    });
    expect({ ...decision }.reason).toBe(decision.reason);
    expect(told).toEqual(["read_file"]);
  });

  it("of a tool call is ask_user by default", () => {
    expect(decideNow(createKernel({}), call())).toMatchObject({
      effect: "ask_user",
      code: "fallback",
      votes: [],
    });
  });

  it("of a tool call is the strictest that plugins set, in any order, and overrides the config's", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...RANKS), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...RANKS),
        (effects, fallback) => {
          const plugins = effects.map((effect, index) => fallbackOf(`p${index}`, effect));
          const wanted = RANKS[Math.max(...effects.map((effect) => RANKS.indexOf(effect)))];
          expect(decideNow(createKernel({ plugins, fallback }), call()).effect).toBe(wanted);
          const one = [fallbackOf("all", ...effects)];
          expect(decideNow(createKernel({ plugins: one, fallback }), call()).effect).toBe(wanted);
        },
      ),
    );
  });

  it("may be set, and edits recognized, only by a plugin that grants", () => {
    const setsFallback = plugin("a", (kernel) => kernel.fallback("deny"));
    const tellsEdits = plugin("b", (kernel) => kernel.letThrough("autoEdit", () => true));
    for (const loose of [setsFallback, tellsEdits]) {
      expect(() => createKernel({ plugins: [loose] })).toFailWith("BYLAW_PLUGIN_INVALID");
    }
  });

  it("that is no effect is rejected when the kernel is created", () => {
    const odd = plugin("odd", (kernel) => kernel.fallback(forged("nope")), { grants: true });
    for (const plugins of [
      [odd],
      [fallbackOf("strict", "deny"), odd],
      [odd, fallbackOf("strict", "deny")],
    ]) {
      expect(() => createKernel({ plugins })).toFailWith("BYLAW_PLUGIN_INVALID");
    }
  });

  it("does not affect the other hooks", () => {
    const kernel = createKernel({
      fallback: "allow",
      plugins: [fallbackOf("p", "allow")],
      approval_mode: "yolo",
    });
    expect(decideNow(kernel, SUBJECTS.onTransition)).toMatchObject({
      effect: "deny",
      code: "fallback",
    });
    expect(decideNow(kernel, SUBJECTS.onBehavior)).toMatchObject({
      effect: "deny",
      code: "fallback",
    });
    const strict = createKernel({ fallback: "deny", plugins: [fallbackOf("p", "deny")] });
    expect(decideNow(strict, SUBJECTS.onEnforcement)).toMatchObject({
      effect: "allow",
      code: "fallback",
    });
  });
});

describe("an approval mode", () => {
  const decided = (mode: ApprovalMode, tool: string, config: Config) => [
    decideNow(
      createKernel({
        ...config,
        plugins: [editsAreSafe, ...(config.plugins ?? [])],
        approval_mode: mode,
      }),
      call({ tool }),
    ),
    // The call may have its own mode, whatever the config's mode is.
    decideNow(
      createKernel({ ...config, plugins: [editsAreSafe, ...(config.plugins ?? [])] }),
      call({ tool, approval_mode: mode }),
    ),
  ];

  it.each([
    ["ask", "write_file", "ask_user"],
    ["ask", "shell", "ask_user"],
    ["autoEdit", "write_file", "allow"],
    ["autoEdit", "shell", "ask_user"],
    ["yolo", "write_file", "allow"],
    ["yolo", "shell", "allow"],
  ] as const)("%s brings an unmatched %s to %s", (mode, tool, effect) => {
    for (const decision of decided(mode, tool, {})) {
      expect(decision).toMatchObject({
        effect,
        code: effect === "allow" ? "mode_allowed" : "fallback",
      });
    }
  });

  it("yolo allows what every plugin's test allows, and asks if a test throws", () => {
    const tests: readonly ((call: ToolCall) => boolean)[] = [
      ({ tool }) => tool !== "shell",
      ({ tool }) => {
        if (tool === "broken") throw new Error("no answer");
        return true;
      },
    ];
    const plugins = tests.map((test, at) =>
      plugin(`p${at}`, (kernel) => kernel.letThrough("yolo", test), { grants: true }),
    );
    for (const [tool, effect] of [
      ["t", "allow"],
      ["shell", "ask_user"],
      ["broken", "ask_user"],
    ] as const)
      for (const decision of decided("yolo", tool, { plugins }))
        expect(decision).toMatchObject({ effect });
    // If no one would be asked, no mode changes the outcome.
    for (const fallback of ["allow", "deny"] as const)
      for (const decision of decided("yolo", "shell", { plugins, fallback }))
        expect(decision).toMatchObject({ effect: fallback, code: "fallback" });
  });

  it.each(APPROVAL_MODES)("%s never changes a vote", (mode) => {
    const answers: readonly [Answer, Effect][] = [
      [deny("Unexpected call"), "deny"],
      [ask("Unexpected call"), "ask_user"],
      [allow("fine"), "allow"],
    ];
    for (const [answer, effect] of answers) {
      const plugins = [voter("v", "beforeToolCall", () => answer, { grants: true })];
      for (const decision of decided(mode, "write_file", { plugins })) {
        expect(decision.effect).toBe(effect);
        expect(decision.code).not.toBe("mode_allowed");
      }
    }
  });

  it.each(APPROVAL_MODES)(
    "%s never touches a default deny, of the config or of a plugin",
    (mode) => {
      for (const config of [
        { fallback: "deny" as const },
        { plugins: [fallbackOf("p", "deny")] },
      ]) {
        for (const decision of decided(mode, "write_file", config)) {
          expect(decision).toMatchObject({ effect: "deny", code: "fallback" });
        }
      }
    },
  );

  it.each(APPROVAL_MODES)(
    "%s does not soften a failed check, nor a subject that is refused",
    (mode) => {
      const broken = voter("v", "beforeToolCall", () => {
        throw new Error("broke");
      });
      for (const decision of decided(mode, "write_file", { plugins: [broken] })) {
        expect(decision).toMatchObject({ effect: "deny", code: "check_failed" });
      }
      for (const decision of decided(mode, "write\nfile", {})) {
        expect(decision).toMatchObject({ effect: "deny", code: "invalid_call" });
      }
    },
  );

  it("a shadow allow does not count: a mode still decides only what no vote decided", () => {
    const trial = voter("v", "beforeToolCall", () =>
      deny("Unexpected call", undefined, { shadow: true }),
    );
    const [decision] = decided("yolo", "shell", { plugins: [trial] });
    expect(decision).toMatchObject({
      effect: "allow",
      code: "mode_allowed",
      votes: [{ shadow: true }],
    });
  });

  it("that does not exist is rejected", () => {
    const mode = forged("YOLO");
    expect(() => createKernel({ approval_mode: mode })).toFailWith("BYLAW_CONFIG_INVALID");
    expect(decideNow(createKernel({}), call({ approval_mode: mode })).code).toBe("invalid_call");
  });
});

describe("no one to ask", () => {
  it("turns a question into a deny with a separate code, for votes and for the fallback", () => {
    const asks = voter("v", "beforeToolCall", () => ask("Unexpected push"));
    for (const kernel of [createKernel({ plugins: [asks] }), createKernel({})]) {
      expect(decideNow(kernel, call({ interactive: false }))).toMatchObject({
        effect: "deny",
        code: "approval_unavailable",
      });
      expect(decideNow(kernel, call({ interactive: true })).effect).toBe("ask_user");
      expect(decideNow(kernel, call()).effect).toBe("ask_user");
    }
  });

  it.each(["onTransition", "onBehavior", "onEnforcement"] as const)("also on %s", (hook) => {
    const asks = voter("v", hook, () => ask("Unexpected request"));
    const subject = { ...SUBJECTS[hook], interactive: false };
    expect(decideNow(createKernel({ plugins: [asks] }), subject)).toMatchObject({
      effect: "deny",
      code: "approval_unavailable",
    });
  });

  it.each(ENFORCEMENT_MODES)(
    "leaves a deny its code and its words in %s mode",
    (enforcement_mode) => {
      const plugins = [voter("v", "beforeToolCall", () => deny("Unexpected push", "ask first"))];
      const decision = decideNow(
        createKernel({ plugins, enforcement_mode }),
        call({ interactive: false }),
      );
      expect(decision).toMatchObject({
        effect: "deny",
        code: "rule_denied",
        reason: "Unexpected push",
        fix: "ask first",
      });
    },
  );

  it("changes neither an allow nor a deny", () => {
    for (const [answer, code] of [
      [allow("fine"), "rule_allowed"],
      [deny("no"), "rule_denied"],
    ] as const) {
      const kernel = createKernel({
        plugins: [voter("v", "beforeToolCall", () => answer, { grants: true })],
      });
      expect(decideNow(kernel, call({ interactive: false })).code).toBe(code);
    }
  });
});

it("every tap sees the effective mode: that of the call, or else of the configuration", () => {
  const seen: unknown[] = [];
  const reads = voter(
    "reads",
    "beforeToolCall",
    (subject) => void seen.push((subject as ToolCall).approval_mode),
  );
  const kernel = createKernel({ plugins: [reads], approval_mode: "yolo" });
  decideNow(kernel, call());
  decideNow(kernel, call({ approval_mode: "ask" }));
  expect(seen).toEqual(["yolo", "ask"]);
});

describe("an enforcement mode", () => {
  const applied = (
    enforcement_mode: EnforcementMode,
    answers: Readonly<Record<string, () => Answer>>,
    subject = call(),
  ) => {
    const plugins = Object.entries(answers).map(([name, answer]) =>
      voter(name, "beforeToolCall", answer, {
        grants: true,
        neverSoftened: name.startsWith("hard"),
      }),
    );
    const kernel = createKernel({ plugins, enforcement_mode });
    const decision = decideNow(kernel, subject);
    return { effect: decision.effect, code: decision.code, applied: decision.applied };
  };
  const fail = (): Answer => {
    throw new Error("broke");
  };

  it("strict applies every effect", () => {
    for (const [answer, effect] of [
      [() => deny("no"), "deny"],
      [() => ask("may I"), "ask_user"],
      [() => allow("fine"), "allow"],
      [fail, "deny"],
    ] as const) {
      expect(applied("strict", { soft: answer })).toMatchObject({ effect, applied: effect });
    }
  });

  it.each(["permissive", "advisory"] as const)(
    "%s keeps the verdict and lets the call pass",
    (mode) => {
      expect(applied(mode, { soft: () => deny("no") })).toEqual({
        effect: "deny",
        code: "rule_denied",
        applied: "allow",
      });
      expect(applied(mode, { soft: () => ask("may I") })).toMatchObject({
        effect: "ask_user",
        applied: "allow",
      });
      expect(applied(mode, {})).toMatchObject({
        effect: "ask_user",
        code: "fallback",
        applied: "allow",
      });
    },
  );

  it.each(["permissive", "advisory"] as const)(
    "%s softens neither a failed check nor a refused subject",
    (mode) => {
      expect(applied(mode, { soft: fail })).toMatchObject({ effect: "deny", applied: "deny" });
      expect(applied(mode, {}, call({ tool: "" }))).toMatchObject({
        code: "invalid_call",
        applied: "deny",
      });
      // Also if another vote, first by name, decides.
      expect(applied(mode, { "a-soft": () => deny("no"), "b-soft": fail })).toMatchObject({
        code: "rule_denied",
        applied: "deny",
      });
    },
  );

  it.each(["permissive", "advisory"] as const)(
    "%s never softens a plugin with `neverSoftened`",
    (mode) => {
      expect(applied(mode, { hard: () => deny("Unexpected token") })).toMatchObject({
        effect: "deny",
        applied: "deny",
      });
      expect(applied(mode, { hard: () => ask("Unexpected token") })).toMatchObject({
        applied: "ask_user",
      });
      expect(
        applied(mode, { "a-soft": () => deny("no"), hard: () => deny("no token") }),
      ).toMatchObject({ code: "rule_denied", applied: "deny" });
      expect(
        applied(mode, { "a-soft": () => deny("no"), hard: () => ask("no token") }).applied,
      ).not.toBe("allow");
      expect(
        applied(mode, { hard: () => allow("known token"), soft: () => deny("no") }),
      ).toMatchObject({ effect: "deny", applied: "allow" });
      expect(
        applied(mode, {
          hard: () => deny("no token", undefined, { shadow: true }),
          soft: () => deny("no"),
        }),
      ).toMatchObject({ applied: "allow" });
    },
  );

  it.each(["permissive", "advisory"] as const)(
    "%s denies what a plugin with `neverSoftened` asks and nobody can answer",
    (mode) => {
      const headless = call({ interactive: false });
      expect(applied(mode, { hard: () => ask("Unexpected token") }, headless)).toEqual({
        effect: "deny",
        code: "approval_unavailable",
        applied: "deny",
      });
      expect(
        applied(mode, { hard: () => ask("no token"), soft: () => deny("no") }, headless).applied,
      ).toBe("deny");
    },
  );

  it("never makes anything stricter than the verdict", () => {
    const answers = fc.constantFrom<Answer>(deny("no"), ask("may I"), allow("fine"), undefined);
    fc.assert(
      fc.property(
        fc.constantFrom(...ENFORCEMENT_MODES),
        answers,
        answers,
        fc.boolean(),
        (mode, a, b, interactive) => {
          const outcome = applied(mode, { hard: () => a, soft: () => b }, call({ interactive }));
          expect(RANKS.indexOf(outcome.applied)).toBeLessThanOrEqual(RANKS.indexOf(outcome.effect));
        },
      ),
    );
  });

  it("is part of every decision", () => {
    for (const enforcement_mode of ENFORCEMENT_MODES) {
      const kernel = createKernel({ enforcement_mode });
      expect(kernel.enforcement_mode).toBe(enforcement_mode);
      expect(decideNow(kernel, call()).enforcement_mode).toBe(enforcement_mode);
      expect(decideNow(kernel, call({ tool: "" })).enforcement_mode).toBe(enforcement_mode);
    }
  });
});
