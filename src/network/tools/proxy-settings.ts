/** What everybody reaches without a proxy: what runs beside a program. */
const direct = 'localhost,127.0.0.1,::1';

/**
 * The variables by which programs find the proxy. Those of a program that may reach nothing have them too, so
 * that a host it wants is named, instead of a name that cannot be resolved.
 * Node.js obeys `NODE_USE_ENV_PROXY` from 22.21 and 24 on. pip has no variable of its own here: with
 * `PIP_PROXY` it would ignore `NO_PROXY`.
 */
export function proxyEnvironment(port: number, home?: string): Readonly<Record<string, string>> {
  const proxy = `http://127.0.0.1:${port}`;
  const upper = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, ALL_PROXY: proxy, NO_PROXY: direct };
  const lower = Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...upper,
    ...Object.fromEntries(lower),
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: direct,
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    CARGO_HTTP_PROXY: proxy,
    JAVA_TOOL_OPTIONS: [...javaProperties(port, home)].map(([name, value]) => `-D${name}=${value}`).join(' '),
  };
}

/** Files in the home folder for tools that obey nothing else, by path relative to it. */
export function proxyFiles(port: number): Readonly<Record<string, string>> {
  const properties = [...javaProperties(port)].map(([name, value]) => `systemProp.${name}=${value}\n`);
  return { '.gradle/gradle.properties': properties.join('') };
}

/** Java takes the home of the user from the list of users, not from `HOME`; Maven looks there. */
function* javaProperties(port: number, home?: string): Generator<readonly [string, string]> {
  for (const scheme of ['http', 'https']) {
    yield [`${scheme}.proxyHost`, '127.0.0.1'];
    yield [`${scheme}.proxyPort`, String(port)];
  }
  yield ['http.nonProxyHosts', 'localhost|127.*|[::1]'];
  if (home !== undefined) yield ['user.home', /[\s"']/.test(home) ? `'${home}'` : home];
}

/**
 * A `settings.xml` for Maven (https://maven.apache.org/settings.html), which obeys no variables. Without the
 * port of our proxy it goes out by itself; `mirror` is the address of the repository that stands for all others.
 */
export function mavenSettings(proxyPort: number | undefined, mirror: string | undefined): string {
  const proxies = proxyPort === undefined ? [] : ['http', 'https'].map((scheme) => proxy(scheme, proxyPort));
  const mirrors = mirror === undefined ? [] : [mirrorOf(mirror)];
  return [
    '<settings xmlns="http://maven.apache.org/SETTINGS/1.0.0">',
    '  <interactiveMode>false</interactiveMode>',
    ...['  <proxies>', ...proxies, '  </proxies>'],
    ...['  <mirrors>', ...mirrors, '  </mirrors>'],
    '</settings>',
    '',
  ].join('\n');
}

function proxy(scheme: string, port: number): string {
  const where = `<host>127.0.0.1</host><port>${port}</port>`;
  const not = '<nonProxyHosts>localhost|127.*</nonProxyHosts>';
  return `    <proxy><id>${scheme}</id><active>true</active><protocol>${scheme}</protocol>${where}${not}</proxy>`;
}

function mirrorOf(address: string): string {
  const escaped = address.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `    <mirror><id>coxswain</id><mirrorOf>external:*</mirrorOf><url>${escaped}</url></mirror>`;
}
