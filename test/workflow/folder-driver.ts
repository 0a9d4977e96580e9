import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { type Payload, StorageDriverClaim, type StorageDriver } from '@temporalio/common';

/** A driver of Temporal's external storage: a file per payload, named by its digest. */
export class FolderDriver implements StorageDriver {
  readonly name = 'folder';
  readonly type = 'test.folder';
  readonly #folder: string;
  /** While it is set, nothing is stored or found. */
  isDown = false;

  constructor(folder: string) {
    mkdirSync(folder, { recursive: true });
    this.#folder = folder;
  }

  store(_context: unknown, payloads: Payload[]): Promise<StorageDriverClaim[]> {
    return this.#try(() =>
      payloads.map(({ metadata, data }) => {
        const bytes = serialize({ metadata, data });
        const digest = createHash('sha256').update(bytes).digest('hex');
        writeFileSync(join(this.#folder, digest), bytes);
        return new StorageDriverClaim({ digest });
      }),
    );
  }

  retrieve(_context: unknown, claims: StorageDriverClaim[]): Promise<Payload[]> {
    return this.#try(() =>
      claims.map(({ claimData: { digest = '' } }) => {
        return deserialize(readFileSync(join(this.#folder, digest))) as Payload;
      }),
    );
  }

  files(): Buffer[] {
    return readdirSync(this.#folder).map((file) => readFileSync(join(this.#folder, file)));
  }

  clear(): void {
    for (const file of readdirSync(this.#folder)) rmSync(join(this.#folder, file));
  }

  #try<Result>(work: () => Result): Promise<Result> {
    return this.isDown ? Promise.reject(new Error('the folder is away')) : (async () => work())();
  }
}
