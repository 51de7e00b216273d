import { expect, test } from 'vitest';
import { overviewView } from '../../src/page/views/overview-view.ts';
import type { Role } from '../../src/steering/shapes/people.ts';
import { buttonsIn, textOf } from './reading.ts';

test('the overview groups runs by what they wait for, and names repositories that could not be loaded', () => {
  const status = {
    iteration: 0,
    max_iterations: 5,
    score: 0.9,
    band: 'high',
    risk: 'low',
    grave: 0,
    superseded: false,
    cost: { usd: 0.5 },
    issue: null,
  } as const;
  const run = { title: 'A', at: '2025-03-03T12:00:00Z', open: true, merged: false };
  const runs = [
    { ...run, number: 1, status: { ...status, phase: 'working' } as const },
    { ...run, number: 2, status: { ...status, phase: 'awaiting_approval' } as const },
    { ...run, number: 7, status: { ...status, phase: 'awaiting_stage' } as const },
    { ...run, number: 5, status: { ...status, phase: 'blocked' } as const },
    { ...run, number: 6, status: { ...status, phase: 'abandoned' } as const },
    { ...run, number: 3, open: false, merged: true, status: null },
  ];
  const issues = [{ number: 4, title: 'B', author: 'ada', at: run.at, labelled: false }];
  const text = textOf(
    overviewView({
      value: {
        repositories: [
          {
            owner: 'acme',
            repo: 'service',
            lists: { value: { trigger: 'go', role: null, issues, runs, more: false } },
          },
          { owner: 'acme', repo: 'web', lists: { missing: "acme/web isn't available right now." } },
        ],
      },
    }).text,
  );
  expect(text).toMatch(
    /web isn&#39;t available.*Waiting for a human.*#2.*#7.*awaiting stage.*In progress.*#1.*Waiting to begin.*#5.*Issues to start a run from.*#4.*Recently ended.*#6.*#3/,
  );
});

test.each([
  ['low', 0, 'band-high', 'risk: low'],
  ['low', 2, 'tone-neutral', 'risk: low'],
  ['critical', 0, 'tone-neutral', 'risk: critical'],
  [null, 0, 'tone-neutral', ''],
] as const)('beside a risk that is %s and %d grave concerns, a high confidence is %s', (...each) => {
  const [risk, grave, look, beside] = each;
  const status = {
    score: 0.8,
    band: 'high',
    risk,
    grave,
    superseded: false,
    cost: null,
    issue: null,
  } as const;
  const standing = { phase: 'awaiting_approval', iteration: 0, max_iterations: 5 } as const;
  const run = { title: 'A', at: '2025-03-03T12:00:00Z', open: true, merged: false, number: 1 };
  const runs = [{ ...run, status: { ...status, ...standing } }];
  const lists = { value: { trigger: 'go', role: null, issues: [], runs, more: false } };
  const page = overviewView({ value: { repositories: [{ owner: 'acme', repo: 'service', lists }] } }).text;
  expect(/class="badge (\S+)"><b>0\.80<\/b> high<\/span>/.exec(page)?.[1]).toBe(look);
  expect(/risk: \w+/.exec(page)?.[0] ?? '').toBe(beside);
  expect(page.includes('2 grave concerns')).toBe(grave > 0);
});

test('who may not start a run is told what that takes', () => {
  const issues = [{ number: 4, title: 'B', author: 'ada', at: '2025-03-03T12:00:00Z', labelled: false }];
  const listed = (role: Role | null) => {
    const lists = { value: { trigger: 'go', role, issues, runs: [], more: false } };
    return overviewView({ value: { repositories: [{ owner: 'acme', repo: 'service', lists }] } }).text;
  };
  expect(textOf(listed('read'))).toContain('Starting a run needs write; your role here is read.');
  expect(buttonsIn(listed('read'))).toEqual([]);
  expect(buttonsIn(listed('write'))).toEqual(['Start a run', 'Post /run']);
  expect(buttonsIn(listed(null))).toEqual(['Start a run', 'Post /run']);
});
