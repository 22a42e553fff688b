import { withoutHiddenMarks } from '../../platform/hidden-marks.ts'
import type { SandboxOffer } from '../bank.ts'
import type { Choice } from './choice.ts'
import type { Face } from './face.ts'
import { type Html, html } from './html.ts'
import type { ShownAccount } from './shown-account.ts'
import type { Summary } from './summary.ts'

/** Who asks for an approval. */
export interface Asker {
  /** As registered at the bank; null for requests from before the bank recorded names. */
  readonly applicationName: string | null
  /** The brand that the request names; null without one. */
  readonly brand: string | null
}

/** Shared by both forms. */
interface FormOptions {
  readonly face: Face
  readonly asker: Asker
  readonly csrfToken: string
  readonly error: string | undefined
  /** Undefined at a bank that is no sandbox. */
  readonly sandbox: SandboxOffer | undefined
}

export interface SignInPageOptions extends FormOptions {
  /** What the approval is about; the page shows the details after sign-in. */
  readonly title: string
  /** The initial user name: the id that the request named, or the one just entered. */
  readonly psuId: string
  /** Only this person can sign in; undefined allows any customer. */
  readonly expectedPsuId: string | undefined
  /** Whether the fields hold the secrets of the person, to be sent as they are. */
  readonly isFilled: boolean
  readonly notice: string | undefined
}

/** The form with which a customer signs in. */
export function signInPage(options: SignInPageOptions): string {
  const { face, title, asker, csrfToken, psuId, expectedPsuId, isFilled, error, notice, sandbox } =
    options
  const password = isFilled ? (sandbox?.password ?? '') : ''
  return page(
    { face, title, sandbox },
    html`${partiesOf(face, asker)}
<h1>${title}</h1>
<p><strong>${nameOf(asker)}</strong> asks for your approval. Sign in to <bdi>${face.name}</bdi> to see the details. Nothing happens until you approve.</p>
${brandOf(face, asker)}
${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
${alert(error)}
<form method="post">
<input type="hidden" name="csrf" value="${csrfToken}">
<label for="psu">ID number or alias</label>
<input class="text" id="psu" name="psu" value="${psuId}" maxlength="512" autocomplete="username" required>
<label for="password">Password</label>
<input class="text" id="password" name="password" type="password" value="${password}" maxlength="128" autocomplete="current-password" required>
<div class="actions">${isFilled ? html`<button autofocus>Sign in</button>` : html`<button>Sign in</button>`}</div>
</form>
${sandbox === undefined ? '' : customersOf(sandbox, expectedPsuId)}`,
  )
}

/** The customers that can sign in, the ones most used first; a link fills the fields. */
function customersOf({ customers, password }: SandboxOffer, expected: string | undefined): Html {
  const able = customers.filter(({ id }) => expected === undefined || id === expected)
  const link = ({ id, name, behaves }: SandboxOffer['customers'][number]) =>
    html`<li><a href="?as=${encodeURIComponent(id)}">Sign in as ${name}</a> <span class="dim small">${behaves}</span></li>`
  const [first, more] = [able.slice(0, 3), able.slice(3)]
  return html`<section class="customers" aria-labelledby="customers">
<h2 id="customers">Sandbox customers</h2>
<p class="small dim">Choose a customer to fill in the fields. Every password is <strong>${password}</strong>.</p>
<ul>${first.map(link)}</ul>
${more.length === 0 ? '' : html`<details><summary>${String(more.length)} more customers</summary><ul>${more.map(link)}</ul></details>`}
</section>`
}

export interface DecisionPageOptions extends FormOptions {
  readonly summary: Summary
  /** The name of the customer. */
  readonly name: string
  readonly choice: Choice | undefined
  /** Whether the page asks for a one-time password. */
  readonly needsCode: boolean
  /** Whether the field holds the one-time password, to be sent as it is. */
  readonly isFilled: boolean
}

/** The form on which a customer approves or refuses. */
export function decisionPage(options: DecisionPageOptions): string {
  const { face, summary, asker, name, csrfToken, choice, needsCode, isFilled, error, sandbox } =
    options
  const { title, facts, accounts, can, cannot } = summary
  return page(
    { face, title, sandbox },
    html`${partiesOf(face, asker)}
<h1>${title}</h1>
<p>Requested by <strong>${nameOf(asker)}</strong>. <span class="dim">Signed in as <bdi>${name}</bdi></span></p>
${brandOf(face, asker)}
${alert(error)}
${facts.length === 0 ? '' : html`<dl>${facts.map(([term, value]) => html`<div><dt>${term}</dt>${factOf(value)}</div>`)}</dl>`}
${accounts.length === 0 ? '' : html`<ul class="accounts">${accounts.map((account) => html`<li>${accountOf(account)}</li>`)}</ul>`}
<form method="post">
<input type="hidden" name="csrf" value="${csrfToken}">
${choice === undefined ? '' : renderChoice(choice)}
<h2>If you approve, <bdi>${nameOf(asker)}</bdi> can</h2>
<ul class="rights can">${can.map((line) => html`<li><bdi>${line}</bdi></li>`)}</ul>
<h2>It cannot</h2>
<ul class="rights cannot">${cannot.map((line) => html`<li>${line}</li>`)}</ul>
${needsCode ? codeField(sandbox, isFilled) : ''}
<div class="actions">
<button name="decision" value="approve">Approve</button>
<button class="refuse" name="decision" value="refuse" formnovalidate>Refuse</button>
</div>
</form>`,
  )
}

