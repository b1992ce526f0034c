import { useState } from "preact/hooks";
import type { GateSeen } from "../src/gates.ts";
import type { TaskSeen } from "../src/overview.ts";
import { timeText } from "./shown.ts";
import type { SectionProps } from "./state-view.tsx";
import { Effect, Text } from "./text.tsx";

/** How many tasks are drawn at first, and how many more at a time. */
const DRAWN = 50;

/** The phases, gates, blockers and evidence of each task, the latest first. */
export function Tasks({ state: { tasks } }: SectionProps) {
  const [drawn, setDrawn] = useState(DRAWN);
  const [name, setName] = useState("");
  const found = tasks.toReversed().filter(({ task }) => task.includes(name));
  const left = found.length - drawn;
  return (
    <>
      <h2>Tasks</h2>
      {tasks.length > DRAWN && (
        <label>
          Name contains
          <input
            type="search"
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
      )}
      {found.length === 0 && <p>There are none.</p>}
      {found.slice(0, drawn).map((task) => (
        <Task key={task.task} task={task} />
      ))}
      {left > 0 && (
        <button type="button" onClick={() => setDrawn(drawn + DRAWN)}>
          Show more of {left.toLocaleString("en")}
        </button>
      )}
    </>
  );
}

function Task({ task }: { readonly task: TaskSeen }) {
  const { phases, phase, agent, wanted, blockers, evidence, gates } = task;
  return (
    <section class="task">
      <h3>
        <Text>{task.task}</Text>
      </h3>
      <p class="muted">
        Phase <Text>{phase}</Text>, agent <Text>{agent}</Text>
      </p>
      {phases.length > 1 && (
        <ol class="path" aria-label="Phases">
          {phases.map((one) => (
            <li key={one.sequence}>
              <Text>{one.phase}</Text> <span class="muted">{timeText(one.time)}</span>
            </li>
          ))}
        </ol>
      )}
      {wanted !== null && (
        <>
          <p>
            Blocked before <Text>{wanted}</Text>:
          </p>
          <ul>
            {blockers.map(({ rule, effect, code, reason, fix }, index) => (
              <li key={index}>
                <Effect of={effect} />{" "}
                {rule !== null && (
                  <strong>
                    <Text>{rule}</Text>{" "}
                  </strong>
                )}
                <Text>{reason ?? code}</Text>{" "}
                {fix !== null && (
                  <span class="muted">
                    <Text>{fix}</Text>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {gates.map((gate) => (
        <Gate key={gate.gate} gate={gate} />
      ))}
      {evidence.length > 0 && (
        <details>
          <summary>Evidence ({evidence.length})</summary>
          <ul>
            {evidence.toReversed().map((row) => (
              <li key={row.sequence}>
                {timeText(row.timestamp)} <Text>{row.type}</Text>{" "}
                <span class="muted">
                  <Text>{row.summary}</Text>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Gate({
  gate: { gate, answers, waivers, escalated, timed_out },
}: {
  readonly gate: GateSeen;
}) {
  return (
    <>
      <p>
        Gate{" "}
        <strong>
          <Text>{gate}</Text>
        </strong>
        {escalated && ", a person was called"}
        {timed_out && ", closed because time ran out"}
      </p>
      <ul>
        {answers.map(({ by, role, verdict, reason, time }, index) => (
          <li key={index}>
            <span class={verdict === "approved" ? "effect allow" : "effect deny"}>
              <Text>{verdict}</Text>
            </span>{" "}
            by <Text>{by}</Text> as <Text>{role}</Text>, {timeText(time)}{" "}
            {reason !== null && <Text>{reason}</Text>}
          </li>
        ))}
        {waivers.map(({ check, by, reason, until }, index) => (
          <li key={index}>
            <Text>{check}</Text> waived by <Text>{by}</Text> until {timeText(until ?? "")}:{" "}
            <Text>{reason}</Text>
          </li>
        ))}
      </ul>
    </>
  );
}
