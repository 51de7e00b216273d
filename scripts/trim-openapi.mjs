// Cuts the routes and webhooks that the forge serves out of GitHub's own description of its API.
// Usage: node scripts/trim-openapi.mjs <api.github.com.json of @octokit/openapi>
// Needs Node 22.18 or newer, which reads TypeScript as it is.
// Writes test/fixtures/github-openapi.json and test/fixtures/github-webhooks.json.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { routes } from '../packages/forge/src/routes/index.ts';

const [source] = process.argv.slice(2);
if (!source) throw new Error('usage: node scripts/trim-openapi.mjs <path of api.github.com.json>');
const description = JSON.parse(readFileSync(source, 'utf8'));
correct(description);

const webhooks = [
  ...['created', 'completed', 'requested-action', 'rerequested'].map((action) => `check-run-${action}`),
  ...['requested', 'rerequested'].map((action) => `check-suite-${action}`),
  'github-app-authorization-revoked',
  ...['created', 'new-permissions-accepted', 'repositories-added'].map((action) => `installation-${action}`),
  ...['created', 'edited', 'deleted'].map((action) => `issue-comment-${action}`),
  ...['opened', 'edited', 'closed', 'reopened', 'labeled', 'unlabeled'].map((action) => `issues-${action}`),
  ...[
    'opened',
    'edited',
    'closed',
    'reopened',
    'labeled',
    'unlabeled',
    'synchronize',
    'converted-to-draft',
  ].map((action) => `pull-request-${action}`),
  ...['ready-for-review', 'review-requested', 'review-request-removed'].map(
    (action) => `pull-request-${action}`,
  ),
  ...['enabled', 'disabled'].map((action) => `pull-request-auto-merge-${action}`),
  ...['enqueued', 'dequeued'].map((action) => `pull-request-${action}`),
  ...['checks-requested', 'destroyed'].map((action) => `merge-group-${action}`),
  ...['submitted', 'edited', 'dismissed'].map((action) => `pull-request-review-${action}`),
  ...['created', 'edited', 'deleted'].map((action) => `pull-request-review-comment-${action}`),
  'push',
  'status',
];

mkdirSync('test/fixtures', { recursive: true });
write('test/fixtures/github-openapi.json', { routes: servedRoutes() });
write('test/fixtures/github-webhooks.json', { webhooks: servedWebhooks() });

function correct({ paths, components }) {
  correctInstallations(paths);
  correctIssueEvents(components);
  correctAppEvents(description);
}

/** The lists of what an App may subscribe to lack the event of merge queues, which has a webhook of its own. */
function correctAppEvents(schema) {
  if (typeof schema !== 'object' || schema === null) return;
  if (Array.isArray(schema.enum) && schema.enum.includes('team_add') && !schema.enum.includes('merge_group'))
    schema.enum.push('merge_group');
  Object.values(schema).forEach(correctAppEvents);
}

/** The description wants an account of this list to be a user and an enterprise at once. */
function correctInstallations(paths) {
  const { schema } = paths['/app/installations'].get.responses['200'].content['application/json'];
  schema.items = { $ref: '#/components/schemas/installation' };
}

/**
 * In the description any issue event may pass as one of a project, which needs no property of its own.
 * Here the schema of a type is for this type alone, and the plain one is for types without a schema.
 */
function correctIssueEvents({ schemas }) {
  const { anyOf } = schemas['issue-event-for-issue'];
  const types = anyOf.map(({ $ref }) => {
    const name = $ref.split('/').at(-1);
    const type = name.replace(/-issue-event$/, '').replaceAll('-', '_');
    schemas[name].properties.event = { type: 'string', enum: [type] };
    return type;
  });
  const plain = 'state-change-issue-event';
  schemas[plain].properties.event = { type: 'string', not: { enum: types } };
  anyOf.push({ $ref: `#/components/schemas/${plain}` });
}

/** By `GET /path`: the schema of the request's body, and of the answer's by status; GraphQL has its own. */
function servedRoutes() {
  return Object.fromEntries(
    routes
      .filter(({ path }) => path !== '/graphql')
      .map(({ method, path }) => {
        const operation = description.paths[path]?.[method.toLowerCase()];
        if (!operation) throw new Error(`${source} does not describe ${method} ${path}`);
        return [`${method} ${path}`, trimmedOperation(operation)];
      }),
  );
}

function trimmedOperation(operation) {
  const responses = Object.entries(operation.responses).map(([status, response]) => [
    status,
    schemaOf(followed(response)) ?? null,
  ]);
  return {
    request: operation.requestBody ? (schemaOf(operation.requestBody) ?? null) : null,
    responses: Object.fromEntries(responses),
  };
}

function servedWebhooks() {
  return Object.fromEntries(
    webhooks.map((name) => {
      const found = description['x-webhooks'][name];
      if (!found) throw new Error(`the description has no webhook ${name}`);
      return [name, trimmed(schemaOf(found.post.requestBody))];
    }),
  );
}

function schemaOf({ content } = {}) {
  const schema = (content?.['application/json'] ?? content?.['application/scim+json'])?.schema;
  return schema && trimmed(schema);
}

function followed(thing) {
  if (!thing.$ref) return thing;
  return thing.$ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key], description);
}

/** Keywords that say nothing about what is valid. */
function trimmed(schema) {
  if (Array.isArray(schema)) return schema.map(trimmed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const silent = [
    'description',
    'example',
    'examples',
    'title',
    'deprecated',
    'externalDocs',
    'default',
    'readOnly',
  ];
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => !key.startsWith('x-') && !(silent.includes(key) && !isSchema(value)))
      .map(([key, value]) => [key, key === 'enum' ? value : trimmed(value)]),
  );
}

/** A property may be called `title` or `description`; then its value is a schema. */
function isSchema(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    ('type' in value || '$ref' in value || 'oneOf' in value || 'anyOf' in value || 'allOf' in value)
  );
}

function write(path, content) {
  const components = { schemas: componentsFor(content) };
  const text = JSON.stringify({ version: description.info.version, ...content, components });
  writeFileSync(path, `${text}\n`);
  console.log(`${path}: ${Math.round(text.length / 1024)} KiB`);
}

/** Every component that is named, and those that these name. */
function componentsFor(content) {
  const schemas = {};
  const waiting = [content];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const [, name] of JSON.stringify(next).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (schemas[name]) continue;
      schemas[name] = trimmed(description.components.schemas[name]);
      waiting.push(schemas[name]);
    }
  }
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => a.localeCompare(b)));
}
