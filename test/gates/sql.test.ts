import { describe, expect, test } from 'vitest';
import { destroysData } from '../../src/gates/reading/sql.ts';

describe('SQL that destroys data', () => {
  test.each([
    'DROP TABLE users',
    'drop index a',
    '  drop   role a',
    'DROP SCHEMA public CASCADE;',
    'select 1; DROP TABLE a',
    'BEGIN; DROP TABLE a; COMMIT',
    'BEGIN DROP TABLE a; END',
    'DECLARE x int; BEGIN DROP ROLE a; END',
    'IF 1 = 1 DROP TABLE a',
    'ALTER TABLE a DROP COLUMN b',
    'ALTER TABLE a DROP b',
    'alter table a\n  drop partition p',
    'TRUNCATE logs',
    'truncate table logs',
    'IF 1 = 1 TRUNCATE TABLE logs',
    'DELETE FROM users',
    'delete  from users where id = 1',
    'DELETE u FROM users u',
    'WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a',
    'MERGE INTO a USING b ON 1 = 1 WHEN MATCHED THEN DELETE',
    '/* a note */ DROP TABLE a',
    '-- a note\nDROP TABLE a',
    '/*!50000 DROP TABLE a */',
    'DO $$ BEGIN DROP TABLE a; END $$',
    'DO $body$ BEGIN TRUNCATE a; END $body$',
    "SELECT 'it''s'; DROP TABLE a",
    "SELECT 'a\\'b'; DROP TABLE a",
    'SELECT 1\nGO\nDROP ROLE a',
    'DROP TABLE "users"',
    'DROP TABLE `users`',
  ])('%s', (text) => {
    expect(destroysData(text)).toBe(true);
  });
});

describe('SQL that does not', () => {
  test.each([
    '',
    'SELECT * FROM dropped',
    'SELECT a AS "drop table b"',
    'SELECT `drop table b` FROM a',
    "SELECT 'drop table b'",
    "SELECT 'it''s; DROP TABLE b'",
    "SELECT 'a\\'; DROP TABLE b'",
    '-- DROP TABLE a',
    '/* DROP TABLE a */ SELECT 1',
    '/* DROP TABLE a',
    'SELECT truncate(1.5, 1)',
    'TRUNCATE (1.5, 1)',
    'ALTER TABLE a ADD COLUMN b int',
    'ALTER TABLE a ALTER b DROP NOT NULL',
    'ALTER TABLE a ALTER b DROP DEFAULT',
    'ALTER TABLE a DROP CONSTRAINT c',
    'CREATE TABLE drop_log (a int)',
    'UPDATE a SET deleted = true',
    'INSERT INTO a VALUES (1)',
    'delete.db',
    'delete',
    'CREATE TRIGGER a AFTER DELETE ON b',
    'GRANT DELETE ON a TO b',
  ])('%s', (text) => {
    expect(destroysData(text)).toBe(false);
  });
});
