import { isPlaceholder } from './placeholder.ts';

/** A form that only a secret has. */
interface Shape {
  /** What it is, for people. */
  readonly name: string;
  /** Bounded, so that matching stays linear; if there is a group, the secret is in it. */
  readonly pattern: RegExp;
}

const before = '(?<![A-Za-z0-9_])';
const after = '(?![A-Za-z0-9_])';

function token(name: string, body: string): Shape {
  return { name, pattern: new RegExp(`${before}(?:${body})${after}`, 'g') };
}

/** The value of a setting of this name. */
function setting(name: string, key: string, body: string): Shape {
  return {
    name,
    pattern: new RegExp(`(?:${key})["']?\\s{0,4}(?:[:=]|=>|,)\\s{0,4}["']?(${body})${after}`, 'gi'),
  };
}

const hex = (length: number) => `[a-f0-9]{${length}}`;

/** The tokens and keys of the services that we know, by issuer. */
const shapes: readonly Shape[] = [
  // Code hosts and registries.
  token('a GitHub token', 'gh[pousr]_[A-Za-z0-9]{30,255}|github_pat_[A-Za-z0-9_]{40,255}'),
  token(
    'a GitLab token',
    'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[A-Za-z0-9_=.-]{20,320}|GR1348941[A-Za-z0-9_-]{20}',
  ),
  token('a Bitbucket token', 'ATBB[A-Za-z0-9]{28,60}|ATCTT3xFfG[A-Za-z0-9+/=_-]{60,300}'),
  token('an npm token', 'npm_[A-Za-z0-9]{36}'),
  setting('an npm token', ':_authToken|npmAuthToken', '[A-Za-z0-9_-]{20,200}'),
  token('a PyPI token', 'pypi-[A-Za-z0-9_-]{50,300}'),
  token('a RubyGems key', `rubygems_${hex(48)}`),
  token('a crates.io token', 'cio[A-Za-z0-9]{32}'),
  token('a NuGet key', 'oy2[a-z0-9]{43}'),
  token('a Docker token', 'dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,60}'),
  // Clouds.
  token('an AWS access key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'),
  setting('an AWS secret key', 'aws_?secret_?(?:access_?)?key|secretAccessKey', '[A-Za-z0-9/+=]{40}'),
  token('a Google API key', 'AIza[A-Za-z0-9_-]{35}'),
  token('a Google OAuth secret', 'GOCSPX-[A-Za-z0-9_-]{28}|ya29\\.[A-Za-z0-9_-]{30,300}'),
  token('an Azure client secret', '[A-Za-z0-9_~.]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}'),
  setting('an Azure storage key', 'AccountKey|SharedAccessKey', '[A-Za-z0-9+/]{42,86}={0,2}'),
  token('a DigitalOcean token', `(?:dop|doo|dor)_v1_${hex(64)}`),
  token('a Fly.io token', 'FlyV1 [A-Za-z0-9_+/=,-]{40,2000}|fo1_[A-Za-z0-9_-]{43}'),
  token('a Heroku key', 'HRKU-[A-Za-z0-9_-]{30,70}'),
  setting('a Heroku key', 'heroku_api_key', `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`),
  token('a Terraform token', '[A-Za-z0-9]{14}\\.atlasv1\\.[A-Za-z0-9_=-]{60,80}'),
  token('a Vault token', 'hv[sbr]\\.[A-Za-z0-9_-]{24,300}'),
  token('an Alibaba key', 'LTAI[A-Za-z0-9]{16,24}'),
  token('a Vercel or Supabase token', `sb[ps]_${hex(40)}|sb_secret_[A-Za-z0-9_-]{20,60}`),
  token('a Pulumi token', `pul-${hex(40)}`),
  token('a Databricks token', `dapi${hex(32)}(?:-\\d)?`),
  token('a PlanetScale token', 'pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.-]{32,64}'),
  token('a Doppler token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[A-Za-z0-9._-]{40,60}'),
  // Models.
  token('an Anthropic key', 'sk-ant-[A-Za-z0-9]{3,10}-[A-Za-z0-9_-]{40,200}'),
  token('an OpenAI key', 'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}|sk-[A-Za-z0-9]{48}'),
  token('a Hugging Face token', 'hf_[A-Za-z0-9]{34}'),
  token(
    'a model key',
    'gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|r8_[A-Za-z0-9]{37}|pplx-[A-Za-z0-9]{48}|sk-or-v1-[a-f0-9]{64}',
  ),
  // Payments.
  token('a Stripe key', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,250}|whsec_[A-Za-z0-9+/=]{32,64}'),
  token('a Square token', 'sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60}'),
  token('a Shopify token', `shp(?:at|ca|pa|ss)_${hex(32)}`),
  token('a PayPal token', 'access_token\\$production\\$[a-z0-9]{16}\\$[a-f0-9]{32}'),
  // Messages.
  token('a Slack token', 'xox[abeoprs]-[A-Za-z0-9-]{20,250}|xapp-\\d-[A-Za-z0-9-]{20,250}'),
  token('a Slack webhook', 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{30,120}'),
  token('a Discord webhook', 'discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[A-Za-z0-9_-]{60,80}'),
  token('a Discord token', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}'),
  token('a Teams webhook', '[\\w-]{1,60}\\.webhook\\.office\\.com/webhookb2/[A-Za-z0-9@/_-]{60,250}'),
  token('a Telegram token', '\\d{8,10}:AA[A-Za-z0-9_-]{33}'),
  token('a Twilio key', `SK${hex(32)}`),
  token('a SendGrid key', 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}'),
  token('a Mailgun key', `key-${hex(32)}`),
  token('a Mailchimp key', `${hex(32)}-us\\d{1,2}`),
  token('a Brevo key', `xkeysib-${hex(64)}-[A-Za-z0-9]{16}`),
  token('a Postmark or Resend key', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{22,26}'),
  // Tools.
  token('an Atlassian token', 'ATATT3[A-Za-z0-9_=-]{60,250}'),
  token('a Linear key', 'lin_(?:api|oauth)_[A-Za-z0-9]{40,64}'),
  token('a Notion token', 'ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43}'),
  token('a Figma token', 'fig[doru]_[A-Za-z0-9_-]{40,60}'),
  token('an Airtable token', `pat[A-Za-z0-9]{14}\\.${hex(64)}`),
  token('a Grafana token', 'gl(?:sa|c)_[A-Za-z0-9+/=_]{32,400}'),
  token('a New Relic key', 'NRAK-[A-Z0-9]{27}|NRJS-[a-f0-9]{19}'),
  token('a Sentry token', 'sntry[su]_[A-Za-z0-9+/=_-]{40,400}'),
  token('a Datadog key', 'dd(?:api|app)_[A-Za-z0-9]{32,40}'),
  token('a Postman key', `PMAK-${hex(24)}-${hex(34)}`),
  token('a LaunchDarkly key', `(?:sdk|api)-${hex(8)}-${hex(4)}-4${hex(3)}-${hex(4)}-${hex(12)}`),
  token('a SonarQube token', `sq[apu]_${hex(40)}`),
  token('an Artifactory key', 'AKCp[A-Za-z0-9]{65,75}|cmVmd[A-Za-z0-9+/=]{59,75}'),
  token('an age key', 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  token('a 1Password token', 'ops_eyJ[A-Za-z0-9+/=]{200,3000}'),
  // Forms that many issuers use.
  token('a JSON Web Token', 'eyJ[A-Za-z0-9_-]{10,400}\\.eyJ[A-Za-z0-9_-]{10,4000}\\.[A-Za-z0-9_-]{20,1000}'),
  {
    name: 'an address with a password',
    pattern:
      /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s/:@'"`<>]{0,100}:([^\s/@'"`<>]{8,200})@[\w.[-]/g,
  },
  {
    name: 'a header with a login',
    pattern:
      /\bauthorization["']?\s{0,4}[:=,]\s{0,4}["']?(?:basic|bearer|token)\s{1,4}([A-Za-z0-9._~+/=-]{16,2000})/gi,
  },
];

/** All at once, which is much faster where there is nothing to find. */
const together = ['', 'i'].map((flags) => {
  const some = shapes.filter(({ pattern }) => pattern.ignoreCase === (flags === 'i'));
  return new RegExp(some.map(({ pattern }) => `(?:${pattern.source})`).join('|'), flags);
});

/** What known secret is in a line, unless it is one that nobody uses. */
export function shapeIn(line: string): string | undefined {
  if (!together.some((pattern) => pattern.test(line))) return undefined;
  const known = shapes.find(({ pattern }) => {
    return [...line.matchAll(pattern)].some(([whole, value = whole]) => !isPlaceholder(bodyOf(value)));
  });
  return known?.name;
}

/** Without the issuer's prefix, which may say `test`. */
function bodyOf(value: string): string {
  return value.replace(/^[A-Za-z]{2,8}[-_](?:live_|test_|proj-|ant-)?/, '');
}
