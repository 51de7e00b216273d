import { hasBubblewrap } from '../setup/machine.ts';

/** Assembled, so that nothing takes it for a real key that was committed. */
export const realKey = ['sk', 'ant', 'api03', 'r3alKeyOfTheOperator'].join('-');

/** Outside of a sandbox a program sees other people's processes, which are none of a test's business. */
const everythingToLearn = hasBubblewrap ? 'env; cat /proc/*/environ; cat /proc/*/cmdline' : 'env';

/**
 * A program that asks a model of Anthropic's twice, writes the answers into `src/said.txt`, and says all that it
 * can learn of its environment. It fails if the second request is refused.
 */
export const askingAgent = `
import { execSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
const { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: key, COXSWAIN_ITERATION: iteration } = process.env;
const ask = async (content) => {
  const body = JSON.stringify({ model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content }] });
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const response = await fetch(url + '/v1/messages', { method: 'POST', headers, body });
  return response.status + ' ' + (await response.text());
};
const said = [await ask('one'), await ask('two')];
mkdirSync('src', { recursive: true });
writeFileSync('src/said.txt', iteration + ' ' + said.join('\\n') + '\\n');
console.log(execSync('${everythingToLearn}', { encoding: 'utf8' }));
if (said[1].startsWith('4')) process.exit(1);
`;
