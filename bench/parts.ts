import { play, type Role } from './measure/part.ts';

/** What runs in processes of its own: `node parts.js <name> <settings as JSON>`. */
const parts: Readonly<Record<string, () => Promise<Begin>>> = {
  raw: async () => (await import('./door/raw.ts')).openRaw,
  server: async () => (await import('./door/ours.ts')).openOurs,
  probot: async () => (await import('./door/probot.ts')).openProbot,
  load: async () => (await import('./door/load.ts')).openLoad,
  forge: async () => (await import('./stage/forge.ts')).openForge,
  app: async () => (await import('./stage/app.ts')).openApp,
  crew: async () => (await import('./iteration/crew.ts')).openCrew,
};

// Settings and questions come from the benchmark that names the part.
// biome-ignore lint/suspicious/noExplicitAny: each part knows its own
type Begin = (settings: any) => Promise<Role<any, any, any>>;

const [name = '', settings = 'null'] = process.argv.slice(2);
const part = parts[name];
if (part === undefined) throw new Error(`could not play ${JSON.stringify(name)}: there is no such part`);
const begin = await part();
play(await begin(JSON.parse(settings)));
