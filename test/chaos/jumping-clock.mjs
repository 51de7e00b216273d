import { readFileSync } from 'node:fs';

/** Imported by the App before anything else: its clock is off by what a file says, from each SIGUSR2 on. */

const file = new URL(import.meta.url).searchParams.get('file') ?? '';
const RealDate = Date;
let offMs = 0;
const read = () => {
  offMs = Number(readFileSync(file, 'utf8'));
};
const now = () => RealDate.now() + offMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (date, given, called) => Reflect.construct(date, given.length === 0 ? [now()] : given, called),
  apply: () => new RealDate(now()).toString(),
  get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
});
read();
process.on('SIGUSR2', read);
