import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly count: number;
  /** The height of a row in pixels. Every row has the same. */
  readonly height: number;
  readonly label: string;
  /** The id of the element of a row, which is drawn as an `option`. */
  readonly idOf: (index: number) => string;
  readonly active: number;
  readonly children: (index: number) => ComponentChildren;
  readonly onActive: (index: number) => void;
  readonly onOpen: (index: number) => void;
  /** Called when the last rows come into view. */
  readonly onEnd: () => void;
  readonly onScroll: (atTop: boolean) => void;
}

/** How many rows are drawn above and below what is visible. */
const MARGIN = 10;

/** Draws only the rows that are visible. The arrow keys move through them, and Enter opens one. */
export function VirtualList(props: VirtualListProps) {
  const { count, height, label, idOf, active, children, onActive, onOpen, onEnd, onScroll } = props;
  const element = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const observer = new ResizeObserver(() => setRoom(current.clientHeight));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const first = Math.max(0, Math.floor(top / height) - MARGIN);
  const end = Math.min(count, Math.ceil((top + room) / height) + MARGIN);
  useEffect(() => {
    if (end >= count) onEnd();
  }, [end, count]);

  const move = (to: number): void => {
    const index = Math.max(0, Math.min(count - 1, to));
    onActive(index);
    const { current } = element;
    if (current === null) return;
    const at = index * height;
    if (at < current.scrollTop) current.scrollTop = at;
    if (at + height > current.scrollTop + current.clientHeight)
      current.scrollTop = at + height - current.clientHeight;
  };
  const rows = Array.from({ length: Math.max(0, end - first) }, (_, index) =>
    children(first + index),
  );
  return (
    <div
      class="list"
      ref={element}
      role="listbox"
      aria-label={label}
      aria-activedescendant={active >= first && active < end ? idOf(active) : undefined}
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        setTop(currentTarget.scrollTop);
        onScroll(currentTarget.scrollTop < height);
      }}
      onKeyDown={(event) => {
        const page = Math.max(1, Math.floor(room / height) - 1);
        const steps: Readonly<Record<string, number>> = {
          ArrowDown: active + 1,
          ArrowUp: active - 1,
          PageDown: active + page,
          PageUp: active - page,
          Home: 0,
          End: count - 1,
        };
        const to = steps[event.key];
        if (to !== undefined) move(to);
        else if (event.key === "Enter" && active >= 0) onOpen(active);
        else return;
        event.preventDefault();
      }}
    >
      <div role="presentation" style={{ height: `${count * height}px` }}>
        <div role="presentation" style={{ transform: `translateY(${first * height}px)` }}>
          {rows}
        </div>
      </div>
    </div>
  );
}
