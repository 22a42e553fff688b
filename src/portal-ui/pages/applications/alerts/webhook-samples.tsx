import { CodeTabs } from '../../../components/code-tabs.tsx'
import { SectionCard } from '../../../components/section-card.tsx'
import { t } from '../../../words.ts'

/** How a receiver knows that an event is from this portal. */
export function WebhookSamples() {
  return (
    <SectionCard title={t('webhook.verify')} lead={t('webhook.verifyLead')}>
      <CodeTabs
        label={t('webhook.verifyCode')}
        samples={[
          { label: 'Node.js', source: node },
          { label: 'Python', source: python },
        ]}
      />
    </SectionCard>
  )
}

const node = `import { createHmac, timingSafeEqual } from 'node:crypto'

// headers: in lower case; body: the text as it came, before any parsing
export function isGenuine(secret, headers, body) {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const age = Math.abs(Date.now() / 1000 - Number(timestamp))
  const mac = createHmac('sha256', key).update(\`\${id}.\${timestamp}.\${body}\`)
  const expected = Buffer.from(\`v1,\${mac.digest('base64')}\`)
  const given = Buffer.from(headers['webhook-signature'] ?? '')
  return age < 300 && given.length === expected.length && timingSafeEqual(given, expected)
}
`

const python = `import base64, hashlib, hmac, time

# headers: in lower case; body: the bytes as they came, before any parsing
def is_genuine(secret, headers, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    timestamp = headers["webhook-timestamp"]
    signed = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    mac = hmac.new(key, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(mac).decode()
    is_new = abs(time.time() - int(timestamp)) < 300
    return is_new and hmac.compare_digest(headers["webhook-signature"], expected)
`
