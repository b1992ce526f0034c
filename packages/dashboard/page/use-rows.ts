import { useEffect, useRef, useState } from "preact/hooks";
import { matches, rowOf, type Row, type RowFilter } from "../src/rows.ts";
import { follow, get } from "./api.ts";

interface RowPage {
  readonly rows: readonly Row[];
  readonly next?: number;
  readonly head?: number;
}

/** The rows of a run that match a filter, the newest first. */
export interface Rows {
  readonly rows: readonly Row[];
  /** Rows that came while the list was scrolled. */
  readonly waiting: number;
  /** The sequence below which nothing was read yet; `undefined` at the beginning of the log. */
  readonly next: number | undefined;
  readonly state: "loading" | "live" | "offline";
  readonly error: string | undefined;
  readonly isFull: boolean;
  readonly more: () => void;
  readonly showWaiting: () => void;
  readonly setAtTop: (atTop: boolean) => void;
}

/** How many rows a page of the server has, and how many the browser keeps. */
const PAGE = 200;
const KEPT = 50_000;

/** Lists and follows the events of a run. Only their rows are kept, because an event may have a megabyte. */
export function useRows(run: string | undefined, filter: RowFilter): Rows {
  const [shown, setShown] = useState<readonly Row[]>([]);
  const [waiting, setWaiting] = useState<readonly Row[]>([]);
  const [next, setNext] = useState<number>();
  const [state, setState] = useState<Rows["state"]>("loading");
  const [error, setError] = useState<string>();
  const isAtTop = useRef(true);
  /** The rows of which run and filter are listed, and whether more of them are being read. */
  const list = useRef({ of: "", isReading: false });
  const asked = JSON.stringify([run, filter]);
  const query = { run, ...filter, decided: filter.decided === true ? "true" : undefined };

  useEffect(() => {
    const ended = new AbortController();
    let fresh: Row[] = [];
    let frame = 0;
    const flush = (): void => {
      frame = 0;
      const rows = fresh.toReversed();
      fresh = [];
      if (isAtTop.current) setShown((before) => [...rows, ...before].slice(0, KEPT));
      else setWaiting((before) => [...rows, ...before].slice(0, KEPT));
    };
    const take = (data: string): void => {
      const row = rowOf(JSON.parse(data), null);
      if (!matches({ ...row, phase: filter.phase ?? null }, filter)) return;
      fresh.push(row);
      if (frame === 0) frame = requestAnimationFrame(flush);
    };
    const start = async (): Promise<void> => {
      const page = await get<RowPage>("decisions", { ...query, limit: PAGE }, ended.signal);
      // The filter may have changed while the answer was read.
      if (ended.signal.aborted) return;
      setShown(page.rows);
      setNext(page.next);
      setError(undefined);
      const on = { event: take, state: (live: boolean) => setState(live ? "live" : "offline") };
      await follow(run, page.head ?? page.rows[0]?.sequence ?? 0, on, ended.signal);
    };
    list.current = { of: asked, isReading: false };
    setState("loading");
    setNext(undefined);
    setWaiting([]);
    setShown([]);
    start().catch((failure: Error) => {
      if (ended.signal.aborted) return;
      setError(failure.message);
      setState("offline");
    });
    return () => {
      ended.abort();
      cancelAnimationFrame(frame);
    };
  }, [asked]);

  return {
    rows: shown,
    waiting: waiting.length,
    next,
    state,
    error,
    isFull: shown.length >= KEPT,
    more() {
      const { current } = list;
      if (next === undefined || current.of !== asked || current.isReading) return;
      if (shown.length >= KEPT) return;
      current.isReading = true;
      get<RowPage>("decisions", { ...query, below: next, limit: PAGE })
        .then((page) => {
          if (list.current !== current) return;
          setShown((before) => [...before, ...page.rows].slice(0, KEPT));
          setNext(page.next);
        })
        .catch((failure: Error) => list.current === current && setError(failure.message))
        .finally(() => (current.isReading = false));
    },
    showWaiting() {
      setShown((before) => [...waiting, ...before].slice(0, KEPT));
      setWaiting([]);
    },
    setAtTop(atTop) {
      isAtTop.current = atTop;
    },
  };
}
