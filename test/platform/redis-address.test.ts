import t from 'tap'
import { parseRedisAddress } from '../../src/platform/redis/redis-address.ts'

const open = { isEncrypted: false, username: undefined, password: undefined }

t.test('an address names one server, sentinels or a cluster', async (t) => {
  t.same(parseRedisAddress('redis://host'), {
    topology: 'single',
    ...open,
    server: { host: 'host', port: 6379 },
    database: 0,
  })
  t.same(parseRedisAddress('rediss://me:p%40ss:word@[::1]:7000/3'), {
    topology: 'single',
    isEncrypted: true,
    username: 'me',
    password: 'p@ss:word',
    server: { host: '::1', port: 7000 },
    database: 3,
  })
  t.same(parseRedisAddress('redis+sentinel://:secret@a:1,b,10.0.0.3:3/my%20group/2'), {
    topology: 'sentinel',
    ...open,
    password: 'secret',
    sentinels: [
      { host: 'a', port: 1 },
      { host: 'b', port: 26_379 },
      { host: '10.0.0.3', port: 3 },
    ],
    group: 'my group',
    database: 2,
    sentinelUsername: undefined,
    sentinelPassword: undefined,
  })
  t.match(parseRedisAddress('rediss+sentinel://a/g?sentinelUsername=s&sentinelPassword=%26'), {
    topology: 'sentinel',
    isEncrypted: true,
    database: 0,
    sentinelUsername: 's',
    sentinelPassword: '&',
  })
  t.same(parseRedisAddress('redis+cluster://a:7000,b:7001/'), {
    topology: 'cluster',
    ...open,
    nodes: [
      { host: 'a', port: 7000 },
      { host: 'b', port: 7001 },
    ],
  })
})

t.test('a wrong address gets its problem, an example and no secret', async (t) => {
  const wrong: Record<string, RegExp> = {
    'http://:planted@host': /not a URL beginning with redis:\/\/.*e\.g\. redis:\/\/user/,
    'redis://host#fragment': /not a URL beginning with/,
    'redis://:planted%zz@host': /write a % in the password as %25/,
    'redis://:planted@': /"" is neither a host/,
    'redis://:planted@host:0': /"host:0" is neither a host/,
    'redis://:planted@host:65536': /"host:65536" is neither a host/,
    'redis://:planted@a:1,b:2': /takes one server; use redis\+sentinel/,
    'redis://:planted@host/zero': /database after the host is not a number/,
    'redis://:planted@host/0/1': /only the number of the database may follow the host/,
    'redis://:planted@host?retryStrategy=1': /"retryStrategy" is not a known option/,
    'redis://me:planted/rest@host': /as %2F, %3F or %40/,
    'redis://me:planted?rest@host': /as %2F, %3F or %40/,
    'redis://me:begin@of:planted/rest@host': /as %2F, %3F or %40/,
    'redis://me:begin@of?planted@host:6379/0': /as %2F, %3F or %40/,
    'redis+sentinel://:planted/rest@a:1,b:2/g': /as %2F, %3F or %40/,
    'redis+sentinel://:planted@a:1,b:2': /name under which .* is missing.*mymaster/,
    'redis+sentinel://:planted@a:1,,b:2/g': /"" is neither a host/,
    'redis+sentinel://:planted@a/g/0/1': /may follow the primary name/,
    'redis+cluster://:planted@a:7000/0': /no numbered databases.*e\.g\. redis\+cluster/,
    'redis+cluster://a?sentinelPassword=planted': /"sentinelPassword" is not a known option/,
  }
  for (const [value, message] of Object.entries(wrong)) {
    t.throws(() => parseRedisAddress(value), { code: 'REDIS_ADDRESS_INVALID', message }, value)
    try {
      parseRedisAddress(value)
    } catch (error) {
      t.notMatch(String(error), /planted/)
    }
  }
})
