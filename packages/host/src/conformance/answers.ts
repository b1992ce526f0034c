import assert from "node:assert/strict";
import { createKernel } from "@bylaw/kernel";
import type { Judge } from "../answer-event.ts";
import { hookOutputJson } from "../call.ts";
import type { ToolReturn } from "../host.ts";
import type { SessionEvent } from "../session-event.ts";
import { DECISION, PLACE, askOf, decided, type HostCase, type Proof } from "./kit.ts";

const FALLBACK = decided({ effect: "ask_user", code: "fallback" });
const QUESTION = decided({ effect: "ask_user", code: "rule_asked" });

/** Tests how each decision is answered. */
export function answerProofs(test: HostCase): readonly Proof[] {
  const { host, outcome } = test;
  const ask = askOf(test);
  return [
    [
      "a deny blocks the call and says why",
      async () => {
        const output = await ask(decided({ effect: "deny", code: "rule_denied", reason: "No." }));
        assert.equal(outcome(output), "blocks");
        assert.ok(host.blocks(output));
        assert.match(output.stdout, /No\./);
      },
    ],
    [
      "a deny without a reason gets one",
      async () => {
        const output = await ask(decided({ effect: "deny", code: "rule_denied", reason: " " }));
        assert.equal(outcome(output), "blocks");
        assert.match(output.stdout, /rule_denied/);
      },
    ],
    [
      "an allow by a rule lets the call run",
      async () => {
        const output = await ask(decided({ effect: "allow", code: "rule_allowed" }));
        assert.equal(outcome(output), host.capabilities.allow ? "allows" : "goes on");
      },
    ],
    [
      "a call that no rule covers is left to the host, unless strict",
      async () => {
        const waved = decided({ effect: "allow", code: "mode_allowed" });
        for (const judge of [FALLBACK, waved]) {
          const output = await ask(judge);
          assert.equal(outcome(output), "goes on");
          assert.ok(!host.blocks(output));
        }
        assert.ok(["asks", "blocks"].includes(outcome(await ask(FALLBACK, { strict: true }))));
      },
    ],
    [
      "a deny by default blocks the call",
      async () =>
        assert.equal(outcome(await ask(decided({ effect: "deny", code: "fallback" }))), "blocks"),
    ],
    [
      "prints one JSON object and exits with 0",
      async () => {
        for (const effect of ["allow", "ask_user", "deny"] as const) {
          const { stdout, exit } = await ask(decided({ effect, code: `rule_${effect}` }));
          assert.ok(exit === 2 || typeof JSON.parse(stdout) === "object");
        }
      },
    ],
  ];
}

/** Tests that an agent whose run is over is halted, if the host can do that. */
export function haltProof(test: HostCase): Proof {
  const { host, outcome } = test;
  const ask = askOf(test);
  return [
    "a call after the end of the run is blocked, and the agent is halted as the capabilities say",
    async () => {
      const reason = "The run ended.";
      const output = await ask(decided({ effect: "deny", code: "run_ended", reason }));
      assert.equal(outcome(output), "blocks");
      assert.ok(host.blocks(output));
      const { continue: goesOn, stopReason } = hookOutputJson(output.stdout);
      const { halts } = host.capabilities;
      assert.deepEqual([goesOn, stopReason], halts ? [false, reason] : [undefined, undefined]);
      const other = await ask(decided({ effect: "deny", code: "rule_denied", reason }));
      assert.equal(hookOutputJson(other.stdout)["continue"], undefined);
    },
  ];
}

/** Tests how tool calls and other events are read. */
export function callProofs(test: HostCase): readonly Proof[] {
  const { host, payload, named, keys } = test;
  return [
    [
      "reports the call, its folder and its host",
      async () => {
        const event = host.read(payload, PLACE, named);
        assert.equal(event.kind, "tool_call");
        const { call } = event as Extract<typeof event, { kind: "tool_call" }>;
        assert.deepEqual([call.tool, call.args], [payload[keys.tool], payload[keys.args]]);
        assert.deepEqual([call.cwd, call.workspace], [payload[keys.cwd], payload[keys.cwd]]);
        assert.deepEqual([call.home, call.host], [PLACE.home, { name: host.name }]);
      },
    ],
    [
      "an unknown event gets no opinion",
      async () => {
        const options = { input: JSON.stringify(test.unknown), named: test.unknownNamed };
        const output = await askOf(test)({}, options);
        assert.deepEqual(output, { stdout: "{}", stderr: "", exit: 0 });
      },
    ],
  ];
}

/** Tests how results of calls are reported. */
export const resultProofs = (test: HostCase): readonly Proof[] => [
  ...test.returned.map(({ payload, named, ok, ...fields }, at): Proof => [
    `${String(at + 1)}: reports the result of a call, and goes on`,
    async () => {
      const { keys, host } = test;
      const returned: ToolReturn[] = [];
      const result = async (one: ToolReturn): Promise<undefined> => void returned.push(one);
      const output = await askOf(test)({ result }, { input: JSON.stringify(payload), named });
      assert.deepEqual(output, { stdout: "{}", stderr: "", exit: 0 });
      const [{ call, ...rest } = assert.fail()] = returned;
      assert.deepEqual([rest.ok, rest.exit_code], [ok, fields.exit_code]);
      assert.deepEqual([call.tool, call.args], [payload[keys.tool], payload[keys.args]]);
      assert.deepEqual(call.host, { name: host.name });
    },
  ]),
  [
    "tells why a call should not have run",
    async () => {
      const [{ payload, named } = assert.fail()] = test.returned;
      const judge = { result: async () => "a rule denies it" };
      const output = await askOf(test)(judge, { input: JSON.stringify(payload), named });
      assert.match(output.stdout, /a rule denies it/);
      assert.equal(output.exit, 0);
    },
  ],
  [
    "reports exit code 0 as its capabilities say, and tells the agent if a result could not be recorded",
    async () => {
      const reported = test.returned.some(({ exit_code }) => exit_code === 0);
      assert.equal(reported, test.host.capabilities.exit_code);
      const [{ payload, named } = assert.fail()] = test.returned;
      const output = await askOf(test)({}, { input: JSON.stringify(payload), named });
      assert.match(output.stdout + output.stderr, /the engine is gone/);
    },
  ],
];

