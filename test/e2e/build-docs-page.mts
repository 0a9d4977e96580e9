// Bundles the chat page that docs/http.md links to, and writes its JavaScript to stdout.
import { resolve } from 'node:path';
import { build, type Rolldown } from 'vite';

const root = resolve(import.meta.dirname, '../..');

const main = `
  import { createRoot } from 'react-dom/client';
  import { ChatPage } from './examples/web-chat/page/chat-page.tsx';
  const response = await fetch('/agents/support/docs/ui-messages');
  const { messages } = await response.json();
  createRoot(document.body).render(<ChatPage id="docs" messages={messages} />);
`;
/** No file has this name. */
const mainPath = `${root}/main.tsx`;

const built = await build({
  root,
  configFile: false,
  logLevel: 'error',
  plugins: [
    {
      name: 'docs',
      enforce: 'pre',
      resolveId: (id) => (id === '/main.tsx' ? mainPath : undefined),
      load: (id) => (id === mainPath ? main : undefined),
    },
  ],
  build: { write: false, target: 'esnext', rolldownOptions: { input: '/main.tsx' } },
});
const { output } = built as Rolldown.RolldownOutput;
process.stdout.write(output[0].code);
