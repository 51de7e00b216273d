import { expect, test } from 'vitest';
import { presenterFixture } from './presenter-fixture.ts';
import { aState, awaiting } from './state.ts';

const fixture = presenterFixture();

const addresses = () => fixture.github.checks.map(({ name, details_url }) => `${name}: ${details_url}`);

test('check runs lead to where the details of the run are', async () => {
  const presenter = fixture.createPresenter({ detailsUrl: ({ seq }) => `https://page/${seq}` });
  await presenter.present(aState());
  expect(addresses()).toEqual(['Coxswain: https://page/3']);
});

test('a process that knows no address, or another one, writes nothing because of it', async () => {
  fixture.ledger = awaiting();
  await fixture.createPresenter({ detailsUrl: () => 'https://page/1' }).present(awaiting());
  fixture.github.requests();
  await fixture.createPresenter().present(awaiting());
  await fixture.createPresenter({ detailsUrl: () => 'https://other/1' }).present(awaiting());
  expect(fixture.github.requests().filter((line) => !line.startsWith('GET '))).toEqual([]);
  expect(addresses()).toContain('Coxswain: https://page/1');
});
