import { isIP, isIPv4, isIPv6 } from "node:net";

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([zZ]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  return (
    text.length <= 40 &&
    /^.{10}[tT ]/.test(text) &&
    isDate(text.slice(0, 10)) &&
    TIME.test(text.slice(11))
  );
}

const isHostname = (text: string): boolean =>
  text.length <= 253 && text.split(".").every((label) => LABEL.test(label));

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const name = text.slice(0, at);
  return (
    at > 0 &&
    text.length <= 254 &&
    !/[\s@<>()[\],;:\\"]/.test(name) &&
    isHostname(text.slice(at + 1))
  );
}

/** The formats that a schema may name. Each function takes time proportional to the text. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  date: isDate,
  time: (text) => TIME.test(text),
  "date-time": isDateTime,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: (text) => isIP(text) === 6 && isIPv6(text) && !text.includes("%"),
  uri: (text) => /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]+$/i.test(text) && URL.canParse(text),
  uuid: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};
