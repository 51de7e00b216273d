import { names } from '../arguments/options.ts';
import type { Command } from '../shell/command.ts';
import { fileContent } from '../shell/scope.ts';
import { destroysData, destroysDocuments } from './sql.ts';

interface Client {
  /** The options whose value is a text for the database. */
  readonly options: string;
  /** The options whose value is a file with such a text. */
  readonly files?: string;
  /** Whether operands can be such texts. */
  readonly operands?: true;
}

const mongo: Client = { options: '--eval', operands: true };
const mysql: Client = { options: '-e --execute --init-command' };

/** The clients of databases, and where their arguments hold what they send. */
export const clients: Readonly<Record<string, Client>> = {
  psql: { options: '-c --command', files: '-f --file' },
  pgcli: { options: '-c --command' },
  mysql,
  mariadb: mysql,
  mycli: mysql,
  sqlite3: { options: '-cmd', operands: true },
  sqlite: { options: '-cmd', operands: true },
  duckdb: { options: '-c -cmd', operands: true },
  libsql: { options: '', operands: true },
  turso: { options: '', operands: true },
  sqlcmd: { options: '-Q -q', files: '-i' },
  sqlplus: { options: '' },
  isql: { options: '' },
  usql: { options: '-c --command', files: '-f --file' },
  cockroach: { options: '-e --execute', files: '-f --file' },
  'clickhouse-client': { options: '-q --query' },
  clickhouse: { options: '-q --query' },
  cqlsh: { options: '-e --execute', files: '-f --file' },
  snowsql: { options: '-q --query', files: '-f --filename' },
  bq: { options: '', operands: true },
  trino: { options: '--execute' },
  presto: { options: '--execute' },
  hive: { options: '-e' },
  beeline: { options: '-e' },
  'impala-shell': { options: '-q --query' },
  'spark-sql': { options: '-e' },
  wrangler: { options: '--command' },
  prisma: { options: '', files: '--file' },
  heroku: { options: '-c --command' },
  fly: { options: '-c --command' },
  rails: { options: '' },
  mongo,
  mongosh: mongo,
};

/** Whether a command makes a database drop or delete something. */
export function dropsData(command: Command): boolean {
  const client = clients[command.program];
  if (client === undefined) return redisInput(command);
  const destroys = client === mongo ? destroysDocuments : destroysData;
  return [...texts(command, client), command.input ?? ''].some(destroys);
}

function texts({ args, files }: Command, client: Client): readonly string[] {
  const options = names(client.options);
  const fileOptions = names(client.files ?? '');
  const found = args.flatMap((argument, index) => {
    const { name, value = args[index + 1] ?? '' } = split(argument);
    if (options.has(name)) return [value];
    if (fileOptions.has(name)) return [fileContent({ files }, value) ?? ''];
    return [];
  });
  return client.operands ? [...found, ...args.filter((argument) => !argument.startsWith('-'))] : found;
}

/** `--command=…`, `-c…`. */
function split(argument: string): { readonly name: string; readonly value?: string } {
  const [, long, value] = /^(--[\w-]+)=([\s\S]*)$/.exec(argument) ?? [];
  if (long !== undefined && value !== undefined) return { name: long, value };
  const isAttached = /^-[a-zA-Z0-9]./.test(argument) && !argument.startsWith('-cmd');
  return isAttached ? attached(argument) : { name: argument };
}

/** `-ce` is two options, of which the last one takes a value; a text has blanks. */
function attached(argument: string): { readonly name: string; readonly value?: string } {
  return /\s/.test(argument)
    ? { name: argument.slice(0, 2), value: argument.slice(2) }
    : { name: `-${argument.at(-1)}` };
}

function redisInput({ program, args, input = '' }: Command): boolean {
  if (!/^(?:redis|valkey)-cli$/.test(program)) return false;
  const called = /\bredis\.p?call\(\s*['"](?:flushall|flushdb|del|unlink)\b/i;
  return /^\s*(?:flushall|flushdb|del|unlink)\b/im.test(input) || args.some((text) => called.test(text));
}
