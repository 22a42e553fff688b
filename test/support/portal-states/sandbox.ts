import type { PageState } from './page-state.ts'

/** The sandbox and the page to which its approvals return. */
export const sandboxStates: readonly PageState[] = [
  {
    name: 'sandbox',
    viewer: 'visitor',
    path: '/sandbox',
    prepare: (page) => page.getByText('305567661').first().waitFor(),
    isPictured: true,
  },
  {
    name: 'sandbox-return',
    viewer: 'visitor',
    path: '/sandbox/return?outcome=approved&consentId=99391c7e-ad88-49ec-a2ad-99ddcb1f7721',
    isPictured: true,
  },
  {
    name: 'sandbox-return-refused',
    viewer: 'visitor',
    path: '/sandbox/return?outcome=refused&paymentId=99391c7e-ad88-49ec-a2ad-99ddcb1f7721',
  },
]
