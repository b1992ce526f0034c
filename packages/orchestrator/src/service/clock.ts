/** The system's time in RFC 3339, UTC. Its text is made once a millisecond: each request asks for it several times. */
export function createClock(): () => string {
  let at = Number.NaN;
  let text = "";
  return () => {
    const time = Date.now();
    if (time !== at) [at, text] = [time, new Date(time).toISOString()];
    return text;
  };
}
