import type { Choice } from './choice.ts'
import { type Html, html } from './html.ts'

/** The stylesheet of all pages, served beside them: no inline style needs an exception in the policy. */
export const stylesheet = `
:root { color-scheme: light; font: 16px/1.5 system-ui, sans-serif; color: #14213d; background: #f3f5f9; }
body { margin: 0; padding: 1.5rem; }
main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 2rem; background: #fff; border: 1px solid #c9d1e0; border-radius: 8px; }
h1 { font-size: 1.4rem; margin-top: 0; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: #47536b; }
dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; margin-top: 1rem; font-weight: 600; }
fieldset { margin: 1rem 0 0; padding: .5rem 1rem 1rem; border: 1px solid #c9d1e0; border-radius: 4px; }
legend { font-weight: 600; }
fieldset label { margin-top: .5rem; font-weight: 400; overflow-wrap: anywhere; }
fieldset label input { width: auto; margin-right: .25rem; }
.hint { color: #47536b; font-size: .9rem; }
input { width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #6b7894; border-radius: 4px; }
.actions { display: flex; gap: 1rem; margin-top: 1.5rem; }
button { flex: 1; padding: .6rem; font: inherit; font-weight: 600; border-radius: 4px; border: 2px solid #14418b; background: #14418b; color: #fff; }
button.refuse { background: #fff; color: #14418b; }
:focus-visible { outline: 3px solid #f08c00; outline-offset: 2px; }
.error { padding: .75rem; border: 2px solid #b00020; border-radius: 4px; color: #8a0019; }
`

/** What is being approved, as names and values for people. */
export interface Summary {
  readonly title: string
  readonly facts: readonly (readonly [name: string, value: string])[]
}

export interface SignInPageOptions {
  /** What it is about; the facts are shown to who has signed in. */
  readonly title: string
  readonly csrfToken: string
  /** What the form starts with: the PSU-ID the TPP named, or the one just entered. */
  readonly psuId: string
  readonly error: string | undefined
  /** What a tester needs to know; undefined at a bank that is none. */
  readonly hint: string | undefined
}

/** The form with which a PSU signs in. */
export function signInPage({ title, csrfToken, psuId, error, hint }: SignInPageOptions): string {
  return page(
    title,
    html`<h1>${title}</h1>
<p>A service you use asks for your approval. Sign in to see what it wants.</p>
${alert(error)}
<form method="post">
<input type="hidden" name="csrf" value="${csrfToken}">
<label for="psu">User name</label>
<input id="psu" name="psu" value="${psuId}" maxlength="512" autocomplete="username" required>
<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="128" autocomplete="current-password" required>
${noteOf(hint)}
<div class="actions"><button>Sign in</button></div>
</form>`,
  )
}

export interface DecisionPageOptions {
  readonly summary: Summary
  /** The name of the PSU. */
  readonly name: string
  readonly csrfToken: string
  readonly choice: Choice | undefined
  /** Whether a one-time password is asked for. */
  readonly needsCode: boolean
  readonly error: string | undefined
  readonly hint: string | undefined
}

/** The form on which a PSU approves or refuses. */
export function decisionPage(options: DecisionPageOptions): string {
  const { summary, name, csrfToken, choice, needsCode, error, hint } = options
  return page(
    summary.title,
    html`<h1>${summary.title}</h1>
<p>Signed in as <bdi>${name}</bdi></p>
${alert(error)}
<dl>${summary.facts.map(([term, value]) => html`<dt>${term}</dt><dd dir="auto">${value}</dd>`)}</dl>
<form method="post">
<input type="hidden" name="csrf" value="${csrfToken}">
${choice === undefined ? '' : renderChoice(choice)}
${needsCode ? codeField : ''}
${needsCode ? noteOf(hint) : ''}
<div class="actions">
<button name="decision" value="approve">Approve</button>
<button class="refuse" name="decision" value="refuse" formnovalidate>Refuse</button>
</div>
</form>`,
  )
}

const codeField = html`<label for="code">One-time password</label>
<input id="code" name="code" inputmode="numeric" maxlength="12" autocomplete="one-time-code" required>`

/** Radio buttons or check boxes; what the bank would take by itself is chosen from the start. */
function renderChoice({ kind, question, options }: Choice): Html {
  const type = kind === 'one' ? 'radio' : 'checkbox'
  return html`<fieldset><legend>${question}</legend>
${options.map(({ id, name }, index) =>
  kind === 'several' || index === 0
    ? html`<label><input type="${type}" name="account" value="${id}" checked> ${name}</label>`
    : html`<label><input type="${type}" name="account" value="${id}"> ${name}</label>`,
)}
</fieldset>`
}

function alert(error: string | undefined): string | Html {
  return error === undefined ? '' : html`<p class="error" role="alert">${error}</p>`
}

function noteOf(hint: string | undefined): string | Html {
  return hint === undefined ? '' : html`<p class="hint">${hint}</p>`
}

/** A page that only says something. */
export function messagePage(title: string, text: string): string {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`)
}

function page(title: string, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Sandbox bank</title>
<link rel="stylesheet" href="/style.css">
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`.markup
}
