import { lstatSync, type BigIntStats } from "node:fs";

/**
 * Whether git may list a file as changed. `fields`: its entry in the index, without the name. `time`: when the index was written. Git trusts
 * the recorded state of a file, unless the file was written in the same second as the index, or later.
 */
export function mayDiffer(path: string, fields: Buffer, time: bigint): boolean {
  const state = stateOf(path);
  // Git compares only the seconds of these two times.
  const isFresh = fields.readUInt32BE(MTIME) >= Number(time / SECOND);
  if (state === undefined || isFresh || isSpecial(fields)) return true;
  return !(
    timeAt(fields, CTIME) === state.ctimeNs &&
    timeAt(fields, MTIME) === state.mtimeNs &&
    fields.readUInt32BE(INODE) === low(state.ino) &&
    fields.readUInt32BE(MODE) === modeOf(state) &&
    fields.readUInt32BE(USER) === low(state.uid) &&
    fields.readUInt32BE(GROUP) === low(state.gid) &&
    fields.readUInt32BE(SIZE) === low(state.size)
  );
}

function stateOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

// Positions in an entry. See gitformat-index(5).
const [CTIME, MTIME, INODE, MODE, USER, GROUP, SIZE, FLAGS] = [0, 8, 20, 24, 28, 32, 36, 60];
const SECOND = 1_000_000_000n;
const STAGE = 0x3000;
const EXTENDED = 0x4000;

// A conflict, an intent to add, or an entry whose state git does not trust.
const isSpecial = (fields: Buffer): boolean =>
  (fields.readUInt16BE(FLAGS) & (STAGE | EXTENDED)) !== 0 || fields.readUInt32BE(SIZE) === 0;

const timeAt = (fields: Buffer, at: number): bigint =>
  BigInt(fields.readUInt32BE(at)) * SECOND + BigInt(fields.readUInt32BE(at + 4));

const low = (value: bigint): number => Number(value & 0xffff_ffffn);

// Git keeps the kind of a file and whether its owner may run it.
function modeOf(state: BigIntStats): number {
  if (state.isSymbolicLink()) return 0o120000;
  if (!state.isFile()) return 0;
  return (state.mode & 0o100n) === 0n ? 0o100644 : 0o100755;
}
