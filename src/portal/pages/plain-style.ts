/** The two sets of colours; those of the page. */
const light =
  '--text: #0c1a1f; --dim: #55646b; --line: #e4eaec; --ground: #fff; --surface: #fff; --sunken: #f6f8f9; --chip: #edf1f3; --link: var(--mantine-color-tide-8, #085965); --filled: var(--mantine-color-tide-7, #0a7180); --on-filled: #fff; --code-text: #18794e; --code-number: #8a5300;'
const dark =
  '--text: #e8eff1; --dim: #9fb0b6; --line: #1e2d33; --ground: #0b1316; --surface: #111d22; --sunken: #0a1013; --chip: #1e2d33; --link: var(--mantine-color-tide-3, #6cc9d5); --filled: var(--mantine-color-tide-4, #2fa5b4); --on-filled: #06171b; --code-text: #ffcb7d; --code-number: #ffcb7d;'

/** The look of what can be read without script. */
export const plainStyle = `
:root { color-scheme: light dark; ${light} }
@media (prefers-color-scheme: dark) { :root { ${dark} } html { background: var(--ground); } }
.plain { margin: 0; font: .875rem/1.6 Inter, Heebo, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif; color: var(--text); }
div.plain { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem 3rem; }
.plain h1 { font-size: 1.5rem; font-weight: 650; line-height: 1.33; letter-spacing: -.02em; margin: 0 0 .5rem; text-wrap: balance; }
.plain h2 { font-size: 1rem; margin: 2.5rem 0 .5rem; }
.plain h3 { font-size: .875rem; margin: 2rem 0 .5rem; }
.plain a { color: var(--link); }
.plain p { max-width: 44rem; text-wrap: pretty; }
.plain .dim { margin: 0 0 1.25rem; color: var(--dim); }
.plain .table { overflow-x: auto; }
.plain table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
.plain th { color: var(--dim); font-size: .8125rem; font-weight: 550; }
.plain th, .plain td { text-align: start; padding-block: .5rem; padding-inline: 0 .75rem; border-bottom: 1px solid var(--line); vertical-align: top; }
.plain code { font-family: 'JetBrains Mono', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9286em; font-variant-ligatures: none; overflow-wrap: anywhere; }
.plain :not(pre) > code { padding: 0 .2em; border-radius: 4px; background: var(--chip); }
.plain a:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
`

