// Arrays in the binary form of the protocol: as text every sign of an event that stands between quotes would be escaped and read twice.

const OID = { bytea: 17, int8: 20, int4: 23, text: 25 } as const;
const HEADER = 20;

function arrayOf(type: keyof typeof OID, length: number, bytes: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER + 4 * length + bytes);
  array.writeInt32BE(length === 0 ? 0 : 1, 0);
  array.writeInt32BE(0, 4);
  array.writeInt32BE(OID[type], 8);
  array.writeInt32BE(length, 12);
  array.writeInt32BE(1, 16);
  // One without elements has no dimension either.
  return length === 0 ? array.subarray(0, 12) : array;
}

/** `text[]`. */
export function textArray(texts: readonly string[]): Buffer {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  const array = arrayOf("text", texts.length, bytes);
  let at = HEADER;
  for (const text of texts) {
    const length = array.write(text, at + 4);
    array.writeInt32BE(length, at);
    at += 4 + length;
  }
  return array;
}

/** `bytea[]`, of elements written in hexadecimal. */
export function bytesArray(elements: readonly string[]): Buffer {
  let bytes = 0;
  for (const element of elements) bytes += element.length / 2;
  const array = arrayOf("bytea", elements.length, bytes);
  let at = HEADER;
  for (const element of elements) {
    const length = array.write(element, at + 4, "hex");
    array.writeInt32BE(length, at);
    at += 4 + length;
  }
  return array;
}

/** `bigint[]`. */
export function longArray(numbers: readonly number[]): Buffer {
  const array = arrayOf("int8", numbers.length, 8 * numbers.length);
  let at = HEADER;
  for (const number of numbers) {
    array.writeInt32BE(8, at);
    array.writeInt32BE(Math.floor(number / 2 ** 32), at + 4);
    array.writeUInt32BE(number % 2 ** 32, at + 8);
    at += 12;
  }
  return array;
}

/** `integer[]`. */
export function intArray(numbers: readonly number[]): Buffer {
  const array = arrayOf("int4", numbers.length, 4 * numbers.length);
  let at = HEADER;
  for (const number of numbers) {
    array.writeInt32BE(4, at);
    array.writeInt32BE(number, at + 4);
    at += 8;
  }
  return array;
}
