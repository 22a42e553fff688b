import { Alert } from '@mantine/core'
import { useGatewayState } from '../api/catalogue.ts'

/** Warns while the gateway does not answer; checks every 15 seconds. For pages whose readers call the gateway. */
export function GatewayBanner() {
  const { data } = useGatewayState()
  return (
    <div role="status">
      {data?.isReachable === false ? (
        <Alert color="amber" title="The gateway is not available at the moment" mb="lg">
          Calls fail until it is back, whatever this page shows. Keys and subscriptions can still be
          changed.
        </Alert>
      ) : null}
    </div>
  )
}
