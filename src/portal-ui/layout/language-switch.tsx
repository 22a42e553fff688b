import { Button } from '@mantine/core'
import { type Language, languageCookie, languageFacts, languages } from '../../messages/language.ts'
import { pageLanguage } from '../words.ts'
import classes from './shell.module.css'

const rememberedSeconds = 365 * 86_400

/** A button for each other language; the browser remembers the choice, and the portal sends the page in it. */
export function LanguageSwitch() {
  const others = languages.filter((language) => language !== pageLanguage())
  return others.map((language) => (
    <Button
      key={language}
      variant="subtle"
      color="gray"
      size="sm"
      lang={language}
      className={classes['language'] ?? ''}
      onClick={() => choose(language)}
    >
      {languageFacts[language].name}
    </Button>
  ))
}

function choose(language: Language): void {
  const secure = window.location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https, and the portal also runs on loopback
  document.cookie = `${languageCookie}=${language}; Path=/; SameSite=Lax; Max-Age=${rememberedSeconds}${secure}`
  window.location.reload()
}
