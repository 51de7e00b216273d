import { fragmentType } from '../fragment-type.ts';
import { morphScript } from './morph.ts';

/** The page's one script: refreshes what is on show, sends forms without leaving the page, tells ages. */
export const liveScript = `'use strict';
(() => {
${morphScript}
const main = document.getElementById('main');
const said = document.getElementById('said');
const connection = document.getElementById('connection');
const accept = '${fragmentType}';
const everyMs = 1000;
const mostMs = 10000;
let etag = '';
let waitMs = everyMs;
let timer = 0;
let turn = 0;

function show(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html').querySelector('main');
  if (fresh === null) return;
  document.title = fresh.dataset.title;
  morph(main, fresh);
  tellAges();
}

async function refresh() {
  clearTimeout(timer);
  if (document.hidden) return;
  const mine = ++turn;
  const trouble = await look(mine);
  if (mine !== turn) return;
  connection.textContent = trouble;
  connection.hidden = trouble === '';
  waitMs = trouble === '' ? everyMs : Math.min(waitMs * 2, mostMs);
  timer = setTimeout(refresh, waitMs);
}

/** Answers what is wrong; an answer that somebody's own words have overtaken is not shown. */
async function look(mine) {
  try {
    const headers = etag === '' ? { accept } : { accept, 'if-none-match': etag };
    const signal = AbortSignal.timeout(20000);
    const response = await fetch(location.href, { headers, cache: 'no-store', signal });
    if (response.status === 304) return '';
    if (response.status === 401) return location.reload();
    const text = await response.text();
    if (!response.ok) return sentenceIn(text) || 'Coxswain cannot show this page right now.';
    if (mine !== turn) return '';
    etag = response.headers.get('etag') || '';
    show(text);
    return '';
  } catch {
    return 'Coxswain does not answer. What you see may be old; trying again.';
  }
}

function sentenceIn(text) {
  const fresh = new DOMParser().parseFromString(text, 'text/html');
  return (fresh.querySelector('[role=alert]') || fresh.querySelector('main .card'))?.textContent.trim() || '';
}

async function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  turn += 1;
  clearTimeout(timer);
  button?.setAttribute('aria-busy', 'true');
  try {
    const response = await fetch(form.action, { method: 'POST', body, headers: { accept } });
    const text = await response.text();
    if (!response.ok) return tell(sentenceIn(text) || 'That was not taken.', true);
    etag = '';
    form.reset();
    form.closest('details')?.removeAttribute('open');
    show(text);
    tell('Said.', false);
  } catch {
    tell('Coxswain does not answer, so nothing was said.', true);
  } finally {
    button?.removeAttribute('aria-busy');
    waitMs = everyMs;
    timer = setTimeout(refresh, everyMs);
  }
}

let quiet = 0;
function tell(words, isProblem) {
  clearTimeout(quiet);
  said.classList.toggle('problem', isProblem);
  said.textContent = words;
  if (!isProblem) quiet = setTimeout(() => { said.textContent = ''; }, 4000);
}

const units = [['year', 31536000], ['month', 2592000], ['day', 86400], ['hour', 3600], ['minute', 60]];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

function ageOf(at) {
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return seconds > 5 ? 'in less than a minute' : 'just now';
  return relative.format(Math.trunc(seconds / unit[1]), unit[0]);
}

function tellAges() {
  for (const time of document.querySelectorAll('time')) {
    if (Number.isNaN(Date.parse(time.dateTime))) continue;
    if (time.title === '') time.title = time.textContent;
    const age = ageOf(time.dateTime);
    if (time.textContent !== age) time.textContent = age;
  }
}

document.addEventListener('submit', (event) => {
  const form = event.target;
  if (form.method !== 'post') return;
  event.preventDefault();
  if (event.submitter?.getAttribute('aria-busy') !== 'true') void send(form, event.submitter);
});
document.addEventListener('click', (event) => {
  const insert = event.target.closest('[data-insert]')?.dataset.insert;
  if (insert === undefined) return said.contains(event.target) && tell('', false);
  const box = document.getElementById('words');
  box.value = insert;
  box.focus();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  const form = event.target.closest('form[method=post]');
  if (form !== null) form.requestSubmit(form.querySelector('button:not([type=button])'));
});
document.addEventListener('visibilitychange', refresh);
setInterval(tellAges, 10000);
tellAges();
timer = setTimeout(refresh, everyMs);
})();
`;
