import { type PartHandler, servePart } from './measure/part.ts';

/** What runs in a separate process: `node parts.js <name> <settings as JSON>`. */
const parts: Readonly<Record<string, () => Promise<OpenPart>>> = {
  raw: async () => (await import('./server/raw.ts')).openRaw,
  ours: async () => (await import('./server/ours.ts')).openOurs,
  probot: async () => (await import('./server/probot.ts')).openProbot,
  load: async () => (await import('./server/load.ts')).openLoad,
  forge: async () => (await import('./environment/forge.ts')).openForge,
  app: async () => (await import('./environment/app.ts')).openApp,
  packages: async () => (await import('./sandbox/packages.ts')).openPackages,
  'single-run': async () => (await import('./iteration/single-run.ts')).openSingleRun,
};

// Settings and questions come from the benchmark that names the part.
// biome-ignore lint/suspicious/noExplicitAny: each part has its own types
type OpenPart = (settings: any) => Promise<PartHandler<any, any, any>>;

const [name = '', settings = 'null'] = process.argv.slice(2);
const part = parts[name];
if (part === undefined) throw new Error(`there is no part ${JSON.stringify(name)}`);
const open = await part();
servePart(await open(JSON.parse(settings)));
