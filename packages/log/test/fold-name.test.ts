import { expect, it } from "vitest";
import { foldName } from "../src/index.ts";

it("folds names that differ only in Unicode form, case, spaces and invisible characters into one", () => {
  const unseen = [
    0x00, 0x07, 0x1b, 0x7f, 0xad, 0x34f, 0x61c, 0x180e, 0x200b, 0x202e, 0x2060, 0x2800, 0x3164,
    0xfe0f, 0xfeff, 0xfff9, 0xe0061, 0xe000,
  ];
  for (const code of unseen) {
    const sign = String.fromCodePoint(code);
    expect([code, foldName(`a${sign}nn${sign}`)]).toEqual([code, "ann"]);
    expect([code, foldName(sign)]).toEqual([code, ""]);
  }
  expect(foldName("an\ud800n")).toBe("ann");
  for (const name of ["ANN", " ann\t", "\uff21nn", "a\u200bn\u00adn"])
    expect(foldName(name)).toBe("ann");
  expect(foldName("Ann \u3000 Lee")).toBe("ann lee");
  expect(foldName("anna")).toBe("anna");
  expect(foldName("\u00e9")).toBe(foldName("e\u0301"));
});
