import { freePort, isPortFree } from '../../server/free-port';

export type ChosenPort = { readonly port: number; readonly isUsual: boolean };

/** The port that was asked for, taken or not; else the usual one; else any that is free. */
export async function choosePort(asked: number | undefined, usual: number): Promise<ChosenPort> {
  if (asked !== undefined) return { port: asked, isUsual: asked === usual };
  const isUsual = await isPortFree(usual);
  return { port: isUsual ? usual : await freePort(), isUsual };
}
