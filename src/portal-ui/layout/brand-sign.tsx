import type { PictureFacts } from '../../portal/api/schemas/brand.ts'
import { useFacts } from '../facts.tsx'
import classes from './brand-sign.module.css'

/**
 * The brand in the header: its logo, which contains the name, or its icon next to the name. A narrow phone has room only for
 * the icon.
 */
export function BrandSign() {
  const { name, logo, icon } = useFacts().brand
  if (logo !== null) {
    return (
      <>
        <Logo picture={logo.light} name={name} scheme={classes['light'] ?? ''} />
        <Logo picture={logo.dark} name={name} scheme={classes['dark'] ?? ''} />
        {icon === null ? null : (
          <img src={icon.url} alt={name} width={26} height={26} className={classes['narrow']} />
        )}
      </>
    )
  }
  return (
    <>
      {icon === null ? (
        <TollgateMark />
      ) : (
        <img src={icon.url} alt="" width={26} height={26} className={classes['icon']} />
      )}
      <bdi className={classes['name']}>{name}</bdi>
    </>
  )
}

interface LogoProps {
  readonly picture: PictureFacts
  readonly name: string
  readonly scheme: string
}

/** Shown in one colour scheme only, so its name is read once. */
function Logo({ picture, name, scheme }: LogoProps) {
  const { url, width, height } = picture
  return (
    <img
      src={url}
      alt={name}
      width={width}
      height={height}
      className={`${classes['logo']} ${scheme}`}
    />
  )
}

/** Tollgate's own icon, for a portal without one. */
function TollgateMark() {
  return (
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#066a7c" />
      <path
        d="M7 23V13a9 9 0 0 1 18 0v10M7 18h18"
        fill="none"
        stroke="#fff"
        strokeWidth="3"
        strokeLinecap="round"
      />
    </svg>
  )
}
