import { isIP } from 'node:net';
import { yamlList } from '../../config/schema/hosts.ts';
import type { BlockedHost } from '../../steering/shapes/attempt-result.ts';
import type { Reach, Use } from '../../steering/shapes/settings.ts';
import { beginningOf, visible } from '../../text/characters.ts';
import { type Answer, mainPort } from '../server/bounded-server.ts';
import { isPublic, type Objection, type Target, written } from './reach.ts';

export type Blocked = Omit<BlockedHost, 'use'>;

interface Refused {
  readonly host: string;
  readonly why: Blocked['why'];
  /** What ran according to us. */
  readonly running: string;
  /** What wanted it according to the forwarder. */
  command?: string;
}

/**
 * The hosts that programs were refused, and which command wanted them. Bounded: programs can ask for ever.
 */
export class BlockedHosts {
  #running = '';
  /** What was refused, by host and command; by what ran, where the command is not known yet. */
  readonly #refused = new Map<string, Refused>();
  /** What the forwarder may still name, by the number that the answer carries. */
  readonly #unnamed = new Map<string, Refused>();
  #count = 0;

  runs(command: string): void {
    this.#running = oneLine(command);
  }

  /** The number of this refusal, by which the forwarder may tell the command. */
  add(target: Target, why: Objection): string {
    const id = String(++this.#count);
    const refused: Refused = {
      host: beginningOf(oneLine(written(target)), 255),
      why: why === 'private' || isPrivate(target.host) ? 'private' : why === 'model' ? why : 'unlisted',
      running: this.#running,
    };
    this.#remember(refused);
    this.#unnamed.set(id, refused);
    const [oldest] = this.#unnamed.keys();
    if (this.#unnamed.size > maxUnnamed && oldest !== undefined) this.#unnamed.delete(oldest);
    return id;
  }

  /** What a program says wanted it: for display only. */
  name(id: string, command: string): void {
    const refused = this.#unnamed.get(id);
    const line = oneLine(command);
    if (refused === undefined || line === '') return;
    this.#unnamed.delete(id);
    this.#remember({ ...refused, command: line });
  }

  /** Takes those since the last call, each host and command once, at most 20. */
  take(): readonly Blocked[] {
    const all = [...this.#refused.values()];
    this.#refused.clear();
    this.#unnamed.clear();
    const named = all.filter(({ command }) => command !== undefined);
    const isNamed = (one: Refused) =>
      named.some(({ host, running }) => host === one.host && running === one.running);
    return all
      .filter((each) => each.command !== undefined || !isNamed(each))
      .slice(0, maxListed)
      .map(({ host, why, running, command = running }) => ({ host, why, command }));
  }

  #remember(refused: Refused): void {
    const key = JSON.stringify([refused.host, refused.running, refused.command]);
    if (this.#refused.size < maxRefused) this.#refused.set(key, refused);
  }
}

const maxListed = 20;
const maxRefused = 200;
const maxUnnamed = 300;

function isPrivate(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? /(?:^|\.)localhost$/.test(host) : !isPublic(address);
}

function oneLine(text: string): string {
  return beginningOf(visible(text.slice(0, 2_000)).replace(/\s+/g, ' ').trim(), 200);
}

/** What programs of one use may reach, and what they were refused. */
export interface Access {
  readonly use: Use;
  readonly reach: Reach;
  readonly blocked: BlockedHosts;
}

/** Answers that a program may not reach a host, and remembers it. */
export function refused(target: Target, why: Objection, access: Access): Answer {
  // Many programs show nothing but this line.
  const status = `403 Blocked by Coxswain (network.${access.use})`;
  return { status, text: explained(target, why, access), blocked: access.blocked.add(target, why) };
}

/** What a program, and who reads its output, learns when it may not reach a host. */
function explained(target: Target, why: Objection, { use, reach }: Access): string {
  const host = written(target);
  switch (why) {
    case 'unlisted':
      return [
        `Coxswain: network.${use} in .github/coxswain.yml does not allow ${host}.`,
        'To allow it, write on the default branch:',
        `  network: { ${use}: ${yamlList([...reach, host])} }`,
      ].join('\n');
    case 'model':
      return [
        `Coxswain: ${host} is the host of a model, which programs can reach only through our endpoint,`,
        `http://127.0.0.1:${mainPort}/${host}, with "model" in network.${use} of .github/coxswain.yml.`,
      ].join('\n');
    case 'address':
      return [
        `Coxswain: ${host} is not the name of a public host, and no configuration can allow it.`,
        'If it is on this machine, call it without the proxy: NO_PROXY names what needs none.',
      ].join('\n');
    case 'private':
      return [
        `Coxswain: ${host} leads to a private address.`,
        'Only the operator can allow that, by naming the host as a private one.',
      ].join('\n');
  }
}
