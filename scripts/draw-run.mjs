// Draws docs/images/run.png, the picture in the README: a run of the demo after its first steer.
// Usage: npm run build && node scripts/draw-run.mjs; needs Chromium (/usr/bin/chromium, or its path in CHROMIUM).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const waitMs = 90_000;

const demo = spawn(process.execPath, [join(root, 'dist/cli/coxswain.js'), 'demo', '--port', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const address = await addressOf(demo);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu'],
  });
  try {
    await draw(browser, address);
  } finally {
    await browser.close();
  }
} finally {
  demo.kill('SIGINT');
  if (demo.exitCode === null) await once(demo, 'exit');
}

async function addressOf({ stdout }) {
  for await (const line of createInterface({ input: stdout })) {
    const [address] = /http:\/\/\S+key=\S+/.exec(line) ?? [];
    if (address !== undefined) return address;
  }
  throw new Error('the demo ended before it printed its address');
}

async function draw(browser, address) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 780 }, deviceScaleFactor: 1 });
  await page.goto(address);
  await page.goto(new URL('/acme/widgets/issues/1', address).href);
  await page.getByRole('button', { name: 'Start a run' }).click();
  await waiting(page, 0);
  await page.locator('#comment-text').fill('also handle an empty list');
  await page.getByRole('button', { name: 'Steer', exact: true }).click();
  await waiting(page, 1);
  for (const passing of ['.guide', '#message'])
    await page.locator(passing).evaluate((element) => element.remove());
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: join(root, 'docs/images/run.png') });
}

/** Waits until people are asked about an iteration. */
async function waiting(page, iteration) {
  await page.locator(`#iteration-${iteration}`).waitFor({ timeout: waitMs });
  const phase = page.locator('#phase', { hasText: 'awaiting approval' });
  await phase.waitFor({ timeout: waitMs });
}
