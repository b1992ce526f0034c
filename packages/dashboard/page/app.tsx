import { useEffect, useState } from "preact/hooks";
import { get, isSignedIn, keepToken, type Me, type RunName } from "./api.ts";
import { Agents } from "./agents.tsx";
import { Consensus } from "./consensus.tsx";
import { Constitution } from "./constitution.tsx";
import { Decisions } from "./decisions.tsx";
import { Experiments } from "./experiments.tsx";
import { Questions } from "./questions.tsx";
import { shown, timeText } from "./shown.ts";
import { Rates } from "./rates.tsx";
import { SignIn } from "./sign-in.tsx";
import { StateView } from "./state-view.tsx";
import { Tasks } from "./tasks.tsx";
import { Workflow } from "./workflow.tsx";

const VIEWS = [
  ["decisions", "Decisions"],
  ["questions", "Questions"],
  ["run", "Agents and tasks"],
  ["work", "Workflow"],
  ["experiments", "Experiments"],
] as const;
/** The sections of the two views of a state. */
const RUN = [Agents, Rates, Tasks];
const WORK = [Workflow, Consensus, Constitution];

type View = (typeof VIEWS)[number][0];

const viewInAddress = (): View =>
  VIEWS.find(([name]) => location.hash === `#${name}`)?.[0] ?? "decisions";

/** How often the list of runs is read, in milliseconds. */
const RUNS_MS = 5_000;

/** The page: who is signed in, which run, and what of it. */
export function App() {
  const [me, setMe] = useState<Me>();
  const [isKnown, setKnown] = useState(!isSignedIn());
  const [chosen, setChosen] = useState<string>();
  const [view, setView] = useState<View>(viewInAddress);
  useEffect(() => {
    const changed = (): void => setView(viewInAddress());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  const load = (): void => {
    get<Me>("me", { run: me?.many_runs === true ? (chosen ?? me.runs.at(-1)?.run) : undefined })
      .then(setMe)
      .catch(() => !isSignedIn() && setMe(undefined))
      .finally(() => setKnown(true));
  };
  useEffect(() => {
    if (!isKnown) load();
  }, []);
  const isIn = me !== undefined;
  useEffect(() => {
    if (!isIn) return;
    load();
    const timer = setInterval(load, RUNS_MS);
    return () => clearInterval(timer);
  }, [isIn, chosen]);
  const latest = me?.runs.at(-1)?.run;
  // A run that becomes the latest must not take the place of the one that is looked at.
  useEffect(() => setChosen((before) => before ?? latest), [latest]);
  const run = chosen ?? latest;
  const waits = me?.runs.find((one) => one.run === run)?.waits ?? 0;
  useEffect(() => {
    document.title = waits === 0 ? "Bylaw" : `(${waits}) Bylaw`;
  }, [waits]);
  if (!isKnown) return <main class="sign-in">Loading …</main>;
  if (me === undefined) return <SignIn onDone={setMe} />;
  const out = (): void => {
    keepToken("");
    setMe(undefined);
  };
  return (
    <>
      <header>
        <h1>Bylaw</h1>
        <nav aria-label="Views">
          {VIEWS.map(([name, label]) => (
            <a key={name} href={`#${name}`} aria-current={view === name ? "page" : undefined}>
              {label}
              {name === "questions" && waits > 0 && <span class="count"> {waits}</span>}
            </a>
          ))}
        </nav>
        {view !== "experiments" && <RunChoice me={me} run={run} onChoose={setChosen} />}
        <span class="muted who">
          {shown(me.name)}
          {me.can_answer ? "" : ", reading only"}
        </span>
        <button type="button" onClick={out}>
          Sign out
        </button>
      </header>
      <main>
        {view === "experiments" ? (
          <Experiments />
        ) : run === undefined ? (
          <p class="empty">The store holds no runs yet.</p>
        ) : (
          <RunView key={run} run={me.many_runs ? run : undefined} me={me} view={view} />
        )}
      </main>
    </>
  );
}

interface RunViewProps {
  readonly run: string | undefined;
  readonly me: Me;
  readonly view: View;
}

/** A view of a run. Both views of a state show it after the same event. */
function RunView({ run, me, view }: RunViewProps) {
  const [at, setAt] = useState("");
  const showState = (sequence: number): void => {
    setAt(String(sequence));
    location.hash = "#run";
  };
  const state = { run, at, onAt: setAt };
  return (
    <>
      {view === "decisions" && <Decisions run={run} onState={showState} />}
      {view === "questions" && <Questions run={run} me={me} />}
      {view === "run" && <StateView key="run" {...state} sections={RUN} />}
      {view === "work" && <StateView key="work" {...state} sections={WORK} />}
    </>
  );
}

interface RunChoiceProps {
  readonly me: Me;
  readonly run: string | undefined;
  readonly onChoose: (run: string) => void;
}

function RunChoice({ me, run, onChoose }: RunChoiceProps) {
  return (
    <label class="run">
      Run
      <select value={run ?? ""} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {me.runs.toReversed().map((one) => (
          <option key={one.run} value={one.run}>
            {runText(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

// Runs of coding agents are named by an id, so the time tells them apart.
const runText = ({ run, last, waits }: RunName): string =>
  [
    shown(run.slice(0, 60)),
    ...(waits === 0 ? [] : [waits === 1 ? "1 question" : `${waits} questions`]),
    ...(last === null ? [] : [timeText(last)]),
  ].join(", ");
