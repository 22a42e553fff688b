import { Button } from '@mantine/core'
import { Link } from 'wouter'
import { useSession } from '../api/session.ts'
import { versionPath } from '../published.ts'
import { t } from '../words.ts'
import { OwnApplications, type SubscribeVersionProps } from './own-applications.tsx'
import { signInPath } from './sign-in-path.ts'

/** Subscribes one of the reader's applications with one press; a visitor signs in first. */
export function SubscribeVersion({ api, version }: SubscribeVersionProps) {
  const { data: session } = useSession()
  const isVisitor = session === null || session === undefined
  if (version.isRetired || version.plans.length === 0) return null
  return isVisitor ? (
    <Button component={Link} href={signInPath(versionPath(api, version.version))} variant="default">
      {t('reference.subscribe')}
    </Button>
  ) : (
    <OwnApplications api={api} version={version} />
  )
}
