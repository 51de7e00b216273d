import { name } from '../../app/app-fixture.ts';
import { config } from '../../app/widgets.ts';
import type { Story } from '../story.ts';

const path = '.github/coxswain.yml';

/** Commits that GitHub signs, that merge the base, and that a merge queue merges. */
export const landing: readonly Story[] = [
  {
    name: 'signed by GitHub',
    options: { files: { [path]: `${config}commits: { sign: github }\n` } },
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      return pull;
    },
  },
  {
    name: 'updated from its base',
    play: async ({ fixture: { ada } }) => {
      const pull = await ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      await ada.pushes('main', { 'src/news.txt': 'of the base\n' });
      await ada.says(pull, '/update');
      await pull.waitForPhase('awaiting_approval', { iteration: 1 });
      return pull;
    },
  },
  {
    name: 'merged through a queue',
    options: { files: { [path]: `${config}approval: { finish: merge }\n` } },
    play: async ({ fixture }) => {
      const { id: integration_id } = fixture.accounts.registered;
      const required_status_checks = [{ context: 'Coxswain', integration_id }];
      const pull = await fixture.ada.starts('Make it fine');
      await pull.waitForPhase('awaiting_approval');
      // The group has other files than the run had alone, so that its verifiers run on it.
      await fixture.mia.pushes('main', { 'src/news.txt': 'of the base\n' });
      fixture.forge.seed.unprotect(name);
      fixture.forge.seed.addRuleset(name, {
        rules: [
          { type: 'merge_queue' },
          { type: 'required_status_checks', parameters: { required_status_checks } },
        ],
      });
      await fixture.mia.says(pull, '/approve');
      await pull.waitForPhase('done');
      return pull;
    },
  },
];
