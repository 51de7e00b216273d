import { debuglog } from 'node:util';

/**
 * What simple-git needs of the package `debug`, by Node's own means: NODE_DEBUG=simple-git shows its commands.
 * The Action's bundle has it instead of that package and its colours.
 */
export default function debug(namespace) {
  const log = debuglog(namespace);
  const say = (format, ...values) => log(format, ...values);
  return Object.assign(say, { namespace, extend: (name) => debug(`${namespace}:${name}`) });
}

debug.formatters = {};
