import type { StepSeen, WaySeen } from "../src/workflow.ts";
import { shown } from "./shown.ts";
import type { SectionProps } from "./state-view.tsx";
import { Text } from "./text.tsx";

/** The size of a box and the distance of two rows, and where steps and called agents stand. */
const BOX = { width: 190, height: 40 };
const ROW = 68;
const STEPS_X = 130;
const AGENTS_X = 450;
/** How many characters of a name fit into a box. */
const FITS = 22;

/** The steps of a run, its loops and its calls of agents, as a graph and as text. */
export function Workflow({ state: { workflow } }: SectionProps) {
  const { steps, ways } = workflow;
  if (steps.length === 0)
    return (
      <>
        <h2>Steps, loops and triggers</h2>
        <p>No workflow has begun.</p>
      </>
    );
  const count = (kind: WaySeen["kind"]): number => ways.filter((way) => way.kind === kind).length;
  return (
    <>
      <h2>Steps, loops and triggers</h2>
      <div class="wide" tabIndex={0} role="region" aria-label="Graph">
        <Graph
          {...{ steps, ways }}
          label={`${steps.length} steps and agents, ${count("loop")} loops, ${count("trigger")} triggers. The list below has them as text.`}
        />
      </div>
      <details>
        <summary>As text</summary>
        <ul>
          {steps.map((step) => (
            <li key={step.name}>
              <Text>{step.name}</Text>, {stateText(step)}
              {ways
                .filter(({ from }) => from === step.name)
                .map(({ kind, to, times, most }) => (
                  <span key={`${kind} ${to}`}>
                    ; {KINDS[kind]} <Text>{to}</Text> {timesText(times, most)}
                  </span>
                ))}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

const KINDS = { next: "goes on to", loop: "goes back to", trigger: "calls" } as const;

const stateText = ({ kind, state, times }: StepSeen): string =>
  `${kind === "agent" ? "called agent, " : ""}${state}, started ${times === 1 ? "once" : `${times} times`}`;

const timesText = (times: number, most: number | null): string =>
  most === null ? (times === 1 ? "once" : `${times} times`) : `${times} of ${most} times`;

interface Placed extends StepSeen {
  readonly x: number;
  readonly y: number;
}

interface GraphProps {
  readonly steps: readonly StepSeen[];
  readonly ways: readonly WaySeen[];
  readonly label: string;
}

function Graph({ steps, ways, label }: GraphProps) {
  const places = placesOf(steps, ways);
  const height = Math.max(...[...places.values()].map(({ y }) => y)) + BOX.height + 20;
  const width = AGENTS_X + BOX.width + 20;
  return (
    <svg
      class="graph"
      {...{ width, height }}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      <defs>
        <marker
          id="arrow"
          viewBox="0 0 8 8"
          refX="7"
          refY="4"
          markerWidth="8"
          markerHeight="8"
          orient="auto"
        >
          <path d="M0 0 L8 4 L0 8 z" />
        </marker>
      </defs>
      {ways.map((way) => {
        const [from, to] = [places.get(way.from), places.get(way.to)];
        return from === undefined || to === undefined ? null : (
          <Way key={`${way.kind} ${way.from} ${way.to}`} {...{ way, from, to }} />
        );
      })}
      {[...places.values()].map((step) => (
        <Box key={step.name} step={step} />
      ))}
    </svg>
  );
}

/** Steps stand below each other, and called agents beside the step that first called them, or below the agents there. */
function placesOf(
  steps: readonly StepSeen[],
  ways: readonly WaySeen[],
): ReadonlyMap<string, Placed> {
  const places = new Map<string, Placed>();
  const own = steps.filter(({ kind }) => kind === "step");
  for (const [row, step] of own.entries())
    places.set(step.name, { ...step, x: STEPS_X, y: 20 + row * ROW });
  let free = 20;
  for (const step of steps.filter(({ kind }) => kind === "agent")) {
    const caller = ways.find(({ kind, to }) => kind === "trigger" && to === step.name)?.from ?? "";
    const y = Math.max(free, places.get(caller)?.y ?? free);
    places.set(step.name, { ...step, x: AGENTS_X, y });
    free = y + ROW;
  }
  return places;
}

function Box({ step }: { readonly step: Placed }) {
  const { name, x, y, kind, state, times } = step;
  const title = shown(name);
  return (
    <g class={`box ${kind} ${state}`}>
      <rect {...{ x, y }} width={BOX.width} height={BOX.height} rx={kind === "agent" ? 20 : 6} />
      <text x={x + BOX.width / 2} y={y + 17}>
        {title.length > FITS ? `${title.slice(0, FITS - 1)}…` : title}
      </text>
      <text class="note" x={x + BOX.width / 2} y={y + 32}>
        {state}
        {times > 1 ? `, ${times} times` : ""}
      </text>
    </g>
  );
}

interface WayProps {
  readonly way: WaySeen;
  readonly from: Placed;
  readonly to: Placed;
}

function Way({ way: { kind, times, most }, from, to }: WayProps) {
  const middle = BOX.height / 2;
  const said = most === null ? `×${times}` : `${times} of ${most}`;
  if (kind === "next" && to.y === from.y + ROW && to.x === from.x) {
    const x = from.x + BOX.width / 2;
    return (
      <g class="way next">
        <path d={`M${x} ${from.y + BOX.height} L${x} ${to.y}`} marker-end="url(#arrow)" />
        {times > 1 && (
          <text x={x + 18} y={to.y - 10}>
            {said}
          </text>
        )}
      </g>
    );
  }
  const [y1, y2] = [from.y + middle, to.y + middle];
  if (from.x < to.x)
    return (
      <g class={`way ${kind}`}>
        <path d={`M${from.x + BOX.width} ${y1} L${to.x} ${y2}`} marker-end="url(#arrow)" />
        <text x={(from.x + BOX.width + to.x) / 2} y={(y1 + y2) / 2 - 6}>
          {said}
        </text>
      </g>
    );
  // Loops pass on the left of the steps, and everything else on the right.
  const isLeft = kind === "loop";
  const edge = isLeft ? from.x : from.x + BOX.width;
  const end = isLeft ? to.x : to.x + BOX.width;
  const out = Math.min(90, 30 + (Math.abs(y2 - y1) / ROW) * 12) * (isLeft ? -1 : 1);
  const bend = (isLeft ? Math.min(edge, end) : Math.max(edge, end)) + out;
  return (
    <g class={`way ${kind}`}>
      <path
        d={`M${edge} ${y1 - 6} C${bend} ${y1} ${bend} ${y2} ${end} ${y2 + 6}`}
        marker-end="url(#arrow)"
      />
      <text
        class={isLeft ? "before" : "after"}
        x={(edge + end) / 8 + bend * 0.75 + (isLeft ? -6 : 6)}
        y={(y1 + y2) / 2 + 4}
      >
        {said}
      </text>
    </g>
  );
}
