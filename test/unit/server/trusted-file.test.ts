// Files and links in a temporary folder; no server.
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivate } from '../../../src/server/machine/cache-folder';
import { checkTrusted, namedExecutable } from '../../../src/server/machine/trusted-file';

const asRoot = process.getuid?.() === 0;

describe('what is run', () => {
  let root: string;
  let tool: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'longhaul-trusted-'));
    mkdirSync(join(root, 'deep', 'bin'), { recursive: true, mode: 0o755 });
    tool = join(root, 'deep', 'bin', 'tool');
    writeFileSync(tool, '#!/bin/sh\n');
    open('deep', 0o755);
    open('deep/bin', 0o755);
    open('deep/bin/tool', 0o755);
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const open = (place: string, mode: number): void => chmodSync(join(root, place), mode);

  it.each([
    { name: 'only its user can write', change: () => undefined },
    { name: 'stands in a folder like /tmp', change: () => open('deep/bin', 0o1777) },
  ])('may be what $name', ({ change }) => {
    change();
    expect(namedExecutable(tool)).toBe(tool);
  });

  it.each([
    { name: 'a file that all may write', place: 'deep/bin/tool', mode: 0o777 },
    { name: 'a file that its group may write', place: 'deep/bin/tool', mode: 0o775 },
    { name: 'a file of the sticky kind', place: 'deep/bin/tool', mode: 0o1777 },
    { name: 'a file in a folder that all may write', place: 'deep/bin', mode: 0o777 },
    { name: 'a file in a folder that its group may write', place: 'deep/bin', mode: 0o770 },
    { name: 'a file below such a folder', place: 'deep', mode: 0o777 },
  ])('is never $name', ({ place, mode }) => {
    open(place, mode);
    const reason = new RegExp(`${place} can be written by other users`);
    expect(() => namedExecutable(tool)).toThrow(reason);
    symlinkSync(tool, join(root, 'link'));
    expect(() => checkTrusted(join(root, 'link'))).toThrow(reason);
  });

  it('is not what a link in a folder of others leads to', () => {
    mkdirSync(join(root, 'shared'));
    symlinkSync(tool, join(root, 'shared', 'link'));
    open('shared', 0o777);
    symlinkSync(join(root, 'shared', 'link'), join(root, 'first'));
    expect(() => checkTrusted(join(root, 'first'))).toThrow(/shared can be written/);
    symlinkSync(join(root, 'round'), join(root, 'round'));
    expect(() => checkTrusted(join(root, 'round'))).toThrow(/too many links/);
  });

  (asRoot ? it : it.skip)('never belongs to another user', () => {
    chownSync(tool, 4242, 4242);
    expect(() => namedExecutable(tool)).toThrow(/tool belongs to another user \(4242\)/);
    chownSync(tool, 0, 0);
    chownSync(join(root, 'deep'), 4242, 4242);
    expect(() => namedExecutable(tool)).toThrow(/deep belongs to another user \(4242\)/);
  });

  it('is kept in folders for its user alone, whatever the umask', () => {
    const before = process.umask(0o002);
    try {
      const made = makePrivate(join(root, 'cache', 'longhaul'));
      expect(statSync(made).mode & 0o777).toBe(0o700);
      expect(statSync(join(root, 'cache')).mode & 0o022).toBe(0);
      chmodSync(made, 0o775);
      makePrivate(made);
      expect(statSync(made).mode & 0o777).toBe(0o755);
    } finally {
      process.umask(before);
    }
    open('cache', 0o777);
    expect(() => makePrivate(join(root, 'cache', 'longhaul'))).toThrow(/cache can be written/);
  });
});