function codeField(sandbox: SandboxOffer | undefined, isFilled: boolean): Html {
  const code = isFilled ? (sandbox?.oneTimePassword ?? '') : ''
  return html`<label for="code">One-time password</label>
<input class="text code" id="code" name="code" value="${code}" inputmode="numeric" maxlength="12" autocomplete="one-time-code" required>
${sandbox === undefined ? '' : html`<p class="small dim">In the sandbox this is always <strong>${sandbox.oneTimePassword}</strong>. <a href="?fill=code">Fill it in</a></p>`}`
}

/** Radio buttons or check boxes; the bank's default is selected initially. */
function renderChoice({ kind, question, options }: Choice): Html {
  const type = kind === 'one' ? 'radio' : 'checkbox'
  return html`<fieldset><legend>${question}</legend><div class="accounts">
${options.map((option, index) =>
  kind === 'several' || index === 0
    ? html`<label><input type="${type}" name="account" value="${option.id}" checked> ${accountOf(option)}</label>`
    : html`<label><input type="${type}" name="account" value="${option.id}"> ${accountOf(option)}</label>`,
)}
</div></fieldset>`
}

function accountOf({ name, detail, sees }: ShownAccount): Html {
  return html`<span class="account"><strong><bdi>${name}</bdi></strong>${detail === '' ? '' : html`<span><bdi>${detail}</bdi></span>`}${sees === undefined ? '' : html`<span>${sees}</span>`}</span>`
}

function factOf(value: string | ShownAccount): Html {
  return typeof value === 'string'
    ? html`<dd dir="auto">${value}</dd>`
    : html`<dd class="named">${accountOf(value)}</dd>`
}

function nameOf({ applicationName }: Asker): Html {
  return applicationName === null
    ? html`an application`
    : html`<bdi>${withoutHiddenMarks(applicationName)}</bdi>`
}

/** A request can claim any brand, so the page says that the bank has not checked it. */
function brandOf(face: Face, asker: Asker): string | Html {
  const brand = withoutHiddenMarks(asker.brand ?? '').trim()
  return brand === '' || brand === asker.applicationName
    ? ''
    : html`<p class="small dim">It calls itself “<bdi>${brand}</bdi>”. <bdi>${face.name}</bdi> has not checked that name.</p>`
}

function partiesOf({ letter }: Face, { applicationName }: Asker): Html {
  const initials = withoutHiddenMarks(applicationName ?? '')
    .split(/\s+/u)
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  return html`<p class="parties" aria-hidden="true"><span class="tile app">${initials || '?'}</span> ⇄ <span class="tile">${letter}</span></p>`
}

function alert(error: string | undefined): string | Html {
  return error === undefined ? '' : html`<p class="error" role="alert">${error}</p>`
}

/** The page at the root of the bank's address: what the other pages are for, and how to get there. */
export function frontPage(face: Face, sandbox: SandboxOffer | undefined): string {
  const title = 'Approve what an app asks for'
  return page(
    { face, title, sandbox },
    html`<h1>${title}</h1>
<p>Here customers of <bdi>${face.name}</bdi> approve or refuse what apps request: access to accounts, payments and mandates.</p>
<h2>How to get here</h2>
${sandbox === undefined ? customersWay : developersWay(sandbox)}`,
  )
}

const customersWay = html`<p>Start in the app that needs your approval. It opens a page of the bank, which works for ten minutes.</p>`

function developersWay({ customersUrl }: SandboxOffer): Html {
  return html`<ol>
<li>Request a consent, a payment or a mandate through the gateway, with the header <code>TPP-Redirect-Preferred: true</code>.</li>
<li>Open the link <code>scaRedirect</code> of the response in a browser. It works for ten minutes.</li>
<li>Sign in as one of the <a href="${customersUrl()}">sandbox customers</a>, and approve or refuse.</li>
</ol>`
}

/** A page with a title and a text only. */
export function messagePage(face: Face, title: string, text: string): string {
  return page({ face, title, sandbox: undefined }, html`<h1>${title}</h1><p>${text}</p>`)
}

interface PageOptions {
  readonly face: Face
  readonly title: string
  readonly sandbox: SandboxOffer | undefined
}

function page({ face, title, sandbox }: PageOptions, content: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${face.name}</title>
${face.icon === undefined ? '' : html`<link rel="icon" href="${face.icon}">`}
<link rel="stylesheet" href="${face.style}">
</head>
<body>
<div class="card">
${sandbox === undefined ? '' : html`<p class="strip">Sandbox. No real money, no real customers.</p>`}
<header>${signOf(face)}</header>
<main>
${content}
</main>
</div>
<footer><bdi>${face.name}</bdi> never asks for your password outside its own pages.</footer>
</body>
</html>
`.markup
}

/** The logo, which says the name itself; without one, the name beside a tile. */
function signOf({ logo, letter, name }: Face): Html {
  return logo === undefined
    ? html`<span class="tile" aria-hidden="true">${letter}</span><bdi>${name}</bdi>`
    : html`<picture><source media="(prefers-color-scheme: dark)" srcset="${logo.dark}"><img class="logo" src="${logo.light}" alt="${name}"></picture>`
}
