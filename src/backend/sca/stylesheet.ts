/** The accent of a bank without a colour of its own, on a light ground. */
export const plainAccent = '#0a7180'

/** The stylesheet of all pages. A separate file, because the policy allows no inline styles. */
export const stylesheet = `
@font-face {
  font-family: Inter; font-weight: 100 900; font-display: swap; src: url("/fonts/inter-5.3.0.woff2") format("woff2");
  unicode-range: U+0000-00FF, U+0131, U+0152-0153, U+02BB-02BC, U+02C6, U+02DA, U+02DC, U+2000-200B, U+2011-206F, U+20AC, U+2122, U+2212;
}
@font-face {
  font-family: Heebo; font-weight: 100 900; font-display: swap; src: url("/fonts/heebo-5.3.0.woff2") format("woff2");
  unicode-range: U+0307-0308, U+0590-05FF, U+200C-2010, U+20AA, U+25CC, U+FB1D-FB4F;
}
:root {
  color-scheme: light dark;
  --ground: #f7fafa; --sky: #eaf3f5; --card: #fff; --sunk: #f6f8f9; --line: #dbe3e6; --field: #71828a; --ink: #0c1a1f; --dim: #55646b;
  --accent: ${plainAccent}; --on-accent: #fff; --link: #085965; --tint: #e2f3f5;
  --warn: #7a4a00; --warn-ground: #fff2d6; --bad: #a1201a; --bad-ground: #fee9e7; --ok: #18794e;
  font: 15px/1.5 Inter, Heebo, system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Noto Sans Hebrew', sans-serif;
  color: var(--ink); background: linear-gradient(var(--sky), var(--ground)) no-repeat var(--ground);
  min-height: 100%;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0b1316; --sky: #0d1a1f; --card: #111d22; --sunk: #16252b; --line: #24363d; --field: #7f9299; --ink: #e8eff1; --dim: #9fb0b6;
    --accent: #2fa5b4; --on-accent: #06171b; --link: #6cc9d5; --tint: #143038;
    --warn: #f5cf85; --warn-ground: #33260c; --bad: #ffb1aa; --bad-ground: #3a1715; --ok: #63d19c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 3rem 1rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.card { max-width: 30rem; margin: 0 auto; background: var(--card); border: 1px solid var(--line); border-radius: 16px; overflow: hidden; box-shadow: 0 24px 60px -24px rgb(12 26 31 / .25); }
.strip { margin: 0; padding: .5rem 1.75rem; font-size: .8125rem; font-weight: 600; color: var(--warn); background: var(--warn-ground); }
.bar { display: flex; align-items: center; gap: .625rem; padding: .9375rem 1.75rem; border-bottom: 1px solid var(--line); font-weight: 650; }
.language { margin-inline: auto -.25rem; padding: .25rem; font-size: .8125rem; font-weight: 500; color: var(--dim); text-decoration: none; }
.language:hover { color: var(--link); text-decoration: underline; }
.tile { display: inline-grid; place-items: center; flex: none; width: 2.75rem; height: 2.75rem; border-radius: 12px; font-weight: 650; background: var(--accent); color: var(--on-accent); }
.tile.app { background: #5b57d6; color: #fff; }
.bar .tile { width: 1.75rem; height: 1.75rem; border-radius: 7px; font-size: .875rem; }
main { padding: 1.5rem 1.75rem 1.75rem; }
.logo { display: block; height: 1.75rem; width: auto; max-width: 100%; }
.parties { display: flex; align-items: center; gap: .75rem; margin: 0 0 1rem; color: var(--dim); }
h1 { margin: 0 0 .375rem; font-size: 1.375rem; line-height: 1.3; letter-spacing: -.015em; font-weight: 650; text-wrap: balance; }
p { margin: 0 0 .75rem; }
.dim { color: var(--dim); }
.small { font-size: .8125rem; }
a { color: var(--link); }
h2 { margin: 1.25rem 0 .5rem; font-size: .875rem; font-weight: 650; }
ul { list-style: none; margin: 0; padding: 0; }
ol { margin: 0; padding-inline-start: 1.25rem; }
ol li { padding: .1875rem 0; }
code { font-size: .875em; white-space: nowrap; }
.accounts { border: 1px solid var(--line); border-radius: 10px; }
.accounts li, .accounts label { display: flex; gap: .75rem; padding: .625rem .875rem; margin: 0; font-weight: 400; }
.accounts li + li, .accounts label + label { border-top: 1px solid var(--line); }
.accounts input { flex: none; width: 1.125rem; height: 1.125rem; margin: .1875rem 0 0; accent-color: var(--accent); }
.account strong { display: block; font-weight: 600; }
.account span { display: block; font-size: .8125rem; color: var(--dim); }
.rights { margin-top: 1rem; }
.rights li { position: relative; padding: .1875rem 0; padding-inline-start: 1.5rem; font-weight: 550; }
.rights li::before { position: absolute; inset-inline-start: 0; font-weight: 700; }
.can::before { content: "✓" / ""; color: var(--ok); }
.cannot::before { content: "✕" / ""; color: var(--bad); }
dl { margin: 0; border: 1px solid var(--line); border-radius: 10px; }
dl div { display: grid; grid-template-columns: 7rem 1fr; gap: .75rem; padding: .5625rem .875rem; }
dl div + div { border-top: 1px solid var(--line); }
dt { color: var(--dim); }
dd { margin: 0; font-weight: 600; }
dd.named { font-weight: 400; }
label, legend { display: block; margin: 1rem 0 .25rem; font-weight: 600; }
fieldset { margin: 0; padding: 0; border: 0; min-width: 0; }
.text { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; font: inherit; color: inherit; background: var(--card); border: 1px solid var(--field); border-radius: 8px; }
.apart { margin-top: 1.25rem; padding-top: 1rem; border-top: 1px solid var(--line); }
.code { --gap: .5rem; --box: calc((100cqi - 5 * var(--gap)) / 6); position: relative; display: flex; gap: var(--gap); container-type: inline-size; overflow: hidden; border-radius: 10px; margin: .375rem 0 .5rem; }
.code span { flex: 1; height: 3rem; border: 1px solid var(--field); border-radius: 10px; pointer-events: none; }
.code input { position: absolute; inset: 0; width: calc(100% + var(--gap) + var(--box)); height: 100%; padding: 0; border: 0; background: none; color: inherit; font: 600 1.25rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; padding-inline-start: calc(var(--box) / 2 - .5ch); letter-spacing: calc(var(--box) + var(--gap) - 1ch); outline: none; }
.code:focus-within { outline: 3px solid var(--link); outline-offset: 2px; }
.code:focus-within span { border-color: var(--accent); }
.actions { display: flex; gap: .75rem; margin-top: 1.5rem; }
button { flex: 1; min-height: 2.75rem; padding: .5rem 1rem; font: inherit; font-weight: 650; border-radius: 8px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer; }
button.refuse { background: var(--card); border-color: var(--field); color: var(--ink); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.error, .notice { padding: .75rem .875rem; border-radius: 8px; }
.error { color: var(--bad); background: var(--bad-ground); border: 1px solid currentColor; }
.notice { color: var(--warn); background: var(--warn-ground); }
.customers { margin: 1.5rem -1.75rem -1.75rem; padding: 1rem 1.75rem 1.25rem; background: var(--sunk); border-top: 1px solid var(--line); }
.customers h2 { margin-top: 0; }
.customers li { padding: .4375rem 0; }
.customers li a { margin-inline-end: .375rem; text-decoration-thickness: 1px; text-underline-offset: 3px; }
.customers summary { padding: .4375rem 0; cursor: pointer; color: var(--link); }
footer { max-width: 30rem; margin: 1rem auto 0; padding: 0 1.75rem; font-size: .8125rem; color: var(--dim); }
@media (max-width: 32rem) {
  :root { background: var(--card); }
  body { padding: 0; }
  .card { border: 0; border-radius: 0; box-shadow: none; }
  .strip, .bar, main, footer { padding-inline: 1.25rem; }
  .customers { margin-inline: -1.25rem; padding-inline: 1.25rem; }
  dl div { grid-template-columns: 1fr; gap: 0; }
}
@media (forced-colors: active) {
  .tile, .strip, .notice { border: 1px solid; }
  button:not(.refuse) { border-width: 2px; }
}
`
