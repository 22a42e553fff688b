import { cpSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { differenceOf, summaryOf } from '../../src/catalogue/configuration-summary.ts'
import { loadCatalogue } from '../../src/catalogue/load-catalogue.ts'
import { testConfigDir } from '../support/tollgate.ts'

t.test(
  'a digest is of the content, and the difference of two configurations names what changes',
  async (t) => {
    const [one, other] = [testConfigDir(t), testConfigDir(t)]
    const plan = join(other, 'plans', 'default.yaml')
    const text = readFileSync(plan, 'utf8')
    // Written later, in another order of files, with other time stamps and a comment.
    rmSync(join(other, 'plans'), { recursive: true })
    cpSync(join(one, 'plans'), join(other, 'plans'), { recursive: true })
    utimesSync(plan, 1, 1)
    writeFileSync(plan, `# a remark\n${text}`)
    const first = await loadCatalogue(one)
    const same = await loadCatalogue(other)
    t.match(first.digest, /^[0-9a-f]{64}$/)
    t.equal(same.digest, first.digest)
    t.same(differenceOf(summaryOf(first), summaryOf(same)), { texts: 'changed' })

    const version = readFileSync(join(other, 'apis', 'xs2a', '1.7.0.yaml'), 'utf8')
    writeFileSync(join(other, 'apis', 'xs2a', '1.8.0.yaml'), version.replaceAll('1.7.0', '1.8.0'))
    writeFileSync(plan, text.replace('calls: 1000000', 'calls: 7').replace('enforce', 'observe'))
    writeFileSync(join(other, 'plans', 'small.yaml'), text)
    writeFileSync(join(other, 'brand.yaml'), 'name: Other Bank\n')
    const changed = await loadCatalogue(other)
    t.not(changed.digest, first.digest)
    t.strictSame(differenceOf(summaryOf(first), summaryOf(changed)), {
      versionsAdded: 'xs2a@1.8.0',
      plansAdded: 'small',
      'plan default':
        'limit default: 1000000 calls per 31536000 s and operation → 7 calls per 31536000 s and operation; mode: enforce → observe',
      brand: 'changed',
    })
    t.match(differenceOf(summaryOf(changed), summaryOf(first)), {
      versionsRemoved: 'xs2a@1.8.0',
      plansRemoved: 'small',
    })
  },
)
