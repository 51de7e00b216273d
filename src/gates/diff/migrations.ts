import type { GateHit } from '../../steering/shapes/attempt-result.ts';
import { anyOf, raw } from '../../text/regexp.ts';
import { isExample, isSql, matching } from '../reading/file-kinds.ts';
import { type Hunk, newSide, type Patch, type PatchLine } from '../reading/patch.ts';
import { hitAt } from '../reading/rules.ts';
import { destroyingLines } from '../reading/sql.ts';

/** The usual tools look for migrations here. */
const isMigration = matching([
  '**/{migrations,migration,migrate,migrator,migrates,changelog,changelogs,changesets,liquibase,flyway,evolutions,schema_migrations,schema-migrations,dbmigrations,db-migrations,alembic}/**',
  '**/{versions,upgrades}/*_*.py',
  '**/db/{migrate,migrations,post_migrate,data,changelog,updates,upgrade}/**',
  '**/{,*[-_.]}{migration,changelog}{,s}.{sql,xml,yml,yaml,json,ts,js,py,rb,php,go,kt,java,cs}',
  '**/{V,R,U}[0-9]*__*.{sql,java,kt}',
]);

const isText = matching(['**/*.{md,mdx,rst,adoc,txt,lock,snap}']);

/** Migrations and files of SQL that drop, truncate or delete, on their way forward. */
export function migrationHits({ change, hunks }: Patch): readonly GateHit[] {
  const { path, status } = change;
  if (status === 'deleted' || isText(path)) return [];
  const saysForward = hunks.some(({ lines }) => lines.some(({ text }) => directionOf(text) === true));
  if (isBackward(path) && !isNamedForward(path) && !saysForward) return [];
  // What all of a new file says to run backward, no tool would run at all.
  const hasParts = !isNamedForward(path) && (status !== 'added' || saysForward);
  const run = (hunk: Hunk) => (hasParts ? forward(hunk) : newSide(hunk));
  if (isSql(path)) return isExample(path) ? [] : hunks.flatMap((hunk) => sqlHits(path, run(hunk)));
  if (!isMigration(path)) return [];
  return hunks.flatMap((hunk) => callHits(path, run(hunk)));
}

/** These files undo a migration. */
const isBackward = matching([
  '**/{down,rollback,undo,revert}.{sql,*}',
  '**/*[._-]{down,rollback,undo,revert}.{sql,*}',
  '**/{down,rollback}{s,}/**',
  '**/U[0-9]*__*.*',
]);

/** These are run forward as a whole, in whatever folder they are and whatever their comments say. */
const isNamedForward = matching(['**/{V[0-9]*,B[0-9]*,R}__*.*']);

/** A line that begins a part which runs forward or backward. */
const directions: readonly { readonly isForward: boolean; readonly starts: RegExp }[] = [
  {
    isForward: false,
    starts: anyOf([
      String.raw`\b(?:def|function|async|void|fun|func)\s+(?:self\.)?(?:async\s+)?(?:downgrade|down|safeDown|rollback|Down|DownAsync|revert|backwards?)\w*\b`,
      String.raw`\b(?:exports|module\.exports)\.down\b|^\s*(?:const|let|var|export const)\s+down\b`,
      String.raw`^\s*(?:static\s+)?(?:async\s+)?down\s*(?:[:(]|=)|\bdir\.down\b`,
      String.raw`--\s*(?:\+goose\s+Down|\+migrate\s+Down|migrate:down|rollback|!Downs|down\b|@down\b|@UNDO)`,
      String.raw`^\s*#\s*---\s*!Downs|<rollback\b|^\s*-?\s*"?rollback"?:|\breverse_sql\s*=`,
    ]),
  },
  {
    isForward: true,
    starts: anyOf([
      String.raw`\b(?:def|function|async|void|fun|func)\s+(?:self\.)?(?:async\s+)?(?:upgrade|up|safeUp|change|Up|UpAsync|forwards?)\w*\b`,
      String.raw`\b(?:exports|module\.exports)\.up\b|^\s*(?:const|let|var|export const)\s+up\b`,
      String.raw`^\s*(?:static\s+)?(?:async\s+)?up\s*(?:[:(]|=)|\bdir\.up\b`,
      String.raw`--\s*(?:\+goose\s+Up|\+migrate\s+Up|migrate:up|changeset|!Ups|up\b|@up\b)`,
      String.raw`^\s*#\s*---\s*!Ups|</rollback>|<changeSet\b|^\s*-?\s*"?changeSet"?:`,
    ]),
  },
];

/**
 * Gives the new lines of a hunk; those that run backward are blank. Where neither is said, it runs forward.
 */
