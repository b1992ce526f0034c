import {
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@bylaw/testing";
import { expect, it } from "vitest";
import { prepareFile } from "../src/file.ts";

/** A store file in a folder in which nothing has changed for a long time, and the path to its folder. */
function quiet(folder: string, path = folder) {
  writeFileSync(join(folder, "store.db-wal"), "");
  const file = prepareFile(join(path, "store.db"), { now: () => Date.now() + 60_000 });
  file.mark();
  file.check();
  // The clock of the file system is coarse. Wait until a new change gets a new timestamp.
  const { ctimeMs } = statSync(folder);
  const other = join(folder, "..", `tick-${process.pid}-${String(Math.random())}`);
  do {
    rmSync(other, { force: true });
    writeFileSync(other, "");
  } while (statSync(other).ctimeMs <= ctimeMs);
  rmSync(other);
  expect(() => file.check()).not.toThrow();
  return file;
}

it.each(["store.db", "store.db-wal"])(
  "notices that %s is deleted or replaced, even after a long time without changes",
  (name) => {
    for (const replace of [false, true]) {
      const folder = temporaryFolder();
      const other = join(temporaryFolder(), "other");
      writeFileSync(other, "");
      const file = quiet(folder);
      if (replace) renameSync(other, join(folder, name));
      else rmSync(join(folder, name));
      expect(() => file.check()).toThrow(/was deleted or replaced/);
    }
  },
);

it("notices it even if the time of the folder is set back afterwards", () => {
  const folder = temporaryFolder();
  const file = quiet(folder);
  const { atime, mtime } = statSync(folder);
  renameSync(join(folder, "store.db"), join(folder, "moved.db"));
  utimesSync(folder, atime, mtime);
  expect(() => file.check()).toThrow(/was deleted or replaced/);
});

it.runIf(process.platform !== "win32")(
  "notices it behind a link to the folder, and when the folder is moved or the link is redirected",
  () => {
    for (const change of ["delete", "move", "link"] as const) {
      const [folder, links] = [temporaryFolder(), temporaryFolder()];
      symlinkSync(folder, join(links, "link"));
      const file = quiet(folder, join(links, "link"));
      if (change === "delete") rmSync(join(folder, "store.db"));
      if (change === "move") renameSync(folder, `${folder}-moved`);
      if (change === "link") {
        rmSync(join(links, "link"));
        mkdirSync(join(links, "link"));
      }
      expect(() => file.check()).toThrow(/was deleted or replaced/);
      rmSync(`${folder}-moved`, { recursive: true, force: true });
    }
  },
);
