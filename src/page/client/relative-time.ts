/** Replaces each time on the page with its age; the time itself becomes the title. */
export function showAges(): void {
  for (const time of document.querySelectorAll('time')) {
    const at = Date.parse(time.dateTime);
    if (Number.isNaN(at)) continue;
    if (time.title === '') time.title = time.textContent;
    const age = 'countdown' in time.dataset ? countdownText(at) : ageText(at);
    if (time.textContent !== age) time.textContent = age;
  }
}

const units = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;
const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function ageText(at: number): string {
  const seconds = (at - Date.now()) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return seconds > 5 ? 'in less than a minute' : 'just now';
  const [name, length] = unit;
  return format.format(Math.trunc(seconds / length), name);
}

/** `in 9 min 5 s`; what is longer away needs no seconds. */
function countdownText(at: number): string {
  const seconds = Math.ceil((at - Date.now()) / 1000);
  if (seconds <= 0) return 'now';
  if (seconds >= 3600) return ageText(at);
  return seconds < 60 ? `in ${seconds} s` : `in ${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
