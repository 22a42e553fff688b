import { type FaultProxy, startFaultProxy, type Trouble } from './fault-proxy.ts'

/** Orders to the process of the proxies. */
export type ProxyOrder =
  | { readonly order: 'open'; readonly targets: readonly number[] }
  | { readonly order: 'trouble'; readonly at: number; readonly trouble: Trouble }
  | { readonly order: 'target'; readonly at: number; readonly port: number }

// A program: opens fault proxies as its parent orders, and ends with it.
const proxies: FaultProxy[] = []

process.on('disconnect', () => process.exit())
process.on('message', (message) => {
  // Parse boundary: our own parent.
  void carryOut(message as ProxyOrder).then((answer) => process.send?.(answer))
})

async function carryOut(order: ProxyOrder): Promise<'done' | readonly number[]> {
  if (order.order === 'open') {
    const opened = await Promise.all(order.targets.map(startFaultProxy))
    proxies.push(...opened)
    return opened.map(({ port }) => port)
  }
  const proxy = proxies[order.at]
  if (order.order === 'trouble') proxy?.trouble(order.trouble)
  else proxy?.target(order.port)
  return 'done'
}
