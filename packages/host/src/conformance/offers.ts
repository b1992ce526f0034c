import assert from "node:assert/strict";
import type { Decision, JsonObject, ToolCall } from "@bylaw/kernel";
import { DECISION, askOf, type HostCase, type Proof } from "./kit.ts";

const OFFER: Decision = {
  ...DECISION,
  ...{ effect: "deny", applied: "deny", code: "rule_denied", reason: "No force." },
  instead: { command: "git push --force-with-lease", added: true },
};
const REFUSED: Decision = { ...OFFER, instead: undefined };
const LEFT: Decision = { ...DECISION, effect: "ask_user", code: "fallback" };

/** What an offered call was decided to be, so that the first decision stands. */
const STANDS: readonly (readonly [string, Decision])[] = [
  ["denied", REFUSED],
  ["denied with another offer", { ...OFFER, instead: { command: "git push" } }],
  ["asked about", { ...DECISION, effect: "ask_user", applied: "ask_user", code: "rule_asked" }],
  ["left to the host", LEFT],
  ["allowed by default", { ...DECISION, code: "fallback" }],
  ["allowed by an approval mode", { ...DECISION, code: "mode_allowed" }],
  ["only let through", { ...REFUSED, applied: "allow", enforcement_mode: "permissive" }],
];

/** Tests what becomes of a call for which a decision offers other arguments. */
export function offerProofs(test: HostCase): readonly Proof[] {
  const { host, payload, keys, outcome, changed } = test;
  const { rewrites } = host.capabilities;
  const can = rewrites === "all" || rewrites.includes(String(payload[keys.tool]));
  const given = payload[keys.args] as JsonObject;
  const ask = async (...decisions: readonly Decision[]) => {
    const calls: ToolCall[] = [];
    const output = await askOf(test)({
      decide: (call) => decisions[calls.push(call) - 1] ?? assert.fail("asked again"),
    });
    return { output, calls };
  };
  return [
    [
      "runs the offered call if a rule allows it, and says so if the host cannot",
      async () => {
        const { output, calls } = await ask(OFFER, DECISION);
        assert.equal(host.blocks(output), !can);
        assert.deepEqual(changed(output), can ? { ...given, ...OFFER.instead } : undefined);
        assert.deepEqual(calls[0]?.args, given);
        if (!can) assert.match(output.stdout, /--force-with-lease/);
        if (!can) return;
        assert.deepEqual(calls[1], { ...calls[0], args: { ...given, ...OFFER.instead } });
      },
    ],
    ...STANDS.map(([what, second]): Proof => [
      `blocks both calls if the offered one is ${what}`,
      async () => {
        const { output, calls } = await ask(OFFER, second);
        assert.equal(calls.length, can ? 2 : 1);
        assert.equal(outcome(output), "blocks");
        assert.ok(host.blocks(output));
        assert.equal(changed(output), undefined);
        const isOffered = !can || second.effect !== "deny";
        assert.equal(output.stdout.includes("--force-with-lease"), isOffered);
      },
    ]),
    [
      "changes nothing outside of strict mode, nor for an offer of the same arguments",
      async () => {
        for (const enforcement_mode of ["permissive", "advisory"] as const) {
          const { output } = await ask({ ...OFFER, applied: "allow", enforcement_mode });
          assert.equal(changed(output), undefined);
          // Such as a check that failed, which no mode softens.
          const held = await ask({ ...OFFER, enforcement_mode });
          assert.equal(outcome(held.output), "blocks");
        }
        const { output } = await ask({ ...OFFER, instead: given });
        assert.equal(outcome(output), "blocks");
      },
    ],
  ];
}
