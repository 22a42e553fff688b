import t from 'tap'
import { fleetMissing, gatewayConnections, startFleet } from '../support/fleet.ts'
import { newApplication } from '../support/tollgate.ts'

t.test(
  'a gateway serves with the fewest connections to PostgreSQL, and takes no more',
  { skip: fleetMissing() },
  async (t) => {
    const env = { DATABASE_CONNECTIONS_MAX: '2' }
    const { clients, stores, postgres } = await startFleet(t, { size: 1, env })
    const { key } = await newApplication(stores, 'served')
    const answers = await Promise.all(Array.from({ length: 20 }, () => clients[0]?.call({ key })))
    t.same(new Set(answers.map((answer) => answer?.status)), new Set([200]))
    t.equal(await gatewayConnections(postgres), 2)
  },
)
