import { pluginOf, readCases } from "@bylaw/testing";
import { describe, expect, it } from "vitest";
import { createKernel, defineCheck, defineProjection, deny } from "@bylaw/kernel";
import { z } from "zod";
import { gates } from "../src/index.ts";
import { bench, CONTRACT, plan, planned, TEXT, type Bench } from "./kit.ts";

const named = (name: string, severity = "blocking"): string =>
  TEXT.replace(
    "check: no_open_questions, severity: warning",
    `check: ${name}, severity: ${severity}`,
  );
const declared = (condition: string, extra = ""): string =>
  `${named("fits").replace("phases:\n", `checks:\n  fits:\n    description: It has to fit\n    passes_when: ${condition}\nphases:\n`)}${extra}`;
const asked = async (
  options: Parameters<typeof bench>[0],
  artifacts: object = planned,
): Promise<Awaited<ReturnType<Bench["ask"]>>> => {
  const { ask } = await bench(options);
  await ask("PLAN", {});
  return ask("TDD", artifacts);
};

describe("a check of a host", () => {
  const short = defineCheck({
    name: "title_is_short",
    hook: "onTransition",
    when: { artifact: "plan_document" },
    artifact: z.looseObject({ title: z.string() }),
    check: ({ title }) =>
      title.length <= 20
        ? undefined
        : deny(`The title has ${title.length} characters; at most 20 are allowed`, "Shorten it"),
  });

  it("is asked if a gate names it, with the severity and the message of the contract", async () => {
    const options = { checks: [short] };
    const stopped = await asked({ text: named("title_is_short"), options });
    expect(stopped.blocked).toEqual(["gate_blocked title_is_short"]);
    expect(stopped.text).toContain("Consider the open questions: The title has 24 characters");
    const warned = await asked({ text: named("title_is_short", "warning"), options });
    expect([warned.blocked, warned.told]).toEqual([
      ["gate_pending approval"],
      ["gate_warning title_is_short"],
    ]);
    const fine = await asked(
      { text: named("title_is_short"), options },
      { ...planned, plan_document: { ...plan, title: "A greeting" } },
    );
    expect([fine.blocked, fine.told]).toEqual([["gate_pending approval"], []]);
    const misfit = await asked(
      { text: named("title_is_short"), options },
      { ...planned, plan_document: { ...plan, title: 3 } },
    );
    expect(misfit.blocked).toEqual(["gate_blocked title_is_short"]);
  });

  it("that throws or returns nonsense denies and cannot be waived", async () => {
    const broken = defineCheck({
      name: "broken",
      hook: "onTransition",
      artifact: z.unknown(),
      check: () => {
        throw new Error("out of order");
      },
    });
    const odd = defineCheck({
      name: "broken",
      hook: "onTransition",
      artifact: z.unknown(),
      check: () => ({ effect: "yes" }) as never,
    });
    for (const check of [broken, odd]) {
      for (const severity of ["blocking", "warning"]) {
        const { blocked, decision } = await asked({
          text: named("broken", severity),
          options: { checks: [check] },
        });
        expect(blocked).toEqual(["check_failed broken"]);
        expect(decision.effect).toBe("deny");
      }
    }
    const soft = await asked({
      text: named("broken"),
      options: { checks: [broken] },
      config: { enforcement_mode: "advisory" },
    });
    expect(soft.decision.applied).toBe("deny");
  });

  it("that no gate names is not asked, and a name without a check does not load", async () => {
    expect((await asked({ options: { checks: [short] } })).blocked).toEqual([
      "gate_pending approval",
    ]);
    await expect(asked({ text: named("title_is_short") })).rejects.toMatchObject({
      findings: [{ code: "unknown_check" }],
    });
  });

  it("judges only transitions", () => {
    const call = defineCheck({
      name: "call",
      hook: "beforeToolCall",
      args: z.unknown(),
      check: () => undefined,
    });
    const more = pluginOf("more", (kernel) => kernel.event({ name: "x", details: z.unknown() }));
    const late = pluginOf("late", ({ hooks }) =>
      hooks.onTransition.tapPromise("late", async () => undefined),
    );
    const none = pluginOf("none", () => {});
    for (const checks of [[call], [more], [late], [none], [short, short]])
      expect(() => createKernel({ plugins: [gates({ contract: CONTRACT, checks })] })).toFailWith(
        "BYLAW_GATE_CHECK_INVALID",
      );
    expect(() => gates({ contract: CONTRACT, checks: ["short" as never] })).toFailWith(
      "BYLAW_OPTIONS_INVALID",
    );
  });

  it("is part of the policy that approvals are bound to", async () => {
    const policy = async (options: object): Promise<unknown> =>
      (await asked({ options })).decision.policy["@bylaw/plugin-gates"];
    expect(await policy({})).not.toBe(await policy({ checks: [short] }));
  });
});