/** Tests how events of a session are reported. */
export const sessionProofs = (test: HostCase): readonly Proof[] => [
  ...test.session.map(({ payload, named, ...wanted }): Proof => [
    `${wanted.type}: is reported, and holds nobody up if it cannot be recorded`,
    async () => {
      const ask = askOf(test);
      const asked = { input: JSON.stringify(payload), named };
      const reported: SessionEvent[] = [];
      const sessionEvent = async (one: SessionEvent): Promise<void> => void reported.push(one);
      assert.deepEqual(await ask({ sessionEvent }, asked), { ...GOES_ON, stderr: "" });
      const [event = assert.fail()] = reported;
      const { kind: _, name, details: __, id: ___, ...found } = event;
      assert.deepEqual(found, wanted);
      assert.ok(test.host.capabilities.session_events.includes(name));
      const { stderr, ...output } = await ask({}, asked);
      assert.deepEqual(output, GOES_ON);
      assert.match(stderr, /the engine is gone/);
    },
  ]),
  [
    "reports as many events as its capabilities say, and installs a hook for each that fails for nobody",
    async () => {
      const { session_events: names } = test.host.capabilities;
      assert.equal(new Set(test.session.map(({ type }) => type)).size, names.length);
      const entries = test.host.hooks(() => "ask");
      for (const name of Object.keys(entries).length > 0 ? names : [])
        assert.match(JSON.stringify(entries[name]), /"ask \|\| true"/);
    },
  ],
];

const GOES_ON = { stdout: "{}", exit: 0 };

/** Tests how a question ends, on hosts that can ask and on those that cannot. */
export function questionProofs(test: HostCase): readonly Proof[] {
  const { host, outcome } = test;
  const ask = askOf(test);
  const asks = host.capabilities.ask === "asks";
  const recorded = (code: string, effect: "allow" | "deny"): Judge["record"] => {
    const decision = { ...DECISION, effect, applied: effect, code };
    return async () => ({ decision, answer_with: "bylaw approve yes 0a1b" });
  };
  return [
    [
      "a question is asked, or denied if the host would run the call or wait forever",
      async () => {
        const record = recorded("approval_unavailable", "deny");
        const output = await ask({ ...QUESTION, record });
        assert.equal(outcome(output), asks ? "asks" : "blocks");
        assert.ok(host.blocks(output));
        if (!asks) assert.match(output.stdout, /bylaw approve yes 0a1b/);
      },
    ],
    [
      "a call that a person approved runs",
      async () => {
        const output = await ask({ ...QUESTION, record: recorded("approved", "allow") });
        assert.ok(asks || ["allows", "goes on"].includes(outcome(output)));
      },
    ],
    [
      "a question that cannot be recorded is a deny",
      async () => assert.equal(outcome(await ask(QUESTION)), asks ? "asks" : "blocks"),
    ],
    [
      "a judge that fails blocks the call",
      async () => assert.equal(outcome(await ask({})), "blocks"),
    ],
    [
      "a deny of a real kernel blocks the call",
      async () => {
        const kernel = createKernel({ fallback: "deny" });
        assert.equal(outcome(await ask({ decide: (call) => kernel.decide(call) })), "blocks");
      },
    ],
  ];
}

/** Tests that input which is not a call is blocked, even if everything is allowed. */
export function badInputProofs(test: HostCase): readonly Proof[] {
  const ask = askOf(test);
  const allows = decided({ effect: "allow", code: "rule_allowed" });
  return badInputs(test).map(([what, input]) => [
    what,
    async () => assert.equal(test.outcome(await ask(allows, { input })), "blocks"),
  ]);
}

function badInputs({ payload, keys }: HostCase): readonly (readonly [string, string])[] {
  const text = JSON.stringify(payload);
  const changed = (key: string, value?: unknown): string =>
    JSON.stringify({ ...payload, [key]: value });
  const before = (member: string): string => text.replace("{", `{${member},`);
  return [
    ["nothing", ""],
    ["text that is not JSON", "hello"],
    ["half an object", text.slice(0, -1)],
    ["two objects", text + text],
    ["a list", `[${text}]`],
    ["null", "null"],
    ["a key that appears twice", before(`${JSON.stringify(keys.tool)}:"Read"`)],
    ["a prototype", before('"__proto__":{"a":1}')],
    ["a number that a double would change", before('"n":9007199254740993')],
    ["more levels than JSON may have", before(`"deep":${"[".repeat(200)}${"]".repeat(200)}`)],
    ["a call without a tool", changed(keys.tool)],
    ["a call without arguments", changed(keys.args)],
    ["a call without a folder", changed(keys.cwd)],
    ["a tool that is not text", changed(keys.tool, 7)],
    ["an empty tool name", changed(keys.tool, "")],
    ["arguments that are a list", changed(keys.args, ["rm"])],
    ["a relative folder", changed(keys.cwd, "work")],
  ];
}
