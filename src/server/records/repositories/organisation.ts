/** The settings file of an organisation: that of its `.github` repository, for all of its repositories (docs/contract/settings.md#an-organisation). */

/** The name of the repository whose settings file is that of its owner. */
export const ORGANISATION_REPOSITORY = '.github'

export function isOrganisationRepository(name: string): boolean {
  return name.toLowerCase() === ORGANISATION_REPOSITORY
}
