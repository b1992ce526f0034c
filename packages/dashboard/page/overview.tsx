import { useEffect, useState } from "preact/hooks";
import type { RunOverview, TaskSeen } from "../src/overview.ts";
import { get } from "./api.ts";
import { LatencyPlot, RatePlot } from "./plots.tsx";
import { timeText } from "./shown.ts";
import { Effect, Text } from "./text.tsx";

interface Chain {
  readonly verified: number;
  readonly head: number;
  readonly broken: string | null;
}

type Answer = RunOverview & { readonly chain: Chain };

/** How often the present state is read again, in milliseconds. */
const EVERY_MS = 5_000;

/** The agents and tasks of a run, now or as they were after an event. */
export function Overview({ run }: { readonly run: string | undefined }) {
  const [at, setAt] = useState("");
  const [answer, setAnswer] = useState<Answer>();
  const [error, setError] = useState<string>();
  useEffect(() => {
    const ended = new AbortController();
    const read = (): void => {
      get<Answer>("overview", { run, at }, ended.signal)
        .then((read) => {
          setAnswer(read);
          setError(undefined);
        })
        .catch((failure: Error) => !ended.signal.aborted && setError(failure.message));
    };
    read();
    const timer = at === "" ? setInterval(read, EVERY_MS) : undefined;
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [run, at]);
  return (
    <div class="scroll">
      <label>
        State after event
        <input
          type="number"
          min="1"
          placeholder="the last"
          value={at}
          onChange={({ currentTarget }) => setAt(currentTarget.value)}
        />
      </label>
      {error !== undefined && <p class="error">{error}</p>}
      {answer !== undefined && <State at={at} answer={answer} />}
    </div>
  );
}

function State({ at, answer }: { readonly at: string; readonly answer: Answer }) {
  const { chain, agents, tasks, head, time, minutes, latencies } = answer;
  const isBehind = at === "" && chain.broken === null && head < chain.head;
  return (
    <>
      <p role="status">
        Event {head.toLocaleString("en")}
        {time === null ? "" : `, ${timeText(time)}`}. The chain is verified up to event{" "}
        {chain.verified.toLocaleString("en")} of {chain.head.toLocaleString("en")}.
        {isBehind && " The events after it are still being read."}
        {chain.broken !== null && (
          <span class="error">
            {" "}
            <Text>{chain.broken}</Text>
          </span>
        )}
      </p>
      <h2>Agents</h2>
      <div class="wide" tabIndex={0} role="region" aria-label="Agents">
        <table>
          <thead>
            <tr>
              {["Agent", "Allowed", "Asked", "Denied", "Last event"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {agents.toReversed().map((one) => (
              <tr key={one.agent}>
                <th scope="row">
                  <Text>{one.agent}</Text>
                </th>
                <td>{one.allowed}</td>
                <td>{one.asked}</td>
                <td>{one.denied}</td>
                <td>{timeText(one.last)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <h2>Rates and times</h2>
      <RatePlot minutes={minutes} />
      <LatencyPlot latencies={latencies} />
      <h2>Tasks</h2>
      {tasks.length === 0 && <p>There are none.</p>}
      {tasks.toReversed().map((task) => (
        <Task key={task.task} task={task} />
      ))}
    </>
  );
}

function Task({ task }: { readonly task: TaskSeen }) {
  return (
    <section class="task">
      <h3>
        <Text>{task.task}</Text>
      </h3>
      <p class="muted">
        Phase <Text>{task.phase}</Text>, agent <Text>{task.agent}</Text>
      </p>
      {task.wanted !== null && (
        <>
          <p>
            Blocked before <Text>{task.wanted}</Text>:
          </p>
          <ul>
            {task.blockers.map(({ effect, code, reason, fix }, index) => (
              <li key={index}>
                <Effect of={effect} /> <Text>{reason ?? code}</Text>{" "}
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
      {task.evidence.length > 0 && (
        <ul>
          {task.evidence.toReversed().map((row) => (
            <li key={row.sequence}>
              {timeText(row.timestamp)} <Text>{row.type}</Text>{" "}
              <span class="muted">
                <Text>{row.summary}</Text>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
