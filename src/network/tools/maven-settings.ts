/** What Maven, which obeys no variables, needs to know. */
export interface MavenSettings {
  /** The port of our proxy on 127.0.0.1; none: it goes out by itself. */
  readonly proxyPort?: number;
  /** The address of the repository that stands for all others. */
  readonly mirror?: string | undefined;
}

/** A `settings.xml` for Maven (https://maven.apache.org/settings.html). */
export function mavenSettings({ proxyPort, mirror }: MavenSettings): string {
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
