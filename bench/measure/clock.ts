/** The machine's monotonic clock, the same in every process, in milliseconds. */
export function nowMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
