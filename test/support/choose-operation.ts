import type { Page } from 'playwright-core'

/** Chooses an operation of the playground by its id, as a developer types it into the list. */
export async function chooseOperation(page: Page, id: string, label?: string): Promise<void> {
  const field = operationField(page, label)
  // A field that is still disabled is waited for.
  await field.click()
  await field.fill(id)
  await page.locator('[role="option"]:visible').first().click()
}

/** The field that shows which operation is chosen: its summary, method and id. */
export function operationField(page: Page, label = 'Operation') {
  return page.locator('input').and(page.getByLabel(label, { exact: true }))
}