describe("a check that the contract declares", () => {
  const fits =
    "{ fact: artifacts, path: $.plan_document.title, operator: equal, value: A greeting for everybody }";
  it.each(readCases<[string, string]>(import.meta, "results"))(
    "results in %s: %s",
    async (came, condition) => {
      const { blocked } = await asked({ text: declared(condition) });
      expect(blocked).toEqual(came === "pass" ? ["gate_pending approval"] : ["gate_blocked fits"]);
    },
  );

  it("names what is missing", async () => {
    expect(
      (
        await asked({
          text: declared(
            "{ fact: artifacts, path: $.plan_document.absent, operator: equal, value: 1 }",
          ),
        })
      ).text,
    ).toContain("It has to fit (missing: artifacts $.plan_document.absent)");
  });

  it("with a path beyond names and indexes does not load", async () => {
    for (const path of readCases<string>(import.meta, "wrong-paths"))
      await expect(
        asked({
          text: declared(`{ fact: artifacts, path: "${path}", operator: equal, value: 1 }`),
        }),
        path,
      ).rejects.toMatchObject({
        code: expect.stringMatching(/BYLAW_(GATE_CHECK|CONTRACT)_INVALID/) as string,
      });
  });

  it("reads projections by name, and does not load if nobody declares one", async () => {
    const projection = defineProjection<{ readonly calls: number }>({
      ...{ name: "@host/calls", version: 1, initial: { calls: 0 } },
      reduce: (state, { event_type }) =>
        event_type === "tool_allowed" ? { calls: state.calls + 1 } : state,
    });
    const counter = pluginOf("counter", (kernel) => kernel.projection(projection));
    const text = declared(
      `{ fact: projections, path: "$.['@host/calls'].calls", operator: lessThan, value: 1 }`,
    );
    await expect(asked({ text })).rejects.toFailWith("BYLAW_GATE_PROJECTION_UNKNOWN");
    const { ask, run } = await bench({ text, config: { plugins: [counter] } });
    await ask("PLAN", {});
    expect((await ask("TDD", planned)).blocked).toEqual(["gate_pending approval"]);
    await run.toolCall({ agent: "ann", task: "t1", tool: "read_files", args: {} });
    expect((await ask("TDD", planned)).blocked).toEqual(["gate_blocked fits"]);
  });

  it("keeps concurrent answers apart", async () => {
    const text = declared(fits);
    const { run } = await bench({ text });
    const ids = Array.from({ length: 12 }, (_, number) => `task-${number}`);
    await Promise.all(
      ids.map((task) => run.transition({ agent: "ann", task, to: "PLAN", artifacts: {} })),
    );
    const came = await Promise.all(
      ids.map(async (task, number) => {
        const plan_document = number % 2 === 0 ? plan : { ...plan, title: "Another" };
        return (
          await run.transition({
            agent: "ann",
            task,
            to: "TDD",
            artifacts: { ...planned, plan_document },
          })
        ).decision.code;
      }),
    );
    expect(came).toEqual(
      ids.map((_, number) => (number % 2 === 0 ? "gate_pending" : "gate_blocked")),
    );
  });
});
