import type { DiffCase } from './case.ts';

const secret = 'touches-secrets';

/** Made up of parts, so that nothing here is taken for a secret itself. */
const random = 'aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zQ1bC4fG7h';
const hex = '3f9a1c7e5b2d8f604e1a9c7b3d5f28604a1e9c7b';
const pem = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----`;
const keyLine = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj';

/** Secrets in added lines, and what only looks like one. */
export const secrets: readonly DiffCase[] = [
  ['src/a.ts', `+const key = 'AKIA${'QWERTZ7NABCDEF2Y'}';`, secret],
  ['src/a.ts', `+const token = "gh${'p_'}${random.slice(0, 36)}";`, secret],
  ['src/a.ts', `+// glpat${'-'}${random.slice(0, 20)}`, secret],
  ['a.py', `+slack = "xoxb${'-'}123495678901-${random.slice(0, 24)}"`, secret],
  ['a.py', `+stripe.api_key = "sk_${'live_'}${random.slice(0, 24)}"`, secret],
  ['a.go', `+const k = "AI${'za'}${random.slice(0, 35)}"`, secret],
  ['config.yml', `+sendgrid: SG${'.'}${random.slice(0, 22)}.${random}${'abc'}`, secret],
  ['a.rb', `+KEY = 'sk-${'ant-'}api03-${random}${random}'`, secret],
  ['a.tf', `+  token = "dop_${'v1_'}${hex}${hex.slice(0, 24)}"`, secret],
  ['app.yml', `+url: postgres://app:${'Xk29vQz81mPa'}@db.acme.io:5432/app`, secret],
  ['app.yml', '+url: postgres://postgres:postgres@localhost:5432/app'],
  ['app.yml', `+url: postgres://app:\${DB_PASSWORD}@db:5432/app`],
  ['deploy.pub.txt', `+${pem('RSA ')}\n+${keyLine}`, secret],
  ['src/key.ts', `+const key = \`${pem('')}\n+${keyLine}\n+\`;`, secret],
  ['src/key.json', `+  "private_key": "${pem('')}\\n${keyLine}\\n"`, secret],
  ['src/redact.ts', `+const start = '${pem('RSA ')}';\n+const other = 1;`],
  ['src/a.ts', `+const clientSecret = '${random.slice(0, 32)}';`, secret],
  ['src/a.ts', `+  apiKey: "${hex}",`, secret],
  ['src/a.ts', "+  password: 'Tr0ub4dor&3x',", secret],
  ['settings.properties', `+db.password=${'Zk!92mXq$1'}`, secret],
  ['settings.ini', `+secret_key = ${random.slice(0, 30)}`, secret],
  ['src/a.ts', `+const value = "${random}";`, secret],
  ['src/a.ts', '+const token = process.env.GITHUB_TOKEN;'],
  ['src/a.ts', "+const password = getPassword('production');"],
  ['src/a.ts', "+const apiKey = 'your-api-key-goes-here-1234';"],
  ['src/a.ts', "+  aws: 'AKIAIOSFODNN7EXAMPLE',"],
  ['src/a.ts', "+const token = '<TOKEN>';"],
  ['src/a.ts', "+const secretName = 'projects/acme/secrets/database-password-v2';"],
  ['src/a.ts', '+const tokenCount = 1234567890123456;'],
  ['src/a.ts', "+const passwordLabel = 'Password (8 or more)';"],
  ['src/a.ts', `+const commit = '${hex}';`],
  ['src/a.ts', "+const id = '9b2e4c1a-7d3f-4e8b-a6c5-1f0d9e8b7a6c';"],
  ['src/a.ts', "+import { someVeryLongFunctionName2 } from './secrets/token-manager-v2';"],
  ['src/page.html', `+<script integrity="sha384-${random}${random.slice(0, 24)}">`],
  ['src/a.css', `+  background: url(data:image/png;base64,${random}${random});`],
  ['package-lock.json', `+      "integrity": "sha512-${random}${random}=="`],
  ['go.sum', `+example.org/x v1.0.0 h1:${random}=`],
  ['dist/app.min.js', `+var a="${random}",token="${random}"`],
  ['test/auth.test.ts', "+const password = 'Tr0ub4dor&3x';"],
  ['test/fixtures/a.json', `+{ "apiKey": "${hex}" }`],
  ['.github/workflows/ci.yml', `+          token: \${{ secrets.GITHUB_TOKEN }}`, 'changes-automation'],
  ['terraform/main.tf', '+  password = var.db_password'],
  ['k8s/api.yaml', '+              name: api-token\n+              key: token'],
  ['docs/setup.md', '+export API_KEY=abc123def456ghi789jkl'],
  [
    'src/jwt.ts',
    `+const t = 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI5ODEyMyIsImFkbSI6dHJ1ZX0.${random}'`,
    secret,
  ],
  ['src/alphabet.ts', "+const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';"],
  ['src/a.ts', `-const token = "gh${'p_'}${random.slice(0, 36)}";`],
];
