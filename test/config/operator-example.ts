import { readFileSync } from 'node:fs';

export const operatorExample = readFileSync('examples/coxswain-operator.yml', 'utf8');

/** The variables that it names. */
export const variablesOfExample = {
  CORP_NPM_TOKEN: 'a-token',
  SLACK_BOT_TOKEN: 'xoxb-1',
  RELEASES_URL: 'https://hooks.slack.example/services/1',
  OFFICE_URL: 'https://office.example.com/workflows/1',
  BUILDS_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
};
