import { randomInt } from 'node:crypto'
import t from 'tap'
import { testDataDir } from '../../test/support/database.ts'
import { roleServices, serviceLinks } from '../../test/support/service-links.ts'
import { spawnTollgate, testConfigDir } from '../../test/support/tollgate.ts'

t.test(
  'the program starts on its own ports with the variables of Kubernetes for services that have the names of its listeners',
  // Its own address has the default ports free.
  { skip: process.platform !== 'linux' && 'only Linux has all of 127.0.0.0/8' },
  async (t) => {
    const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
    const names = ['GATEWAY', 'PORTAL', 'BACKEND', 'SCA', 'MANAGEMENT']
    const { urls, output } = await spawnTollgate(t, [], {
      ...Object.fromEntries(names.map((name) => [`${name}_HOST`, host])),
      ...serviceLinks(roleServices),
      CONFIG_DIR: testConfigDir(t),
      DATA_DIR: await testDataDir(t),
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
    })
    t.same(urls, {
      gateway: `http://${host}:8080`,
      portal: `http://${host}:8081`,
      backend: `http://${host}:8082`,
      sca: `http://${host}:8083`,
      management: `http://${host}:9090`,
    })
    for (const name of names) t.match(output.stderr, `${name}_PORT is ignored: Kubernetes sets it`)
    t.equal((await fetch(`${urls.management}/readyz`)).status, 200)
  },
)
