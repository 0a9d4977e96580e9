// Bundles a page that docs show, and writes its JavaScript to stdout. Usage: build-docs-page.mts <code of chat-page.tsx>
import { resolve } from 'node:path';
import { build, type Rolldown } from 'vite';

const [code = ''] = process.argv.slice(2);
const root = resolve(import.meta.dirname, '../..');

/** No file has them. */
const files: Readonly<Record<string, string>> = {
  [`${root}/chat-page.tsx`]: code,
  [`${root}/main.tsx`]: `
    import { createRoot } from 'react-dom/client';
    import { ChatPage } from './chat-page.tsx';
    const response = await fetch('/agents/support/docs/ui-messages');
    const { messages } = await response.json();
    createRoot(document.body).render(<ChatPage id="docs" messages={messages} />);
  `,
};

const built = await build({
  root,
  configFile: false,
  logLevel: 'error',
  plugins: [
    {
      name: 'docs',
      enforce: 'pre',
      resolveId: (id) =>
        Object.keys(files).find((file) => file.endsWith(id.replace(/^\.?\//, '/'))),
      load: (id) => files[id],
    },
  ],
  build: { write: false, target: 'esnext', rolldownOptions: { input: '/main.tsx' } },
});
const { output } = built as Rolldown.RolldownOutput;
process.stdout.write(output[0].code);
