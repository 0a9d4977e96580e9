import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const project = join(__dirname, '../..');
const folder = 'scripts/simulate/mutations';

it.each(readdirSync(join(project, folder)))('%s can be put back into the code', (patch) => {
  execFileSync('git', ['apply', '--check', join(folder, patch)], { cwd: project, stdio: 'pipe' });
});
