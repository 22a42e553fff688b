import type { Language } from '../../messages/language.ts'

/** Hebrew names for pages in Hebrew. The interface returns the names as stored. */
const hebrew: ReadonlyMap<string, string> = new Map([
  ['Noa Levi', 'נועה לוי'],
  ['Avi Katz', 'אבי כץ'],
  ['Ruth Mizrahi', 'רות מזרחי'],
  ['Yael Bar', 'יעל בר'],
  ['Omer Peretz', 'עומר פרץ'],
  ['Eitan Biton', 'איתן ביטון'],
  ['Maya Gabay', 'מאיה גבאי'],
  ['Gil Hadad', 'גיל חדד'],
  ['Galil Water Works', 'מי הגליל'],
  ['Shira Malka', 'שירה מלכה'],
  ['Daniel Ohana', 'דניאל אוחנה'],
  ['Michal Friedman', 'מיכל פרידמן'],
  ['Haim Vaknin', 'חיים ועקנין'],
  ['Anton Brueckner', 'אנטון בריקנר'],
  ['Brueckner Bau', 'בריקנר בנייה'],
  ['Home', 'הבית'],
  ['Main current account', 'חשבון עו״ש ראשי'],
  ['New bicycle', 'אופניים חדשים'],
  ['Rainy days', 'לימים קשים'],
  ['Dollar sub-account', 'תת־חשבון בדולרים'],
  ['Everyday card', 'הכרטיס היומיומי'],
  ['Gold card', 'כרטיס זהב'],
  ['Business account', 'חשבון עסקי'],
  ['Shekels', 'שקלים'],
  ['At home', 'בבית'],
  ['Euros', 'אירו'],
  ['Dollars', 'דולרים'],
  ['All currencies', 'כל המטבעות'],
  ['Second account', 'חשבון שני'],
])

/** Latin names for pages in English, by the Hebrew names that the bank stores. */
const latin: ReadonlyMap<string, string> = new Map([
  ['תמר אזולאי', 'Tamar Azoulay'],
  ['ליאור דהן', 'Lior Dahan'],
  ['יוסי עמר', 'Yossi Amar'],
  ['רבקה שטרן', 'Rivka Stern'],
  ['ליאת שפירא', 'Liat Shapira'],
])

/** The name of a customer, an account or a card in a language; unchanged if the language has no other. */
export function sandboxNameIn(language: Language, name: string): string {
  return (language === 'he' ? hebrew : latin).get(name) ?? name
}
