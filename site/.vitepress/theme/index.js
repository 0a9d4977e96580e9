import { useData, withBase } from 'vitepress';
import Theme from 'vitepress/theme';
import { h, onMounted, ref, useId, watch } from 'vue';
import './style.css';

let loading;
/** Mermaid comes from the site, and only to pages with a diagram. */
function loadMermaid() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = withBase('/mermaid.js');
    script.onload = () => resolve(globalThis.mermaid);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
}

/** Those of the site. */
function colours(isDark) {
  const [paper, room, box, border, line, text] = isDark
    ? ['#1b1b1f', '#202127', '#2b2c33', '#55565c', '#98989f', '#dfdfd6']
    : ['#ffffff', '#fafafb', '#f0f0f3', '#c2c2c4', '#67676c', '#3c3c43'];
  return {
    darkMode: isDark,
    background: paper,
    primaryColor: box,
    primaryBorderColor: border,
    primaryTextColor: text,
    lineColor: line,
    textColor: text,
    edgeLabelBackground: paper,
    clusterBkg: room,
    clusterBorder: border,
    noteBkgColor: paper,
    noteBorderColor: border,
    noteTextColor: text,
  };
}

const widthOf = (svg) => Number(/max-width: ([\d.]+)px/.exec(svg)?.[1] ?? 0);

const Diagram = {
  props: ['code'],
  setup(props) {
    const { isDark } = useData();
    const code = decodeURIComponent(props.code);
    const id = `diagram-${useId()}`;
    const drawn = ref();
    const isLarge = ref(false);
    async function draw() {
      const mermaid = await loadMermaid();
      mermaid.initialize({
        startOnLoad: false,
        theme: 'base',
        themeVariables: colours(isDark.value),
        fontFamily: 'inherit',
        flowchart: {
          nodeSpacing: 24,
          rankSpacing: 28,
          diagramPadding: 4,
          wrappingWidth: 120,
          subGraphTitleMargin: { top: 4, bottom: 16 },
        },
      });
      let { svg } = await mermaid.render(id, code);
      // A column of text is narrow: what is wide goes down.
      if (widthOf(svg) > 1_000)
        ({ svg } = await mermaid.render(id, code.replace('flowchart LR', 'flowchart TB')));
      // On a phone it scrolls, before its text is too small to read.
      drawn.value = svg.replace('max-width:', `min-width: ${widthOf(svg) / 2}px; max-width:`);
    }
    const toggle = () => (isLarge.value = !isLarge.value);
    onMounted(draw);
    watch(isDark, draw);
    return () =>
      drawn.value === undefined
        ? h('pre', { class: 'diagram' }, code)
        : h('div', {
            class: ['diagram', { large: isLarge.value }],
            tabindex: 0,
            innerHTML: drawn.value,
            onClick: toggle,
            onKeydown: ({ key }) => key === 'Enter' && toggle(),
          });
  },
};

const AsMarkdown = {
  setup() {
    const { page } = useData();
    const link = (path, label) => h('a', { href: withBase(path), target: '_blank' }, label);
    return () =>
      h('p', { class: 'as-markdown' }, [
        link(`/${page.value.relativePath}`, 'This page as Markdown'),
        ' · ',
        link('/llms.txt', 'All pages: llms.txt'),
      ]);
  },
};

export default {
  extends: Theme,
  Layout: () => h(Theme.Layout, null, { 'doc-footer-before': () => h(AsMarkdown) }),
  enhanceApp: ({ app }) => app.component('Diagram', Diagram),
};
