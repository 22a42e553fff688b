import { languageFacts } from '../../messages/language.ts'
import { withoutHiddenMarks } from '../../platform/hidden-marks.ts'
import type { SandboxOffer } from '../bank.ts'
import type { Choice } from './choice.ts'
import type { Face } from './face.ts'
import { type Html, html } from './html.ts'
import { isolated, message } from './message.ts'
import type { ShownAccount } from './shown-account.ts'
import type { Approval, Summary } from './summary.ts'
import type { Visit } from './visit.ts'

/** The application that asks for an approval. */
export interface Asker {
  /** The registered name; null for requests from before the bank recorded names. */
  readonly applicationName: string | null
  /** The brand that the request names; null without one. */
  readonly brand: string | null
}

/** Options of every page. */
export interface PageOptions {
  readonly visit: Visit
  /** Undefined at a bank that is not a sandbox. */
  readonly sandbox: SandboxOffer | undefined
}

/** Shared by both forms. */
interface FormOptions extends PageOptions {
  readonly asker: Asker
  readonly csrfToken: string
  readonly error: string | undefined
}

export interface SignInPageOptions extends FormOptions {
  /** The kind of approval; the page shows the details after sign-in. */
  readonly approval: Approval
  /** The initial user name: the id in the request, or the one just entered. */
  readonly psuId: string
  /** The only customer who can sign in; undefined: any. */
  readonly expectedPsuId: string | undefined
  /** Whether the fields already contain the secrets of the customer. */
  readonly isFilled: boolean
  readonly notice: string | undefined
}

