// Runs in a process of its own, so that it can be pinned away from what it measures:
// node load.ts <url> <seconds> <connections> <headers as JSON>; prints one line of JSON.
import autocannon from 'autocannon'

const [url = '', seconds = '5', connections = '64', headers = '{}'] = process.argv.slice(2)
const result = await autocannon({
  url,
  duration: Number(seconds),
  connections: Number(connections),
  headers: JSON.parse(headers),
})
process.stdout.write(
  `${JSON.stringify({
    requests: result.requests.total,
    perSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.timeouts,
    ok: result['2xx'],
    refused: result.non2xx,
  })}\n`,
)
