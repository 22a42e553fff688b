import type { ModalProps } from '@mantine/core'
import { lazyPage } from '../lazy-page.tsx'
import { WhenOpened } from './when-opened.tsx'

const { Page: LoadedDialog } = lazyPage<'LoadedDialog', ModalProps>(
  () => import('./loaded-dialog.tsx'),
  'LoadedDialog',
)

/** A dialog. The library's script for it, 16 KB (gzip), loads when the first one opens. */
export function Dialog(props: ModalProps) {
  return (
    <WhenOpened opened={props.opened}>
      <LoadedDialog {...props} />
    </WhenOpened>
  )
}
