import { destroysData } from '../../sql.ts';
import { type Command, names } from '../command.ts';
import { commandRule } from '../command-rule.ts';
import { callsIn, literals } from '../starts.ts';

/** The clients of databases: what they are told in an argument or in their input is SQL. */
export const clients =
  names(`psql pgcli mysql mariadb mycli sqlite3 sqlite duckdb libsql turso sqlcmd sqlplus isql usql
  cockroach clickhouse-client clickhouse cqlsh snowsql bq trino presto hive beeline impala-shell spark-sql wrangler
  prisma heroku fly rails`);

const tasks =
  'db:drop*|db:reset*|db:purge*|db:truncate_all|db:migrate:reset|db:migrate:undo:all|db:schema:load|db:wipe|migrate:fresh|migrate:refresh|migrate:reset|doctrine:database:drop|doctrine:schema:drop|schema:drop|flush|reset_db|pg:reset|sql-drop|sql:drop|ecto.drop|ecto.reset';

/** Commands that drop or delete data. */
export const dropsData = commandRule(
  'drops-data',
  `
  dropdb|dropuser
  mysqladmin|mariadb-admin|redis-cli|valkey-cli|etcdctl|flyway|liquibase … drop|flushall|flushdb|del|unlink|clean|drop-all|dropall
  pg_restore|mongorestore|kafka-topics* with -c --clean --drop --delete
  prisma migrate reset
  prisma db push with --force-reset --accept-data-loss
  rails|rake|artisan|console|manage.py|django-admin|heroku|drush|typeorm|sequelize|sequelize-cli|mix ${tasks}
  php|python *artisan|*console|*manage.py ${tasks}
  knex migrate:rollback with --all
  alembic downgrade base
  diesel|sqlx|supabase|wp database|db reset|drop|clean
  dotnet ef database drop
  rabbitmqctl … delete_queue|purge_queue|reset|force_reset
  aws dynamodb|rds delete-table|delete-item|delete-db-*
  gcloud sql databases|instances delete
  bq|influx rm|delete
`,
  (command) => isToldTo(command) || command.scripts.some(executes),
);

function isToldTo({ args, input = '', program }: Command): boolean {
  const isClient = clients.has(program);
  if (!isClient && !/^(?:mongo|mongosh|redis-cli|valkey-cli)$/.test(program)) return false;
  // The text may be attached to its option: `-e'DROP TABLE x'`.
  const texts = [...args.map((each) => each.replace(/^--[\w-]+=|^-\w/, '')), input];
  if (isClient) return texts.some(destroysData);
  return texts.some((text) => (program.startsWith('mongo') ? documents : keys).test(text));
}

/** The commands and calls of Redis that do so. */
const keys =
  /\bredis\.p?call\(\s*['"](?:flushall|flushdb|del|unlink)\b|^\s*(?:flushall|flushdb|del|unlink)\b/im;
/** The calls of MongoDB's shell that drop or delete. */
const documents = /\.\s*(?:dropDatabase|drop|deleteMany|deleteOne|remove|findOneAndDelete|dropIndexes)\s*\(/;

function executes(script: string): boolean {
  return /\b(?:execute\w*|query|raw|exec)\s*\(/i.test(callsIn(script)) && literals(script).some(destroysData);
}
