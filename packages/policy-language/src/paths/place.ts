import { foldName } from "./fold-name.ts";

const MAY_CHANGE = /[^\u0000-@[-\u007f]|[. ]$/;

/** A name, as a segment of a glob without wildcards. */
interface LiteralName {
  readonly prefix: string;
  readonly suffix: string;
  readonly literal: string;
}

/** An absolute path in segments, without `.` and `..`. */
export class Place {
  readonly segments: readonly string[];
  #literals: readonly LiteralName[] | undefined = undefined;
  #folded: Place | undefined = undefined;

  constructor(segments: readonly string[]) {
    this.segments = segments;
  }

  /** The path as a file system reads it that ignores case. This object if nothing changes. */
  get folded(): Place {
    return (this.#folded ??= this.#fold());
  }

  /** The segments, as segments of a glob. */
  get literals(): readonly LiteralName[] {
    return (this.#literals ??= this.segments.map((text) => ({
      prefix: text,
      suffix: text,
      literal: text,
    })));
  }

  #fold(): Place {
    const { segments } = this;
    if (!segments.some((name) => MAY_CHANGE.test(name))) return this;
    // Some file systems ignore dots and blanks at the end of a name.
    const names = segments.map((name) => foldName(name.replace(/(?<=[^. ])[. ]+$/, "")));
    return names.every((name, at) => name === segments[at]) ? this : new Place(names);
  }

  /** Whether the path is the given folder or inside it. */
  isBelow({ segments: folder }: Place): boolean {
    const { segments } = this;
    if (segments.length < folder.length) return false;
    // Compare from the end, because folders differ most often there.
    for (let at = folder.length - 1; at >= 0; at--) if (segments[at] !== folder[at]) return false;
    return true;
  }
}

export const ROOT = new Place([]);

/**
 * The path as some file systems read it: without dots and spaces at the end of a name, and without a stream.
 * Undefined if that is the same.
 */
export function trimmed({ segments: place }: Place): readonly string[] | undefined {
  const names = place.map((name) =>
    name.replace(/(?<=.):.*$/s, "").replace(/(?<=[^.\s])[.\s]+$/, ""),
  );
  return names.some((name, at) => name !== place[at]) ? names : undefined;
}

/** Whether the shell leaves it as it is when a variable stands for it without quotes. */
export const staysOneWord = ({ segments }: Place): boolean =>
  !segments.some((name) => /[\s*?[\]\\()|]/.test(name));

/** Whether it leads through `/proc` to the files of a process. */
export function isProcAlias({ segments: [first, , third] }: Place): boolean {
  return (
    first === "proc" &&
    (third === "root" ||
      third === "cwd" ||
      third === "fd" ||
      third === "task" ||
      third === "map_files")
  );
}
