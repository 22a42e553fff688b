import type { Language } from '../../messages/language.ts'

/**
 * What people call one thing. A query with one of the names of a group also
 * finds what has another one.
 */
export const synonyms: Readonly<Record<Language, readonly (readonly string[])[]>> = {
  en: [
    [
      'rate limit',
      'rate limits',
      'ratelimit',
      'quota',
      'throttle',
      'throttling',
      'limits',
      'limit',
    ],
    ['webhook', 'webhooks', 'notification', 'notifications', 'callback', 'alerts', 'alert'],
    ['rotate', 'replace', 'renew', 'roll', 'rotation'],
    ['revoke', 'disable', 'delete', 'remove', 'close'],
    ['key', 'keys', 'api key', 'token', 'secret', 'credentials'],
    ['two-factor', 'two factor', '2fa', 'mfa', 'second factor', 'totp', 'authenticator', 'passkey'],
    ['sign up', 'signup', 'register', 'create an account', 'account'],
    ['sign in', 'signin', 'log in', 'login'],
    ['change the plan', 'change plan', 'switch plan', 'upgrade plan', 'tier', 'pricing', 'price'],
    ['more calls', 'higher limit', 'increase limit', 'raise limit'],
    ['idempotency', 'idempotent', 'repeat', 'retry', 'twice', 'try again'],
    ['pagination', 'paging', 'next page', 'cursor'],
    [
      'test customers',
      'sandbox password',
      'test users',
      'test user',
      'psu',
      'persona',
      'customers',
    ],
    ['availability', 'uptime', 'downtime', 'outage', 'unavailable', 'unreachable', 'sla'],
    ['certificate', 'certificates', 'mtls', 'client certificate', 'qwac', 'tls'],
    ['signing', 'sign', 'signature', 'signed', 'qseal', 'digest'],
    ['openapi', 'swagger', 'specification', 'spec', 'postman'],
    ['differences', 'diff', 'changelog', 'what changed', 'compare', 'changes'],
    ['move', 'migrate', 'migration', 'upgrade', 'deprecated', 'deprecation'],
    ['consent', 'consents', 'permission', 'authorisation', 'authorization', 'sca', 'approve'],
    ['errors', 'error', 'error codes', 'failed', 'refused', 'why'],
    ['playground', 'try it', 'console', 'sample call'],
    ['redirect', 'redirect uri', 'redirect url', 'callback url', 'origin', 'cors'],
    ['ip', 'ip address', 'allowlist', 'whitelist', 'allowed addresses'],
    ['transactions', 'statement', 'history'],
    ['sandbox', 'test', 'testing', 'try'],
    ['refund', 'cancel', 'reverse', 'cancellation'],
    ['production', 'go live', 'next steps'],
    ['sdk', 'library', 'sample', 'program'],
    ['direct debit', 'mandate', 'mandates'],
    ['transfer', 'payment', 'payments', 'pay'],
  ],
  he: [
    ['מגבלות', 'מגבלה', 'מכסה', 'קצב', 'rate limit', 'ratelimit', 'quota'],
    ['webhook', 'וובהוק', 'התראות', 'התראה', 'הודעות'],
    ['החלפה', 'החלפת', 'חידוש', 'להחליף', 'לחדש', 'rotate'],
    ['ביטול', 'מחיקה', 'מחיקת', 'לבטל', 'למחוק', 'הסרה'],
    ['מפתח', 'מפתחות', 'טוקן', 'אסימון', 'token', 'key', 'api key'],
    ['אימות דו־שלבי', 'אימות דו-שלבי', 'גורם שני', 'דו שלבי', '2fa', 'mfa', 'מפתח גישה', 'שלב שני'],
    ['הרשמה', 'להירשם', 'פתיחת חשבון', 'חשבון חדש'],
    ['כניסה', 'להיכנס', 'התחברות', 'להתחבר', 'login'],
    ['תוכנית', 'תוכניות', 'מסלול', 'מחיר', 'חבילה', 'plan'],
    ['חזרה', 'לנסות שוב', 'ניסיון חוזר', 'פעמיים', 'idempotency'],
    ['דפדוף', 'עמודים', 'עמוד הבא', 'pagination'],
    ['לקוחות', 'לקוח', 'משתמשי ניסיון', 'סיסמה', 'סיסמת ארגז החול'],
    ['זמינות', 'תקלה', 'תקלות', 'השבתה', 'uptime'],
    ['תעודה', 'תעודות', 'mtls', 'אישור', 'qwac'],
    ['חתימה', 'חתימות', 'לחתום', 'חתומות', 'signature'],
    ['הבדלים', 'שינויים', 'מה השתנה', 'השוואה', 'diff'],
    ['מעבר', 'לעבור', 'שדרוג', 'הגירה', 'migration'],
    ['הסכמה', 'הסכמות', 'הרשאה', 'אישור לקוח', 'consent'],
    ['שגיאות', 'שגיאה', 'כשל', 'נכשל', 'נדחתה', 'למה'],
    ['תשלום', 'תשלומים', 'העברה', 'לשלם', 'payment'],
    ['הרשאה לחיוב', 'הרשאות לחיוב', 'הוראת קבע', 'mandate'],
    ['תנועות', 'תנועה', 'עסקאות', 'transactions'],
    ['יתרה', 'יתרות', 'balance'],
  ],
}

/** Words of questions that say nothing of what is looked for. */
export const stopWords: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set(
    'a an and are be by can could do does for from get have how i in into is it me my of on or our please should the this to use we what when where which with you your'.split(
      ' ',
    ),
  ),
  he: new Set('איך אני אפשר את בתוך האם זה יש לי מה מהו מהי מי על עם של שלי איפה כיצד'.split(' ')),
}
