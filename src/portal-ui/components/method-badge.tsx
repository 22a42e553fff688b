import { Badge } from '@mantine/core'

const colors: Readonly<Record<string, string>> = {
  GET: 'tide',
  POST: 'green',
  PUT: 'amber',
  PATCH: 'amber',
  DELETE: 'red',
}

/** The method of an operation. */
export function MethodBadge({
  method,
  className,
}: {
  readonly method: string
  readonly className?: string | undefined
}) {
  return (
    <Badge
      radius="sm"
      color={colors[method] ?? 'gray'}
      {...(className === undefined ? {} : { className })}
    >
      {method}
    </Badge>
  )
}
