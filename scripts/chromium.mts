// The browser of tests and pictures: a Chromium of this machine.
import { existsSync } from 'node:fs';

const usual = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined if there is none. The environment variable `CHROMIUM` names another one. */
export const chromiumPath = [process.env['CHROMIUM'] ?? '', ...usual].find(existsSync);

/** Where it must be there, as in the gate: a browser test that does not run is a failure. */
export const isChromiumRequired = process.env['LONGHAUL_BROWSER'] === 'required';

/** It talks to nobody but the page. */
export const chromiumArgs: string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