/** The form with which a customer signs in. */
export function signInPage(options: SignInPageOptions): string {
  const { visit, approval, asker, csrfToken, psuId, isFilled, error, notice, sandbox } = options
  const { words } = visit
  const { t } = words
  const title = t(`bank.${approval}.title`)
  const password = isFilled ? (sandbox?.password ?? '') : ''
  const button = t('bank.signIn.button')
  return page(options, {
    title,
    content: html`${partiesOf(asker, visit)}
<h1>${title}</h1>
<p>${message(words, 'bank.signIn.lead', { app: nameOf(asker, visit), bank: visit.face.name })}</p>
${brandOf(asker, visit)}
${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`}
${alert(error)}
<form method="post">
<input type="hidden" name="csrf" value="${csrfToken}">
<label for="psu">${t('bank.signIn.id')}</label>
<input class="text" id="psu" name="psu" value="${psuId}" dir="ltr" maxlength="512" autocomplete="username" required>
<label for="password">${t('bank.signIn.password')}</label>
<input class="text" id="password" name="password" type="password" dir="ltr" value="${password}" maxlength="128" autocomplete="current-password" required>
<div class="actions">${isFilled ? html`<button autofocus>${button}</button>` : html`<button>${button}</button>`}</div>
</form>
${sandbox === undefined ? '' : customersOf(sandbox, options)}`,
  })
}

/** The customers who can sign in, the most used first; a link fills the fields. */
function customersOf(
  { customers, password, nameIn }: SandboxOffer,
  { visit, expectedPsuId }: Pick<SignInPageOptions, 'visit' | 'expectedPsuId'>,
): Html {
  const { words } = visit
  const { t } = words
  const able = customers.filter(({ id }) => expectedPsuId === undefined || id === expectedPsuId)
  const link = ({ id, name, behaviour }: SandboxOffer['customers'][number]) => {
    const shown = nameIn(words.language, name)
    return html`<li><a href="?as=${encodeURIComponent(id)}">${message(words, 'bank.customers.as', { name: shown })}</a> <span class="dim small">${t(`behaviour.${behaviour}`)}</span></li>`
  }
  const [first, more] = [able.slice(0, 3), able.slice(3)]
  return html`<section class="customers" aria-labelledby="customers">
<h2 id="customers">${t('bank.customers.title')}</h2>
<p class="small dim">${message(words, 'bank.customers.lead', { password })}</p>
<ul>${first.map(link)}</ul>
${more.length === 0 ? '' : html`<details><summary>${t('bank.customers.more', { count: more.length })}</summary><ul>${more.map(link)}</ul></details>`}
</section>`
}

export interface DecisionPageOptions extends FormOptions {
  readonly summary: Summary
  /** The name of the customer. */
  readonly name: string
  readonly choice: Choice | undefined
  /** Whether the page asks for a one-time code. */
  readonly needsCode: boolean
  /** Whether the field already contains the one-time code. */
  readonly isFilled: boolean
}

/** The form on which a customer approves or refuses. */
export function decisionPage(options: DecisionPageOptions): string {
  const { visit, summary, asker, name, csrfToken, choice, needsCode, error } = options
  const { approval, asks, facts, accounts, can, cannot } = summary
  const { words } = visit
  const { t } = words
  return page(options, {
    title: t(`bank.${approval}.title`),
    content: html`${partiesOf(asker, visit)}
<h1>${asks}</h1>
<p class="dim">${message(words, 'bank.signedIn', { name })}</p>
${brandOf(asker, visit)}
${alert(error)}
${facts.length === 0 ? '' : html`<dl>${facts.map(([term, value]) => html`<div><dt>${term}</dt>${factOf(value)}</div>`)}</dl>`}
${accounts.length === 0 ? '' : html`<ul class="accounts">${accounts.map((account) => html`<li>${accountOf(account)}</li>`)}</ul>`}
<form method="post">
<input type="hidden" name="csrf" value="${csrfToken}">
${choice === undefined ? '' : renderChoice(choice, visit)}
<ul class="rights" aria-label="${t('bank.rights')}">${can.map((line) => html`<li class="can">${line}</li>`)}${cannot.map((line) => html`<li class="cannot">${line}</li>`)}</ul>
${needsCode ? codeField(options) : ''}
<div class="actions">
<button name="decision" value="approve">${t(`bank.${approval}.approve`)}</button>
<button class="refuse" name="decision" value="refuse" formnovalidate>${t(`bank.${approval}.refuse`)}</button>
</div>
</form>`,
  })
}

/** One field of six digits, drawn as six boxes. */
function codeField({ sandbox, isFilled, visit }: DecisionPageOptions): Html {
  const { words } = visit
  const code = isFilled ? (sandbox?.oneTimePassword ?? '') : ''
  return html`<label class="apart" for="code">${words.t('bank.code.label')}</label>
<div class="code" dir="ltr"><input id="code" name="code" value="${code}" inputmode="numeric" pattern="[0-9]{6}" maxlength="6" autocomplete="one-time-code" spellcheck="false" required>${Array.from({ length: 6 }, () => html`<span></span>`)}</div>
${
  sandbox === undefined
    ? ''
    : html`<p class="small dim">${message(words, 'bank.code.sandbox', {
        code: sandbox.oneTimePassword,
        link: (text) => html`<a href="?fill=code">${text}</a>`,
      })}</p>`
}`
}

/** Radio buttons or check boxes; the bank's default is selected initially. */
function renderChoice({ kind, options }: Choice, { words }: Visit): Html {
  const type = kind === 'one' ? 'radio' : 'checkbox'
  return html`<fieldset><legend>${words.t(`bank.choose.${kind}`)}</legend><div class="accounts">
${options.map((option, index) =>
  kind === 'several' || index === 0
    ? html`<label><input type="${type}" name="account" value="${option.id}" checked> ${accountOf(option)}</label>`
    : html`<label><input type="${type}" name="account" value="${option.id}"> ${accountOf(option)}</label>`,
)}
</div></fieldset>`
}

function accountOf({ name, number, currency, sees }: ShownAccount): Html {
  const shown = html`<bdi dir="ltr">${number}</bdi>${currency === undefined ? '' : html` · ${isolated(currency)}`}`
  return html`<span class="account">${name === undefined ? html`<strong>${shown}</strong>` : html`<strong>${isolated(name)}</strong><span>${shown}</span>`}${sees === undefined ? '' : html`<span>${sees}</span>`}</span>`
}

function factOf(value: Html | ShownAccount): Html {
  return 'markup' in value
    ? html`<dd>${value}</dd>`
    : html`<dd class="named">${accountOf(value)}</dd>`
}

/** The name of an application in a sentence. */
export function nameOf({ applicationName }: Asker, { words }: Visit): Html {
  return applicationName === null
    ? html`${words.t('bank.app')}`
    : isolated(withoutHiddenMarks(applicationName))
}

/** A request can claim any brand, so the page states that the bank has not checked it. */
function brandOf(asker: Asker, { words, face }: Visit): string | Html {
  const brand = withoutHiddenMarks(asker.brand ?? '').trim()
  if (brand === '' || brand === asker.applicationName) return ''
  const bank = face.name
  return html`<p class="small dim">${message(words, 'bank.appBrand', { brand, bank })}</p>`
}

function partiesOf({ applicationName }: Asker, { face }: Visit): Html {
  const initials = withoutHiddenMarks(applicationName ?? '')
    .split(/\s+/u)
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()
  return html`<p class="parties" aria-hidden="true"><span class="tile app">${initials || '?'}</span> ⇄ <span class="tile">${face.letter}</span></p>`
}

function alert(error: string | undefined): string | Html {
  return error === undefined ? '' : html`<p class="error" role="alert">${error}</p>`
}

/** The page at the root of the bank's address. It explains the other pages. */
export function frontPage(options: PageOptions): string {
  const { words, face } = options.visit
  const { t } = words
  const title = t('bank.front.title')
  return page(options, {
    title,
    content: html`<h1>${title}</h1>
<p>${message(words, 'bank.front.lead', { bank: face.name })}</p>
<h2>${t('bank.front.how')}</h2>
${options.sandbox === undefined ? html`<p>${t('bank.front.customers')}</p>` : developersWay(options.sandbox, options.visit)}`,
  })
}

function developersWay({ customersUrl }: SandboxOffer, { words }: Visit): Html {
  const header = html`<code dir="ltr">TPP-Redirect-Preferred: true</code>`
  const link = html`<code dir="ltr">scaRedirect</code>`
  return html`<ol>
<li>${message(words, 'bank.front.request', { header })}</li>
<li>${message(words, 'bank.front.open', { link })}</li>
<li>${message(words, 'bank.front.signIn', { link: (text) => html`<a href="${customersUrl()}">${text}</a>` })}</li>
</ol>`
}

/** The pages with a title and a text only. */
export type MessageName = 'missing' | 'link' | 'stale' | 'failed' | 'done'

export function messagePage(name: MessageName, visit: Visit): string {
  const { t } = visit.words
  const title = t(`bank.${name}.title`)
  const text = t(`bank.${name}.text`)
  return page(
    { visit, sandbox: undefined },
    { title, content: html`<h1>${title}</h1><p>${text}</p>` },
  )
}

interface Content {
  readonly title: string
  readonly content: Html
}

function page({ visit, sandbox }: PageOptions, { title, content }: Content): string {
  const { words, face, elsewhere } = visit
  const { t, language } = words
  const bank = face.name
  return html`<!doctype html>
<html lang="${language}" dir="${languageFacts[language].direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${t('bank.documentTitle', { title, bank })}</title>
<link rel="icon" href="${face.icon}">
<link rel="stylesheet" href="${face.style}">
</head>
<body>
<div class="card">
<header>${sandbox === undefined ? '' : html`<p class="strip">${t('bank.sandbox')}</p>`}
<div class="bar">${signOf(face)}${elsewhere.map(
    (other) =>
      html`<a class="language" href="${other.href}" lang="${other.language}" hreflang="${other.language}">${languageFacts[other.language].name}</a>`,
  )}</div></header>
<main>
${content}
</main>
</div>
<footer>${message(words, 'bank.footer', { bank })}</footer>
</body>
</html>
`.markup
}

/** The logo, which contains the name; without a logo, the name beside a tile. */
function signOf({ logo, letter, name }: Face): Html {
  return logo === undefined
    ? html`<span class="tile" aria-hidden="true">${letter}</span>${isolated(name)}`
    : html`<picture><source media="(prefers-color-scheme: dark)" srcset="${logo.dark}"><img class="logo" src="${logo.light}" alt="${name}"></picture>`
}
