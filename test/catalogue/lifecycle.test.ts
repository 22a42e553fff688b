import t from 'tap'
import {
  deprecationHeader,
  isDeprecated,
  isRetired,
  parseDate,
  sunsetHeader,
} from '../../src/catalogue/lifecycle.ts'
import { compareVersions, isVersionLabel } from '../../src/catalogue/version-label.ts'
import { parseTimeZone, parseWindow, readWindowLength } from '../../src/catalogue/window-length.ts'

t.test('a day begins at 00:00 UTC for what is deprecated and what is retired', (t) => {
  const lifecycle = { deprecated: '2024-04-14', retired: '2027-10-31' }
  const deprecated = Date.parse('2024-04-14T00:00:00Z')
  const retired = Date.parse('2027-10-31T00:00:00Z')
  t.equal(isDeprecated(lifecycle, deprecated - 1), false)
  t.equal(isDeprecated(lifecycle, deprecated), true)
  t.equal(isRetired(lifecycle, retired - 1), false)
  t.equal(isRetired(lifecycle, retired), true)
  t.equal(isRetired({ sunset: '2020-01-01' }, retired), false, 'sunset only announces')
  t.equal(isDeprecated({}, retired), false)
  t.end()
})

t.test('the headers have the forms of RFC 9745 and RFC 8594', (t) => {
  t.equal(deprecationHeader('2024-04-14'), '@1713052800')
  t.equal(sunsetHeader('2027-10-31'), 'Sun, 31 Oct 2027 00:00:00 GMT')
  t.equal(sunsetHeader('2027-04-01'), 'Thu, 01 Apr 2027 00:00:00 GMT')
  t.end()
})

t.test('only days of the calendar are dates', (t) => {
  t.equal(parseDate('2024-02-29'), Date.UTC(2024, 1, 29))
  for (const text of [
    '2023-02-29',
    '2024-04-31',
    '2024-13-01',
    '2024-00-10',
    '2024-4-14',
    '24-04-14',
    '2024-04-14T00:00:00Z',
    '',
    'today',
  ]) {
    t.equal(parseDate(text), undefined, text)
  }
  t.end()
})

t.test('a window is an ISO 8601 duration of fixed length, one second to a year', (t) => {
  const good = {
    PT1S: 1,
    PT90S: 90,
    PT1M: 60,
    PT1H: 3600,
    PT1H30M5S: 5405,
    P1D: 86_400,
    P1DT12H: 129_600,
    P2W: 1_209_600,
    P365D: 31_536_000,
    PT8760H: 31_536_000,
  }
  for (const [text, seconds] of Object.entries(good))
    t.equal(parseWindow(text, undefined), seconds, text)
  for (const text of [
    '',
    'P',
    'PT',
    'P1DT',
    'P1Y',
    'P1M',
    'P1Y2D',
    'PT0S',
    'P366D',
    'PT8761H',
    'PT1.5S',
    '-PT1S',
    'pt1s',
    '1 hour',
    'PT1H ',
    'PT1M1H',
    'P1W1D',
    'P53W',
    'PT99999999999S',
  ]) {
    t.equal(parseWindow(text, undefined), undefined, text)
  }
  t.end()
})

t.test('with a time zone, P1D and P1M are windows of its calendar, and nothing else is', (t) => {
  t.equal(parseWindow('P1D', 'Europe/Berlin'), 'P1D@Europe/Berlin')
  t.equal(parseWindow('P1M', 'Europe/Berlin'), 'P1M@Europe/Berlin')
  t.equal(parseWindow('PT24H', 'Europe/Berlin'), 86_400)
  t.equal(parseWindow('P1W', 'Europe/Berlin'), 604_800)
  for (const text of ['P2M', 'P1Y', 'P1MT1H']) {
    t.equal(parseWindow(text, 'Europe/Berlin'), undefined, text)
  }
  for (const length of [3600, 'P1D@Europe/Berlin', 'P1M@America/Argentina/Buenos_Aires']) {
    t.equal(readWindowLength(String(length)), length)
  }
  for (const text of ['', '1.5', 'P1M', 'P1M@', 'P1M@Mars/Olympus', 'P1Y@UTC', '3600@UTC']) {
    t.equal(readWindowLength(text), undefined, text)
  }
  t.end()
})

t.test('a time zone is a name of the IANA database, in any case, and no offset', (t) => {
  t.equal(parseTimeZone('europe/berlin'), 'Europe/Berlin')
  t.equal(parseTimeZone('UTC'), 'UTC')
  for (const name of ['', '+02:00', 'Z', 'Berlin', '2026-01-01[Europe/Berlin]']) {
    t.equal(parseTimeZone(name), undefined, name)
  }
  t.end()
})

t.test('versions are digits and dots, ordered by number, not by letter', (t) => {
  const sorted = ['1.10.0', '4.0', '1.9.0', '10.0.0', '4', '2.0.0', '1.9.10', '20111101', '1.9.2']
  t.strictSame(sorted.sort(compareVersions), [
    '1.9.0',
    '1.9.2',
    '1.9.10',
    '1.10.0',
    '2.0.0',
    '4',
    '4.0',
    '10.0.0',
    '20111101',
  ])
  for (const text of ['1.7.0', '4', '4.0', '1.3.8', '2024.01.15']) t.ok(isVersionLabel(text), text)
  for (const text of ['v1', '1.7.x', '1.7.0-x', '1..2', '.1', '1.', '1.2.3.4.5.6.7', '']) {
    t.notOk(isVersionLabel(text), text)
  }
  t.end()
})
