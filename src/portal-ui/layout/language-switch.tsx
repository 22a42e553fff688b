import { Button } from '@mantine/core'
import {
  type Language,
  languageCookie,
  languageCookieSeconds,
  languageFacts,
  languages,
} from '../../messages/language.ts'
import { useLanguageChoice } from '../api/profile.ts'
import { useSession } from '../api/session.ts'
import { pageLanguage } from '../words.ts'
import classes from './shell.module.css'

/**
 * A button for each other language. The browser remembers the choice, and the
 * portal sends the page in it; for a signed-in developer, emails too.
 */
export function LanguageSwitch() {
  const { data: session } = useSession()
  const { mutateAsync: save } = useLanguageChoice()

  async function choose(language: Language): Promise<void> {
    remember(language)
    // The page changes even if the choice cannot be saved.
    if (session) await save({ language }).catch(() => undefined)
    window.location.reload()
  }

  const others = languages.filter((language) => language !== pageLanguage())
  return others.map((language) => (
    <Button
      key={language}
      variant="subtle"
      color="gray"
      size="sm"
      lang={language}
      className={classes['language'] ?? ''}
      styles={{ label: { fontWeight: 500 } }}
      onClick={() => void choose(language)}
    >
      {languageFacts[language].name}
    </Button>
  ))
}

function remember(language: Language): void {
  const secure = window.location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs https, and the portal also runs on loopback
  document.cookie = `${languageCookie}=${language}; Path=/; SameSite=Lax; Max-Age=${languageCookieSeconds}${secure}`
}
