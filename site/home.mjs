// The home, made of the README: its claim, code, terminal, numbers and table of survival make the first screen. The rest follows.

const part = (text, pattern, what) => {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`README.md has no ${what}, which the site shows first`);
  return found[0];
};

export function homeOf(readme, start) {
  const title = part(readme, /^# .+$/m, 'title');
  const code = part(readme, /^```ts\n[\s\S]*?^```$/m, 'code');
  const terminal = part(readme, /^```console\n[\s\S]*?^```$/m, 'terminal');
  const numbers = part(readme, /^## In numbers\n[\s\S]*?(?=^## )/m, 'section "In numbers"');
  const survival = part(readme, /^## What .* survives\n[\s\S]*?(?=^## )/m, 'section "… survives"');
  const claim = readme.slice(readme.indexOf(title) + title.length, readme.indexOf(code)).trim();
  const rest = [title, claim, code, terminal, numbers, survival].reduce(
    (text, it) => text.replace(it, ''),
    readme,
  );
  return `---
layout: page
sidebar: false
---

<div class="vp-doc home">
<div class="first">
<div class="claim">

${title}

${claim}

<div class="ways">

[${start.title}](./${start.address}) [Try it](#try-it)

</div>

${code}

</div>
<div class="proof">

${terminal}

${survival}

</div>
<div class="numbers">

${numbers}

</div>
</div>

<div class="rest">

${rest.trim()}

</div>
</div>
`;
}
