import { Paper, Title } from '@mantine/core'
import type {
  PublishedApi,
  PublishedProduct,
  PublishedVersion,
} from '../../../portal/api/schemas/catalogue.ts'
import { Icon, type IconName } from '../../components/icon.tsx'
import { Pill } from '../../components/pill.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { localText } from '../../local-text.ts'
import { diffPath, operationPath, versionPath } from '../../published.ts'
import { t } from '../../words.ts'
import classes from './landing.module.css'

/** A card for each product of the newest version of each API. */
export function ProductCards({ apis }: { readonly apis: readonly PublishedApi[] }) {
  const [first] = apis
  const [newest, previous] = first?.versions.toReversed() ?? []
  return (
    <section aria-labelledby="products" className={classes['section']}>
      <div className={classes['head']}>
        <div>
          <Title order={2} id="products" className={classes['sectionTitle'] ?? ''}>
            {t('shell.apis')}
          </Title>
          <p className={classes['sectionLead']}>{t('landing.productsLead')}</p>
        </div>
        {first === undefined || newest === undefined || previous === undefined ? null : (
          <TextLink href={diffPath(first.api, previous.version, newest.version)}>
            {t('landing.changedIn', { version: newest.version })}
          </TextLink>
        )}
      </div>
      <ul className={classes['products']}>
        {apis.map(({ api, versions }) => {
          const version = versions.at(-1)
          return version?.products.map((product) => (
            <li key={`${api} ${product.title.en}`}>
              <ProductCard api={api} version={version} product={product} />
            </li>
          ))
        })}
      </ul>
    </section>
  )
}

interface ProductCardProps {
  readonly api: string
  readonly version: PublishedVersion
  readonly product: PublishedProduct
}

function ProductCard({ api, version, product }: ProductCardProps) {
  const { version: name, operations, isDeprecated, isRetired } = version
  const own = operations.filter(({ tag }) => product.tags.includes(tag))
  const [first] = own
  const title = localText(product.title)
  const href = first === undefined ? versionPath(api, name) : operationPath(api, name, first)
  return (
    <Paper withBorder shadow="xs" component="article" className={classes['product'] ?? ''}>
      <span className={classes['productIcon']} aria-hidden>
        <Icon name={iconOf(product.icon)} />
      </span>
      <div className={classes['productName']}>
        <Title order={3}>{title}</Title>
        <Pill tone={isRetired ? 'bad' : isDeprecated ? 'warn' : 'ok'} hasDot>
          <span dir="ltr">v{name}</span>
        </Pill>
      </div>
      <p className={classes['productText']}>
        <bdi>{localText(product.summary)}</bdi>
      </p>
      <p className={classes['productLinks']}>
        <span>{t('landing.operationCount', { count: own.length })}</span>
        <TextLink href={href} aria-label={t('landing.referenceOf', { name: title })}>
          {t('landing.reference')}
        </TextLink>
      </p>
    </Paper>
  )
}

const icons: Readonly<Record<string, IconName>> = {
  bank: 'bank',
  arrows: 'arrows',
  paper: 'paper',
  key: 'key',
  people: 'people',
}

function iconOf(name: string): IconName {
  return icons[name] ?? 'grid'
}
