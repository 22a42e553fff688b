import t from 'tap'
import { endBesideNamesake } from '../../src/portal-ui/components/namesake.ts'

t.test(
  'after a rotation the new key has the name, and the old one also its last day',
  async (t) => {
    const expiresAt = '2026-11-29T10:00:00.000Z'
    const old = { id: 'a', name: 'Key 1', state: 'replaced', replacedBy: 'b', expiresAt } as const
    const next = {
      id: 'b',
      name: 'Key 1',
      state: 'active',
      replacedBy: null,
      expiresAt: null,
    } as const
    t.equal(endBesideNamesake(old, [next, old]), expiresAt)
    t.equal(endBesideNamesake(next, [next, old]), undefined)
    t.equal(endBesideNamesake(old, [{ ...next, name: 'Key 2' }, old]), undefined, 'another name')
    t.equal(endBesideNamesake({ ...old, state: 'expired' }, [next, old]), undefined, 'it is over')
  },
)
