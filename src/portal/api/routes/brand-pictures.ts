import { pictureRoute, servePicture } from '../../../catalogue/brand/pictures.ts'
import type { PortalApp } from '../../portal-app.ts'
import type { PortalServices } from '../../services.ts'
import { notFound } from '../portal-error.ts'

/** Serves the pictures of the brand, for every visitor. */
export function registerBrandPictures(
  app: PortalApp,
  { catalogue }: Pick<PortalServices, 'catalogue'>,
): void {
  app.get<{ Params: { use: string; digest: string } }>(pictureRoute, (request, reply) => {
    const served = servePicture(catalogue().brand, request.params)
    if (served === undefined) throw notFound()
    return reply.headers(served.headers).send(served.body)
  })
}
