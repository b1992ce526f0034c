import { describe, expect, test } from "vitest";
import { effectsOf } from "./told.ts";

describe("git writes what patches name below its folder", () => {
  test.each([
    ["git apply p", ["vcs apply", "read p", "write+ ."]],
    ["git apply", ["vcs apply", "write+ ."]],
    ["git -C d apply p", ["vcs apply", "read d", "read d/p", "write+ d"]],
    ["git apply --directory=d p", ["vcs apply", "read p", "write+ .", "write+ d"]],
    ["git apply --index -3 -R p", ["vcs apply", "read p", "write+ ."]],
    ["git apply --stat --apply p", ["vcs apply", "read p", "write+ ."]],
    ["git apply --cached --reject p", ["vcs apply", "read p", "write+ ."]],
    ["git apply --check --no-check p", ["vcs apply", "read p", "write+ ."]],
    ['git apply --check "$O"', ["vcs apply", "read ?", "write+ ."]],
    ["git apply --check -v p", ["vcs apply", "read p"]],
    ["git apply --check --directory=d p", ["vcs apply", "read p"]],
    ["git apply --stat --summary p", ["vcs apply", "read p"]],
    ["git apply --cached p", ["vcs apply", "read p"]],
    ["git am p", ["vcs am", "read p", "write+ ."]],
    ["git am -3 --directory=d < p", ["vcs am", "read p", "write+ .", "write+ d"]],
    ["git am --continue", ["vcs am", "write+ ."]],
    ["git am --quit", ["vcs am"]],
    ["git am --show-current-patch=diff", ["vcs am"]],
  ])("%s", (line, effects) =>
    expect([...effectsOf(line)].toSorted()).toEqual([...effects].toSorted()),
  );
});
