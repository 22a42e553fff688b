import { t } from '../../words.ts'

/** The title of a problem as a service answered it; services answer in English. */
export function ProblemTitle({ title }: { readonly title: string | undefined }) {
  return title === undefined ? t('answer.refused') : <bdi lang="en">{title}</bdi>
}