function forward(hunk: Hunk): readonly PatchLine[] {
  let isForward = directionOf(hunk.heading) ?? true;
  const lines = newSide(hunk);
  const run = lines.map((line) => {
    const said = directionOf(line.text);
    const isOneLine = /<rollback\b.*<\/rollback>|\breverse_sql\s*=|^\s*--\s*rollback\b/.test(line.text);
    const isHere = isOneLine ? isForward && /\bRunSQL\b/.test(line.text) : (said ?? isForward);
    if (!isOneLine) isForward = isHere;
    return isHere ? line : { ...line, text: '' };
  });
  return run.some(({ text }) => goesBack.test(text.slice(0, maxLine))) ? lines : run;
}

/** Forward code that calls what is meant for the way back. */
const goesBack = raw`^\s*(?:await\s+|return\s+)?(?:self\.|this[.]|\$this->|exports\.)?(?:downgrade|down|safeDown|rollback|revert)\w*\s*\(\s*\w*\s*\)\s*;?\s*$`;

function directionOf(text: string): boolean | undefined {
  const whole = text.slice(0, maxLine);
  return directions.find(({ starts }) => starts.test(whole))?.isForward;
}

/** Nobody writes longer statements by hand; what is beyond is data, or is hidden there. */
const maxLine = 2_000;

function sqlHits(path: string, lines: readonly PatchLine[]): readonly GateHit[] {
  const isQuery = !isMigration(path);
  const text = lines.map((line) => line.text.slice(0, maxLine)).join('\n');
  const far = lines.filter(({ sign, text: all }) => sign === '+' && statements.test(all.slice(maxLine)));
  const behind = far.map(({ number }) =>
    hitAt('drops-data', { path, line: number }, 'what drops data is far into a long line'),
  );
  const near = destroyingLines(text).flatMap((index) => {
    const statement = statementFrom(lines, index);
    const first = statement.find(({ sign }) => sign === '+');
    if (first === undefined) return [];
    // Outside of migrations, an application runs it with what it is given.
    const whole = statement.map((line) => line.text).join(' ');
    if (isQuery && /^\s*DELETE\b[\s\S]*(?:\$\d|[:@]\w|\?|%s|\{\{)/i.test(whole)) return [];
    return [hitAt('drops-data', { path, line: first.number }, first.text)];
  });
  return [...near, ...behind];
}

/** Finds the lines of a statement that begins at an index. */
function statementFrom(lines: readonly PatchLine[], index: number): readonly PatchLine[] {
  const rest = lines.slice(index, index + maxStatementLines);
  const end = rest.findIndex(({ text }) => text.includes(';'));
  return end < 0 ? rest : rest.slice(0, end + 1);
}

const maxStatementLines = 50;

/** The tools for migrations call it by these names. */
const calls = anyOf([
  String.raw`\b(?:op|batch_op)\.drop_(?:table|column)\b`,
  String.raw`\b(?:drop_table|drop_join_table|remove_columns?|remove_reference|remove_belongs_to|remove_timestamps|delete_all|destroy_all|drop_column)\b`,
  String.raw`\b(?:migrations\.)?(?:RemoveField|DeleteModel)\s*\(`,
  String.raw`\.(?:dropTable|dropTableIfExists|dropTables|dropColumns?|removeColumns?|dropDatabase|dropSchema|dropSchemaIfExists|dropAllTables|dropAllSchemas|clearTable|bulkDelete|dropCollection|deleteMany|truncate|TruncateTable)\s*\(`,
  String.raw`->(?:drop|dropIfExists|dropColumn|dropTable|removeColumn|truncate|dropAllTables|delete)\s*\(`,
  String.raw`\bSchema::(?:drop|dropIfExists|dropColumns|dropAllTables)\s*\(`,
  String.raw`\.(?:DropTable|DropColumn|DeleteData|DropSchema)\s*\(`,
  String.raw`\bDelete\.(?:Table|Column|FromTable)\s*\(`,
  String.raw`<(?:dropTable|dropColumn|dropAllForeignKeyConstraints|delete)\b`,
  String.raw`^\s*-?\s*"?(?:dropTable|dropColumn)"?\s*:|\bdrop(?:_if_exists)?[ (]\s*table\s*\(`,
  String.raw`^\s*remove\s+:\w|\.(?:del|drop)\(\s*\)`,
]);

const statements = anyOf(
  [
    String.raw`\bDROP\s+(?:TABLE|DATABASE|SCHEMA|COLUMN|KEYSPACE|COLLECTION|VIEW|MATERIALIZED)\b`,
    '\\bTRUNCATE\\s+(?:TABLE\\s+)?["\'`\\w]|\\bDELETE\\s+FROM\\b',
  ],
  'i',
);

const comment = /^\s*(?:#|\/\/|\*|\/\*|--|<!--|"""|''')/;

function callHits(path: string, lines: readonly PatchLine[]): readonly GateHit[] {
  return lines
    .filter(({ sign, text }) => sign === '+' && !comment.test(text) && destroys(text))
    .map(({ number, text }) => hitAt('drops-data', { path, line: number }, text));
}

function destroys(text: string): boolean {
  return calls.test(text) || statements.test(text);
}
