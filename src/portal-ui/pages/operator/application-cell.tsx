import { Table, Text } from '@mantine/core'
import { operatorApplicationPath } from '../../../portal/pages/page-paths.ts'
import { TextLink } from '../../components/text-link.tsx'

interface ApplicationCellProps {
  readonly application: {
    readonly applicationId: string
    readonly applicationName: string
    readonly developerEmail: string
  }
}

/** The application of a row, which leads to its page, and its developer. */
export function ApplicationCell({
  application: { applicationId, applicationName, developerEmail },
}: ApplicationCellProps) {
  return (
    <Table.Td>
      <TextLink href={operatorApplicationPath(applicationId)}>
        <bdi>{applicationName}</bdi>
      </TextLink>{' '}
      <Text span c="dimmed" size="sm">
        <bdi>{developerEmail}</bdi>
      </Text>
    </Table.Td>
  )
}
