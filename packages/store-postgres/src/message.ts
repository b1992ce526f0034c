/** The parameters of a statement in the binary form of the protocol, in order. */
export interface Parameters {
  uuid(value: string): void;
  int(value: number): void;
  long(value: number): void;
  text(value: string): void;
  /** Written in hexadecimal, as all bytes here are. */
  bytea(value: string): void;
  ints(values: readonly number[]): void;
  longs(values: readonly number[]): void;
  texts(values: readonly string[]): void;
  byteas(values: readonly string[]): void;
}

/** Writes the messages of one connection, one at a time: the bytes of one are good until the next. */
export interface Message {
  /** Those that bind the parameters to a statement that is prepared, and execute it. What it answers is not described. */
  bind(name: string, parameters: number, write: (to: Parameters) => void): Buffer;
  /** The parameters alone, each for itself. */
  values(write: (to: Parameters) => void): readonly Buffer[];
}

const OID = { bytea: 17, int8: 20, int4: 23, text: 25 } as const;
const HEADER = 20;
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

  /** Room for a parameter, whose length is written when it is known. Returns where it begins. */
  function open(bytes: number): number {
    room(4 + bytes);
    at += 4;
    starts.push(at);
    return at;
  }

  function close(start: number): void {
    buffer.writeInt32BE(at - start, start - 4);
  }

  function array<T>(type: keyof typeof OID, values: readonly T[], bytes: number, put: (value: T) => number): void {
    const start = open(HEADER + bytes);
    // One without elements has no dimension either.
    buffer.writeInt32BE(values.length === 0 ? 0 : 1, at);
    buffer.writeInt32BE(0, at + 4);
    buffer.writeInt32BE(OID[type], at + 8);
    at += 12;
    if (values.length > 0) {
      buffer.writeInt32BE(values.length, at);
      buffer.writeInt32BE(1, at + 4);
      at += 8;
      for (const value of values) {
        const length = put(value);
        buffer.writeInt32BE(length, at);
        at += 4 + length;
      }
    }
    close(start);
  }

  function longAt(value: number, place: number): void {
    buffer.writeInt32BE(Math.floor(value / 2 ** 32), place);
    buffer.writeUInt32BE(value % 2 ** 32, place + 4);
  }

  // Each writes an element behind its length, and returns that.
  const putInt = (value: number): number => buffer.writeInt32BE(value, at + 4) - at - 4;
  function putLong(value: number): number {
    longAt(value, at + 4);
    return 8;
  }
  const putText = (value: string): number => buffer.write(value, at + 4);
  const putBytes = (value: string): number => buffer.write(value, at + 4, "hex");

  function most(values: readonly string[], bytes: number): number {
    let sum = 0;
    for (const { length } of values) sum += 4 + bytes * length;
    return sum;
  }

  const parameters: Parameters = {
    uuid(value) {
      const start = open(16);
      at += buffer.write(value.replaceAll("-", ""), at, "hex");
      close(start);
    },
    int(value) {
      const start = open(4);
      at = buffer.writeInt32BE(value, at);
      close(start);
    },
    long(value) {
      const start = open(8);
      longAt(value, at);
      at += 8;
      close(start);
    },
    text(value) {
      const start = open(3 * value.length);
      at += buffer.write(value, at);
      close(start);
    },
    bytea(value) {
      const start = open(value.length / 2);
      at += buffer.write(value, at, "hex");
      close(start);
    },
    ints: (values) => array("int4", values, 8 * values.length, putInt),
    longs: (values) => array("int8", values, 12 * values.length, putLong),
    texts: (values) => array("text", values, most(values, 3), putText),
    byteas: (values) => array("bytea", values, most(values, 1), putBytes),
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
      return starts.map((start) => buffer.subarray(start, start + buffer.readInt32BE(start - 4)));
    },
  };
}
