import type { Ecosystem, FoundCommand } from './findings.ts';
import { type Folder, recordFrom, recordIn } from './repository-files.ts';

/** A project in Ruby with a Gemfile. */
export async function ruby(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('Gemfile')) return undefined;
  const gems = `${await folder.text('Gemfile')}\n${await folder.text('Gemfile.lock')}`;
  const test = await rubyTest(folder, gems);
  const hasCop = folder.has('.rubocop.yml') && /\brubocop\b/.test(gems);
  return {
    title: 'Ruby with Bundler',
    short: 'ruby',
    setup: [{ run: 'bundle install', from: folder.has('Gemfile.lock') ? 'Gemfile.lock' : 'Gemfile' }],
    verifiers: {
      test,
      lint: hasCop ? { run: 'bundle exec rubocop', from: '.rubocop.yml' } : undefined,
    },
  };
}

async function rubyTest(folder: Folder, gems: string): Promise<FoundCommand | undefined> {
  if (/\brspec\b|\brspec-rails\b/.test(gems) && folder.matching(/^spec\/.*_spec\.rb$/).length > 0)
    return { run: 'bundle exec rspec', from: 'rspec in the Gemfile' };
  if (folder.has('bin/rails') && folder.matching(/^test\/.*_test\.rb$/).length > 0)
    return { run: 'bin/rails test', from: 'bin/rails' };
  const tasks = await folder.text('Rakefile');
  const hasTask = /Rake::TestTask|Minitest::TestTask|\btask\s*\(?[:"']?test\b/.test(tasks);
  return hasTask ? { run: 'bundle exec rake test', from: 'task "test" in Rakefile' } : undefined;
}

/** A project in PHP with a composer.json. */
export async function php(folder: Folder): Promise<Ecosystem | undefined> {
  if (!folder.has('composer.json')) return undefined;
  const text = await folder.text('composer.json');
  const scripts = recordIn(recordFrom(text)?.['scripts']) ?? {};
  const script = (...names: readonly string[]): FoundCommand | undefined => {
    const name = names.find((each) => Object.hasOwn(scripts, each));
    return name === undefined
      ? undefined
      : { run: `composer ${name}`, from: `script "${name}" in composer.json` };
  };
  const test = script('test', 'tests', 'phpunit', 'pest') ?? phpunit(folder, text);
  const lint = script('lint', 'cs', 'phpcs', 'check-style', 'style');
  const types = script('analyse', 'analyze', 'phpstan', 'stan', 'psalm', 'types');
  return {
    title: 'PHP with Composer',
    short: 'php',
    setup: [
      {
        run: 'composer install --no-interaction --no-progress',
        from: folder.has('composer.lock') ? 'composer.lock' : 'composer.json',
      },
    ],
    verifiers: { test, lint, types },
  };
}

function phpunit(folder: Folder, text: string): FoundCommand | undefined {
  const from = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => folder.has(name));
  if (from === undefined || !text.includes('"phpunit/phpunit"')) return undefined;
  return { run: 'vendor/bin/phpunit', from };
}
