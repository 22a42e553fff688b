/** Each way into a state, and each kind of resource, in Hebrew, by its English text in `ways.ts`. */
export const waysInHebrew: Readonly<Record<string, string>> = {
  Payments: 'תשלומים',
  Consents: 'הסכמות',
  Mandates: 'הרשאות לחיוב חשבון',
  'Initiate a payment and leave it unapproved.': 'ייזום תשלום בלי לאשר אותו.',
  'Approve a payment with a `requestedExecutionDate`. It waits until that day begins; others pass this state within a second.':
    'אישור תשלום עם `requestedExecutionDate`. הוא ממתין עד תחילת אותו יום; תשלומים אחרים עוברים את המצב הזה בתוך שנייה.',
  'Approve a payment with a `requestedExecutionDate`, and look between 00:00 of that day and its execution at 06:00. A `requestedExecutionTime` makes that later.':
    'אישור תשלום עם `requestedExecutionDate`, ובדיקה בין 00:00 באותו יום לביצוע ב־06:00. עם `requestedExecutionTime` הביצוע מאוחר יותר.',
  'Approve `zahav` outside 08:00 to 17:00 or on a day that is not a banking day.':
    'אישור `zahav` מחוץ לשעות 08:00–17:00, או ביום שאינו יום עסקים בנקאי.',
  'Approve `masav` dated on a Saturday.': 'אישור `masav` שתאריכו יום שבת.',
  'Approve `masav` without a date: from a second later until 18:00 of a banking day.':
    'אישור `masav` בלי תאריך: משנייה אחרי האישור ועד 18:00 ביום עסקים בנקאי.',
  'Approve `fp`: two seconds later, for 30 seconds.': 'אישור `fp`: אחרי שתי שניות, למשך 30 שניות.',
  'Approve `fp` and wait those 30 seconds.': 'אישור `fp` והמתנה של אותן 30 שניות.',
  'Pay to an account of this bank with any other product.': 'תשלום לחשבון בבנק הזה בכל מוצר אחר.',
  'Ask PSU-Rejected.': 'בקשה מ־PSU-Rejected.',
  'Ask PSU-InternalLimit, who approves before the bank rejects the payment.':
    'בקשה מ־PSU-InternalLimit: הלקוח מאשר, ואז הבנק דוחה את התשלום.',
  'Enter a wrong password three times.': 'הזנת סיסמה שגויה שלוש פעמים.',
  'Wait 24 hours without an approval.': 'המתנה של 24 שעות בלי אישור.',
  'Pay 2500.00 by `fp` from PSU-NoTransactions, who has no funds. `masav` is tried three times.':
    'תשלום של 2500.00 ב־`fp` מחשבון של PSU-NoTransactions, שאין בו כסף. ב־`masav` יש שלושה ניסיונות.',
  'Approve a payment to the account of PSU-AccountBlocked, which the bank then rejects.':
    'אישור תשלום לחשבון של PSU-AccountBlocked, שהבנק דוחה אחר כך.',
  'DELETE a payment before the approval.': 'DELETE של תשלום לפני האישור.',
  'DELETE an approved `masav` and approve the cancellation. PSU-Cancellation-Rejected refuses it.':
    'DELETE של `masav` שאושר, ואישור הביטול. PSU-Cancellation-Rejected דוחה אותו.',
  'Ask for a consent and leave it unapproved.': 'בקשת הסכמה בלי לאשר אותה.',
  'Approve it.': 'אישור.',
  'Approve.': 'אישור.',
  'Have the same customer approve a newer recurring consent.':
    'אישור של הסכמה חוזרת חדשה יותר על ידי אותו לקוח.',
  'Ask PSU-ConsentExpired.': 'בקשה מ־PSU-ConsentExpired.',
  'Have the same customer approve another recurring consent.':
    'אישור של הסכמה חוזרת אחרת על ידי אותו לקוח.',
  'Wait two hours after the first read of a one-off consent.':
    'המתנה של שעתיים אחרי הקריאה הראשונה בהסכמה חד־פעמית.',
  'Wait until the day after `validUntil`.': 'המתנה עד היום שאחרי `validUntil`.',
  'Ask PSU-ConsentRevokedByPsu.': 'בקשה מ־PSU-ConsentRevokedByPsu.',
  'The operator runs `tollgate sandbox consent <consentId> revoke`.':
    'המפעיל מריץ `tollgate sandbox consent <consentId> revoke`.',
  'Ask PSU-ConsentSuspended.': 'בקשה מ־PSU-ConsentSuspended.',
  'The operator runs `tollgate sandbox consent <consentId> suspend`; `resume` makes it `valid` again.':
    'המפעיל מריץ `tollgate sandbox consent <consentId> suspend`; ‏`resume` מחזיר ל־`valid`.',
  'DELETE it, before or after the approval.': 'DELETE, לפני האישור או אחריו.',
  'Ask for a mandate and leave it unapproved.': 'בקשת הרשאה בלי לאשר אותה.',
  'Ask PSU-Rejected (MD13).': 'בקשה מ־PSU-Rejected ‏(MD13).',
  'At once: the account of PSU-AccountClosed (AC04) or PSU-AccountBlocked (AC06).':
    'מיד: החשבון של PSU-AccountClosed ‏(AC04) או של PSU-AccountBlocked ‏(AC06).',
  'At once: the savings account of PSU-Successful (AG01).':
    'מיד: חשבון החיסכון של PSU-Successful ‏(AG01).',
  'At once: B2B on the account of PSU-Euro (MD09).': 'מיד: B2B בחשבון של PSU-Euro ‏(MD09).',
  'At once: a `PSU-ID` that does not own the account (AC01), or a debtor with another national id (BE01).':
    'מיד: `PSU-ID` שאינו בעל החשבון (AC01), או חייב עם מספר זהות אחר (BE01).',
  'The operator runs `tollgate sandbox mandate <resourceId> suspend`; `resume` makes it `valid` again.':
    'המפעיל מריץ `tollgate sandbox mandate <resourceId> suspend`; ‏`resume` מחזיר ל־`valid`.',
  'The operator runs `tollgate sandbox mandate <resourceId> revoke` (MD16).':
    'המפעיל מריץ `tollgate sandbox mandate <resourceId> revoke` ‏(MD16).',
  'Make one with `sequenceType` OOFF; the operator collects it with `tollgate sandbox collect <resourceId> 10.00`.':
    'הרשאה עם `sequenceType` ‏OOFF; המפעיל גובה אותה עם `tollgate sandbox collect <resourceId> 10.00`.',
  'Wait until the day after the mandate’s last day (MD20).':
    'המתנה עד היום שאחרי היום האחרון של ההרשאה (MD20).',
  'DELETE it before the approval (MD22) or after it (MD17). B2B then answers 202, and the debtor has to approve.':
    'DELETE לפני האישור (MD22) או אחריו (MD17). ב־B2B התשובה היא 202, והחייב צריך לאשר.',
  Authorisations: 'אישורים',
  'Send no `PSU-ID` in the POST.': 'POST בלי `PSU-ID`.',
  'Send `PSU-ID` in the POST, embedded or by redirect.': 'POST עם `PSU-ID`, ב־embedded או בהפניה.',
  'PUT the authorisation without a body.': 'PUT על האישור בלי גוף.',
  'PUT the password.': 'PUT של הסיסמה.',
  'Sign in on the bank’s page.': 'כניסה בדף של הבנק.',
  'PUT the method.': 'PUT של אמצעי האימות.',
  'PUT the password of PSU-OneMethod.': 'PUT של הסיסמה של PSU-OneMethod.',
  'Decoupled, for two seconds.': 'באפליקציה של הבנק (decoupled), למשך שתי שניות.',
  'Embedded, with the method `app-1`.': 'ב־embedded, עם האמצעי `app-1`.',
  'On the bank’s page, while the decision is shown.': 'בדף של הבנק, כל עוד ההחלטה מוצגת.',
  'Have PSU-Confirmation approve on the bank’s page; then PUT the `confirmationCode` that comes with the redirect.':
    'אישור של PSU-Confirmation בדף של הבנק, ואז PUT של `confirmationCode` שמגיע עם ההפניה.',
  'PUT the password of PSU-Exempted.': 'PUT של הסיסמה של PSU-Exempted.',
  'Enter the password, one-time password or confirmation code wrong for the third time.':
    'הזנה שגויה שלישית של הסיסמה, הקוד החד־פעמי או קוד האישור.',
  'Wait 24 hours.': 'המתנה של 24 שעות.',
}
