import { Modal, type ModalProps } from '@mantine/core'
import { useOpened } from './use-opened.ts'

/** Shows {@link Dialog} once its script has loaded. */
export function LoadedDialog({ opened, ...props }: ModalProps) {
  return <Modal {...props} opened={useOpened(opened)} />
}
