/** The parameters of a statement in the binary form of the protocol, in order. */
export interface Parameters {
  uuid(value: string): void;
  int(value: number): void;
  long(value: number): void;
  ints(values: readonly number[]): void;
  longs(values: readonly number[]): void;
  texts(values: readonly string[]): void;
  /** `bytea[]`, of elements written in hexadecimal. */
  bytes(values: readonly string[]): void;
}

/** Writes the messages of one connection, one at a time: the bytes of one are good until the next. */
export interface Message {
  /** Those that bind the parameters to a statement that is prepared, and execute it. What it answers is not described. */
  bind(name: string, parameters: number, write: (to: Parameters) => void): Buffer;
  /** The parameters alone, each for itself. */
  values(write: (to: Parameters) => void): readonly Buffer[];
}

const OID = { bytea: 17, int8: 20, int4: 23, text: 25 } as const;
const FIRST = 16_384;
/** More than this is let go of afterwards. */
const KEPT = 1_048_576;
// Execute of the unnamed portal without a limit, and Sync.
const EXECUTE = Buffer.from([0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0x53, 0, 0, 0, 4]);
const BIND = 0x42;

export function createMessage(): Message {
  let buffer = Buffer.allocUnsafeSlow(FIRST);
  let at = 0;
  let starts: number[] = [];

  function room(bytes: number): void {
    if (at + bytes <= buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(2 * buffer.length, at + bytes));
    buffer.copy(larger, 0, 0, at);
    buffer = larger;
  }

  function begin(): void {
    if (buffer.length > KEPT) buffer = Buffer.allocUnsafeSlow(FIRST);
    [at, starts] = [0, []];
  }

  // The length of a parameter or element stands before it and is known after it.
  function sized(write: () => void): void {
    const start = at;
    at += 4;
    write();
    buffer.writeInt32BE(at - start - 4, start);
  }

  function parameter(bytes: number, write: () => void): void {
    room(4 + bytes);
    starts.push(at);
    sized(write);
  }

  const putInt = (value: number): void => void (at = buffer.writeInt32BE(value, at));
  function putLong(value: number): void {
    putInt(Math.floor(value / 2 ** 32));
    at = buffer.writeUInt32BE(value % 2 ** 32, at);
  }

  // One without elements has no dimension either.
  function array<T>(type: keyof typeof OID, values: readonly T[], bytes: number, put: (value: T) => void): void {
    parameter(20 + bytes, () => {
      putInt(values.length === 0 ? 0 : 1);
      putInt(0);
      putInt(OID[type]);
      if (values.length === 0) return;
      putInt(values.length);
      putInt(1);
      for (const value of values) sized(() => put(value));
    });
  }

  const most = (values: readonly string[], bytes: number): number => values.reduce((sum, { length }) => sum + 4 + bytes * length, 0);
  const parameters: Parameters = {
    uuid: (value) => parameter(16, () => void (at += buffer.write(value.replaceAll("-", ""), at, "hex"))),
    int: (value) => parameter(4, () => putInt(value)),
    long: (value) => parameter(8, () => putLong(value)),
    ints: (values) => array("int4", values, 8 * values.length, putInt),
    longs: (values) => array("int8", values, 12 * values.length, putLong),
    texts: (values) => array("text", values, most(values, 3), (value) => void (at += buffer.write(value, at))),
    bytes: (values) => array("bytea", values, most(values, 1), (value) => void (at += buffer.write(value, at, "hex"))),
  };

  return {
    bind(name, count, write) {
      begin();
      buffer.writeUInt8(BIND, 0);
      // Behind the length the unnamed portal, the statement, and one format for all parameters: binary.
      at = buffer.writeUInt8(0, 5);
      at += buffer.write(`${name}\0`, at);
      at = buffer.writeUInt16BE(1, at);
      at = buffer.writeUInt16BE(1, at);
      at = buffer.writeUInt16BE(count, at);
      write(parameters);
      room(2 + EXECUTE.length);
      at = buffer.writeUInt16BE(0, at);
      buffer.writeInt32BE(at - 1, 1);
      at += EXECUTE.copy(buffer, at);
      return buffer.subarray(0, at);
    },
    values(write) {
      // The driver holds on to these, and has perhaps not sent all of the messages before.
      buffer = Buffer.allocUnsafeSlow(FIRST);
      begin();
      write(parameters);
      const ends = [...starts.slice(1), at];
      return starts.map((start, index) => buffer.subarray(start + 4, ends[index]));
    },
  };
}