/** The style of a whole page without script, in addition to {@link plainStyle}: its header has the places of the page's. */
export const plainFrameStyle = `
:root[data-mantine-color-scheme='light'] { color-scheme: light; ${light} }
:root[data-mantine-color-scheme='dark'] { color-scheme: dark; ${dark} }
html { background: var(--ground); }
@media (prefers-color-scheme: light) { :root:not([data-mantine-color-scheme='dark']) .in-dark { display: none !important; } }
@media (prefers-color-scheme: dark) { :root:not([data-mantine-color-scheme='light']) .in-light { display: none !important; } }
[data-mantine-color-scheme='light'] .in-dark, [data-mantine-color-scheme='dark'] .in-light { display: none !important; }
@media (scripting: none) { button[data-scheme], .search kbd { display: none !important; } }
body.plain { display: flex; flex-direction: column; min-height: 100dvh; }
.skip { position: absolute; inset-inline-start: 1rem; top: -4rem; padding: .5rem 1rem; border-radius: 8px; background: var(--filled); }
.plain a.skip { color: var(--on-filled); }
.skip:focus { top: .5rem; }
.plain > header { background: var(--surface); border-bottom: 1px solid var(--line); }
.bar { display: flex; align-items: center; gap: 1.5rem; min-height: 3.5rem; max-width: 90rem; margin-inline: auto; padding-inline: 1.25rem; box-sizing: border-box; }
.bar a, .bar button { color: var(--dim); font-family: inherit; font-size: .875rem; font-weight: 550; line-height: 1.43; text-decoration: none; white-space: nowrap; border: 0; background: none; cursor: pointer; }
.bar a.brand { display: inline-flex; align-items: center; gap: .625rem; min-height: 2rem; color: inherit; font-weight: 650; font-size: .9375rem; letter-spacing: -.01em; }
.bar .brand span { font-weight: 400; color: var(--dim); }
.bar .logo { display: block; width: auto; height: 1.75rem; max-width: 12rem; object-fit: contain; }
.bar .narrow { display: none; }
.bar .links { display: flex; gap: .125rem; }
.bar nav a { padding: .375rem .75rem; border-radius: 8px; }
.bar nav a:hover, .bar .end > a:hover, .bar button:hover { color: var(--text); background: var(--sunken); }
.end { display: flex; align-items: center; gap: .375rem; margin-inline-start: auto; }
.end > a, .bar .end > button { font-size: .8125rem; display: inline-flex; align-items: center; justify-content: center; gap: .5rem; min-width: 2.25rem; min-height: 2.25rem; padding: 0 .625rem; border-radius: 8px; box-sizing: border-box; }
.bar .end > a { font-size: .8125rem; color: var(--text); }
.bar .end > a.search { color: var(--dim); border: 1px solid var(--line); font-weight: 400; }
.search kbd { padding: 0 .3125rem; border: 1px solid var(--line); border-radius: 6px; background: var(--sunken); font: inherit; font-size: .6875rem; }
.bar .end > a.primary { padding-inline: 1.125rem; color: var(--on-filled); }
.bar .end > a.primary:hover { color: var(--on-filled); background: var(--filled); }
.bar .end > a.person { padding: 0; border-radius: 50%; color: var(--link); background: var(--chip); }
.bar svg { fill: none; stroke: currentColor; stroke-linecap: round; }
.bar .end > .menu-button { display: none; }
.menu:popover-open { position: fixed; inset: auto; top: 3.25rem; inset-inline-end: .75rem; width: 14rem; margin: 0; padding: .25rem; display: flex; flex-direction: column; gap: 0; box-sizing: border-box; border: 1px solid var(--line); border-radius: 8px; color: inherit; background: var(--surface); box-shadow: 0 4px 16px rgb(12 26 31 / .12); }
.bar .menu a { padding-block: .5rem; }
.plain > main { flex: 1; width: 100%; max-width: 74.5rem; margin-inline: auto; padding: 2rem 1.25rem 4rem; box-sizing: border-box; }
.plain > footer { border-top: 1px solid var(--line); padding-block: 1.25rem; color: var(--dim); font-size: .8125rem; }
.plain > footer > div { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .625rem; max-width: 90rem; margin-inline: auto; padding-inline: 1.25rem; box-sizing: border-box; }
.plain > footer span { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.plain > footer a { text-decoration: none; }
.plain > footer a:hover { text-decoration: underline; }
.plain button:focus-visible, .plain pre:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.card { padding: 1rem 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); box-shadow: 0 1px 2px rgb(12 26 31 / .05); }
.plain .card p { max-width: none; margin: 0; }
.plain .card p + p { margin-top: .5rem; }
.card code { white-space: nowrap; }
.card ul { margin: .5rem 0 0; padding-inline-start: 1.25rem; }
.ways { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 1rem 0 0; padding: 0; list-style: none; }
.ways a { display: inline-block; padding-block: .25rem; }
.plain a.primary { display: inline-flex; align-items: center; min-height: 2.25rem; padding-inline: 1.125rem; border-radius: 8px; color: var(--on-filled); background: var(--filled); font-weight: 550; text-decoration: none; }
.plain a.primary:hover { filter: brightness(1.08); }
.beside { display: grid; gap: 1.5rem; align-items: start; }
.beside > * { min-width: 0; }
.plain .card .next { margin: 1.25rem 0 .25rem; }
.code { border: 1px solid var(--line); border-radius: 12px; overflow: hidden; background: var(--surface); }
.plain .code h2 { display: flex; align-items: center; min-height: 2.25rem; margin: 0; padding-inline: .75rem; border-bottom: 1px solid var(--line); background: var(--sunken); color: var(--dim); font-size: .75rem; font-weight: 400; letter-spacing: 0; }
.code pre { margin: 0; padding: .875rem 1rem; overflow: auto; font-size: .8125rem; line-height: 1.6; }
.plain pre code { font-size: inherit; overflow-wrap: normal; }
.code b { color: var(--text); font-weight: 600; }
.code i { color: var(--dim); font-style: normal; }
.code .n { color: var(--link); }
.code .t { color: var(--code-text); }
.code .v { color: var(--code-number); }
@media (min-width: 62em) { .beside { grid-template-columns: minmax(0, 1fr) minmax(0, 1.3fr); } }
@media (max-width: 64em) {
  .bar .end > a.search { border-color: transparent; }
  .search kbd { display: none; }
  .search span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
@media (max-width: 56em) {
  .bar { gap: .75rem; padding-inline: 1rem; }
  .bar .links, .bar .brand span { display: none; }
  .bar .end > .menu-button { display: inline-flex; }
}
@media (max-width: 40em) { .plain > main { padding: 1.25rem 1rem 3rem; } }
@media (max-width: 30em) {
  .bar { gap: .25rem; padding-inline: .75rem; }
  .end { gap: .125rem; }
  .end > a, .end > button { padding-inline: .5rem; }
  .bar .end > a.primary { display: none; }
}
@media (max-width: 30em) { .bar .logo { max-width: 6.75rem; } }
@media (max-width: 24em) {
  .bar .logo { max-width: 5.5rem; }
  .bar .brand bdi { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
@media (max-width: 22em) {
  .bar .logo { display: none; }
  .bar .narrow { display: block; }
}
@media (forced-colors: active) { .plain a.primary { border: 1px solid; } }
`
