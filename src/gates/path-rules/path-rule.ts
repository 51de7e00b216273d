import picomatch from 'picomatch';

/** The files that a rule is about. */
export interface PathRule {
  matches(path: string): boolean;
}

/** Globs match dotfiles and ignore case. */
export function matching(
  globs: readonly string[],
  except: readonly string[] = [],
): (path: string) => boolean {
  const isMatch = picomatch([...globs], { dot: true, nocase: true, ignore: [...except] });
  return (path) => isMatch(path);
}

/** What programs are written in; a file in it is about secrets or production, and holds neither. */
export const sources =
  '{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,py,pyi,rb,go,rs,java,kt,kts,scala,groovy,cs,fs,php,swift,m,c,h,cc,cpp,hpp,ex,exs,erl,clj,dart,lua,pl,sol}';

/** What configuration is written in; `production.ts` is a program. */
export const settings =
  '{yml,yaml,json,json5,jsonc,toml,tf,tfvars,hcl,env,ini,conf,cfg,cnf,properties,xml,plist,config}';
