import { useGatewayState } from '../api/catalogue.ts'
import { NoticeLine } from '../components/notice-line.tsx'
import { t } from '../words.ts'

/** Warns while the gateway does not answer; checks every 15 seconds. For pages whose readers call the gateway. */
export function GatewayBanner() {
  const { data } = useGatewayState()
  return (
    <div role="status">
      {data?.isReachable === false ? (
        <NoticeLine tone="warn">
          <strong>{t('gateway.away')}</strong> {t('gateway.awayMeans')}
        </NoticeLine>
      ) : null}
    </div>
  )
}
