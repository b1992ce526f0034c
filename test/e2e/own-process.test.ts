// Most tests run the command in their own process, so this one compares it with a process like a user's.
import { expect, test } from "vitest";
import { POLICY, bylaw, bylawHere, scratch } from "./bylaw.ts";
import { eventsOf, logOf } from "./log-kit.ts";

const PHASES = `bylaw: 1
name: One step
phases:
  - id: PLAN
    name: Plan
    allowed_tools: [read_files]
`;

const FILES = {
  "policy.toml": POLICY,
  "contract.yaml": PHASES,
  "calls.jsonl": '{"id":1,"tool":"drop_table","args":{}}\n',
  "cases.yaml": "cases:\n  - tool: drop_table\n    expect: allow\n",
  "log.jsonl": logOf(eventsOf(3)),
  "w.json": JSON.stringify({ bylaw: 1, name: "w", steps: [{ id: "a", agent: "nobody" }] }),
};

test.each([
  ["check --tool read_file --policy policy.toml", 0],
  ["check --tool drop_table --policy policy.toml --json", 1],
  ["check --tool send_mail --policy policy.toml", 3],
  ["check --batch - --policy policy.toml --json", 0],
  ["explain --tool drop_table --policy policy.toml", 1],
  ["lint policy.toml --json", 0],
  ["lint none.toml", 2],
  ["test --policy policy.toml --json", 2],
  ["contract show contract.yaml", 2],
  ["log verify log.jsonl", 0],
  ["log query log.jsonl --json", 0],
  ["log stats log.jsonl --json", 0],
  ["log import log.jsonl --store none.jsonl --run main", 2],
  ["log runs --store none.db", 2],
  ["status --log log.jsonl --json", 0],
  ["report log.jsonl --json", 0],
  ["replay log.jsonl --policy policy.toml", 0],
  ["approve list --store none.db --run main --json", 2],
  ["run w.json", 2],
  ["import none.json", 2],
  ["nothing", 2],
] as const)("bylaw %s gives the same result in a separate process", async (line, code) => {
  const options = { cwd: scratch(FILES), input: FILES["calls.jsonl"] };
  const ran = bylaw(line, options);
  expect(ran.code).toBe(code);
  expect(`${ran.stdout}${ran.stderr}`).not.toBe("");
  expect(await bylawHere(line, options)).toEqual(ran);
});
