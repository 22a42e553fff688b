/** What developers have to know before they make another consent. */
export const oneConsent =
  'A new consent of a customer replaces this application’s earlier one once it is approved.'
